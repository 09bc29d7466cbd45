#include "image_sample.hpp"

#include <pssc/core/parallel.hpp>

#include <algorithm>
#include <mutex>
#include <set>

namespace pssc {

ImageSample::ImageSample(const Context& context, const ImageSet& images, std::span<const std::size_t> which)
    : channels_(images.channels()) {
  name_ = images.name();
  size_ = images.size();
  frame_ = images.frame();
  coloured_ = images.coloured();
  larger_ = images.larger();
  limits_ = images.limits();
  const std::size_t numbers = channels_ * size_ * size_;
  pixels_.resize(which.size() * numbers);
  std::vector<BrokenImage> broken;
  std::mutex mutex;
  parallel_blocks(context, "reading a sample", which.size(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<BrokenImage> broken_here;
    for (std::size_t i = begin; i < end; ++i)
      images.read(which[i], which[i] + 1, std::span(pixels_).subspan(i * numbers, numbers), broken_here);
    const std::lock_guard lock(mutex);
    broken.insert(broken.end(), broken_here.begin(), broken_here.end());
  });
  std::set<std::size_t> absent;
  for (const BrokenImage& b : broken) absent.insert(b.index);
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (absent.contains(which[i])) continue;
    if (const std::size_t at = numbers_.size(); at != i)
      std::copy_n(pixels_.begin() + static_cast<std::ptrdiff_t>(i * numbers), numbers,
                  pixels_.begin() + static_cast<std::ptrdiff_t>(at * numbers));
    numbers_.push_back(which[i]);
    ids_.push_back(images.id(which[i]));
  }
  pixels_.resize(numbers_.size() * numbers);
  if (!images.labels()) return;
  Labels& truth = labels_.emplace(Labels{{}, images.labels()->names});
  for (const std::size_t i : numbers_) truth.values.push_back(images.labels()->values[i]);
}

void ImageSample::read(std::size_t begin, std::size_t end, std::span<float> pixels, std::vector<BrokenImage>&) const {
  const std::size_t numbers = channels_ * size_ * size_;
  std::copy_n(pixels_.begin() + static_cast<std::ptrdiff_t>(begin * numbers), (end - begin) * numbers, pixels.begin());
}

}  // namespace pssc
