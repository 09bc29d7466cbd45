#include "split.hpp"

#include <pssc/pipeline.hpp>

namespace pssc::explorer {

namespace {

/// Some of the images of a set.
class SomeImages : public ImageSet {
 public:
  SomeImages(const ImageSet& all, const std::vector<std::size_t>& numbers) : all_(all), numbers_(numbers) {
    name_ = all.name();
    size_ = all.size();
  }
  std::size_t count() const override { return numbers_.size(); }
  std::size_t channels() const override { return all_.channels(); }
  std::string id(std::size_t index) const override { return all_.id(numbers_[index]); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    const std::size_t canvas = channels() * size_ * size_;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t before = broken.size();
      all_.read(numbers_[i], numbers_[i] + 1, pixels.subspan((i - begin) * canvas, canvas), broken);
      if (broken.size() > before) broken.back().index = i;
    }
  }

 private:
  const ImageSet& all_;
  const std::vector<std::size_t>& numbers_;
};

}  // namespace

std::vector<std::vector<std::size_t>> split_images(const Context& context, const ImageSet& images,
                                                   const std::vector<std::size_t>& numbers, std::size_t parts) {
  Parameters parameters = preset("tuned");
  parameters.clusters = parts;
  const pssc::Run run = cluster(context, parameters, SomeImages(images, numbers));
  std::vector<std::vector<std::size_t>> positions(run.clustering.clusters);
  for (std::size_t i = 0; i < run.count; ++i)
    if (const Label label = run.clustering.labels[i]; label >= 0)
      positions[static_cast<std::size_t>(label)].push_back(run.numbers[i]);
  return positions;
}

}  // namespace pssc::explorer
