#pragma once

#include <pssc/pipeline.hpp>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace pssc {

/// The features of images, a chunk of rows at a time; nothing is kept between chunks. Broken images leave no row.
class FeatureSource {
 public:
  FeatureSource(const Context& context, const Parameters& parameters, const ImageSet& images);

  const std::string& name() const { return images_.name(); }
  std::size_t dimension() const { return dimension_; }
  std::size_t path_length() const { return path_length_; }
  std::vector<std::size_t> row_shape() const;

  /// Reads all images for no other purpose.
  void find_broken();
  /// Features of some images, and which images they are of.
  using Visit = std::function<void(MatrixView<float> rows, std::span<const std::size_t> images)>;
  /// Reads the images of these numbers, which rise. The views are valid during the call only.
  void for_each_chunk(std::string_view stage, std::span<const std::size_t> which, const Visit& visit);
  /// The same for some of many: progress is told as `done` before these of `total`.
  void for_each_chunk(std::string_view stage, std::span<const std::size_t> which, std::size_t done, std::size_t total,
                      const Visit& visit);

  /// From now on rows come equalised.
  void equalise(Equaliser equaliser) { equaliser_ = std::move(equaliser); }
  const Equaliser& equaliser() const { return equaliser_; }

  /// What an earlier process has found out: these are broken, those could be read.
  void restore(const std::vector<BrokenImage>& broken, std::span<const std::size_t> read);
  /// Images that turned out to be broken so far, by number.
  std::vector<BrokenImage> skipped() const;
  /// All images but those.
  std::vector<std::size_t> kept() const;

 private:
  std::vector<std::size_t> compute(std::span<const std::size_t> which, std::span<const std::size_t> next,
                                   std::size_t block, MatrixView<float> rows);
  void features_of(std::span<const float> pixels, MatrixView<float> rows) const;
  void note_broken(const std::vector<BrokenImage>& broken);

  enum class State : std::uint8_t { unread, read, broken };

  const Context& context_;
  const ImageSet& images_;
  std::unique_ptr<Scattering> scattering_;  ///< none: the features are the pixels
  std::size_t pixels_ = 0, dimension_ = 0, path_length_ = 1;
  Equaliser equaliser_;
  std::vector<State> states_;  ///< [images]
  std::vector<BrokenImage> skipped_;
};

}  // namespace pssc
