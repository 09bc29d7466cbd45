#pragma once

#include <pssc/pipeline.hpp>

#include <functional>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

namespace pssc {

/// Throws Error(input) where ranks do not see the same images.
void require_same_input(const Context& context, const ImageSet& images);

/// Where the zoom is automatic: 1, unless all of a few hundred images lie within the middle third of the canvas, as
/// images of 8 x 8 pixels do on one of 32; then so much that they fill three quarters of it.
void settle_zoom(Parameters& parameters, const ImageSet& images);

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
  /// How many rows a visitor sees at once, on the processor or on a device whose memory is not short.
  static constexpr std::size_t unit = 2048, device_unit = 32768;
  /// Lists are cut for ranks at multiples of this, so that a row's products have the same shape for any number of them.
  std::size_t unit_here() const { return context_.place() == Place::host ? unit : device_unit; }
  /// Reads the images of these numbers, which rise. The views are valid during the call only.
  void for_each_chunk(std::string_view stage, std::span<const std::size_t> which, const Visit& visit);
  /// The same for some of many: progress is told as `done` before these of `total`.
  void for_each_chunk(std::string_view stage, std::span<const std::size_t> which, std::size_t done, std::size_t total,
                      const Visit& visit);

  /// From now on rows come equalised, and averaged over the poses that are ignored.
  void equalise(Equaliser equaliser) {
    equaliser_ = std::move(equaliser);
    equalised_ = true;
  }
  bool averages() const { return poses(ignored_) > 1; }

  /// The pixels of those of these images that can be read, one after the other, enlarged and evened out as asked; and
  /// features of any such pixels.
  std::vector<float> pixels(std::span<const std::size_t> which);
  FloatMatrix features(std::span<const float> pixels) const;
  CanvasShape canvas() const { return {images_.size(), images_.channels()}; }
  const Equaliser& equaliser() const { return equaliser_; }

  /// What an earlier process has found out: these are broken, those could be read.
  void restore(const std::vector<BrokenImage>& broken, std::span<const std::size_t> read);
  /// Images that turned out to be broken so far, by number: on this rank, or of all ranks on the first (some of them
  /// elsewhere).
  std::vector<BrokenImage> skipped() const;
  std::vector<BrokenImage> all_skipped() const;
  /// Images [begin, end) but those that this rank has found broken.
  std::vector<std::size_t> kept(std::size_t begin, std::size_t end) const;
  std::vector<std::size_t> kept() const { return kept(0, images_.count()); }

 private:
  std::vector<std::size_t> compute(std::span<const std::size_t> which, std::span<const std::size_t> next,
                                   std::size_t block, MatrixView<float> rows);
  void features_of(std::span<const float> pixels, MatrixView<float> rows) const;
  void prepare(std::span<float> pixels) const;
  void describe(std::span<const float> pixels, MatrixView<float> rows) const;
  void note_broken(const std::vector<BrokenImage>& broken);

  const Context& context_;
  const ImageSet& images_;
  std::unique_ptr<Scattering> scattering_;  ///< none: the features are the pixels
  std::size_t pixels_ = 0, dimension_ = 0, path_length_ = 1;
  std::size_t zoom_ = 1;
  Contrast contrast_ = Contrast::none;
  Ignored ignored_;
  Equaliser equaliser_;
  bool equalised_ = false;
  void remember(std::size_t image);

  std::unordered_set<std::size_t> read_, broken_;  ///< of the images that were read first, and of all
  std::vector<BrokenImage> skipped_;
};

}  // namespace pssc
