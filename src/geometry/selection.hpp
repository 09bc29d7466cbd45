#pragma once

#include <pssc/images.hpp>

#include <string>
#include <vector>

namespace pssc::geometry {

/// Some images of a set, which must stay.
class Selection : public ImageSet {
 public:
  Selection(const ImageSet& all, std::vector<std::size_t> which) : all_(all), which_(std::move(which)) {
    name_ = all.name();
    size_ = all.size();
  }
  std::size_t count() const override { return which_.size(); }
  std::size_t channels() const override { return all_.channels(); }
  std::string id(std::size_t i) const override { return all_.id(which_[i]); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    const std::size_t image = channels() * size() * size();
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t before = broken.size();
      all_.read(which_[i], which_[i] + 1, pixels.subspan((i - begin) * image, image), broken);
      for (std::size_t b = before; b < broken.size(); ++b) broken[b].index = i;
    }
  }

 private:
  const ImageSet& all_;
  std::vector<std::size_t> which_;
};

}  // namespace pssc::geometry
