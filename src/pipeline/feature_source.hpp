#pragma once

#include <pssc/pipeline.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace pssc {

/// The features of all images, a chunk of rows at a time, in order. Kept in memory where they take no more than half of
/// what the context allows, computed anew on every pass otherwise. Broken images are found on the first pass and leave
/// no row.
class FeatureSource {
 public:
  FeatureSource(const Context& context, const Parameters& parameters, const ImageSet& images);

  std::size_t dimension() const { return dimension_; }
  std::size_t path_length() const { return path_length_; }
  std::vector<std::size_t> row_shape() const;

  /// One pass. The view is valid during the call only.
  void for_each_chunk(std::string_view stage, const std::function<void(MatrixView<float>)>& visit);
  /// From now on rows come equalised.
  void equalise(Equaliser equaliser);

  // After the first pass:
  std::size_t count() const { return images_.count() - skipped_.size(); }
  const std::vector<BrokenImage>& skipped() const { return skipped_; }
  std::vector<std::size_t> kept() const;

 private:
  std::size_t compute(std::size_t begin, std::size_t end, MatrixView<float> rows);
  std::size_t drop_broken(std::size_t begin, std::size_t end, const std::vector<BrokenImage>& broken,
                          MatrixView<float> rows) const;
  void features_of(std::span<const float> pixels, MatrixView<float> rows) const;

  const Context& context_;
  const ImageSet& images_;
  std::unique_ptr<Scattering> scattering_;  ///< none: the features are the pixels
  std::size_t pixels_ = 0, dimension_ = 0, path_length_ = 1;
  Equaliser equaliser_;
  bool first_pass_ = true;
  std::vector<BrokenImage> skipped_;
  FloatMatrix all_;  ///< empty where features are not kept
};

}  // namespace pssc
