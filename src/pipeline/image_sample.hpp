#pragma once

#include <pssc/images.hpp>

#include <span>
#include <vector>

namespace pssc {

/// Some images of a set, read once and held as they are on its canvas, as a set of their own. Broken ones are left out.
class ImageSample : public ImageSet {
 public:
  ImageSample(const Context& context, const ImageSet& images, std::span<const std::size_t> which);

  std::size_t count() const override { return numbers_.size(); }
  std::size_t channels() const override { return channels_; }
  std::string id(std::size_t index) const override { return ids_[index]; }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels, std::vector<BrokenImage>&) const override;

  /// [count]: which image of the set each is.
  const std::vector<std::size_t>& numbers() const { return numbers_; }

 private:
  std::size_t channels_;
  std::vector<std::size_t> numbers_;
  std::vector<std::string> ids_;
  std::vector<float> pixels_;
};

}  // namespace pssc
