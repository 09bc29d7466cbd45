#pragma once

#include <pssc/core/random.hpp>
#include <pssc/images.hpp>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pssc::test {

/// A data set by name, or nothing where it is not on this machine.
inline std::unique_ptr<ImageSet> open_if_there(const std::string& name) {
  for (const DatasetInfo& d : list_datasets())
    if (d.name == name && !d.path) return nullptr;
  return open_images(name, {});
}

/// Some images of another set, repeats allowed.
class Subset : public ImageSet {
 public:
  Subset(const ImageSet& all, std::vector<std::size_t> indices) : all_(all), indices_(std::move(indices)) {
    describe();
  }
  /// The first so many images of each class.
  Subset(const ImageSet& all, std::map<std::int32_t, std::size_t> wanted) : all_(all) {
    for (std::size_t i = 0; i < all.count(); ++i)
      if (auto found = wanted.find(all.labels()->values[i]); found != wanted.end() && found->second > 0) {
        --found->second;
        indices_.push_back(i);
      }
    describe();
  }
  std::size_t count() const override { return indices_.size(); }
  std::size_t channels() const override { return all_.channels(); }
  std::string id(std::size_t i) const override { return std::to_string(i); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    const std::size_t plane = channels() * size() * size();
    for (std::size_t i = begin; i < end; ++i)
      all_.read(indices_[i], indices_[i] + 1, pixels.subspan((i - begin) * plane, plane), broken);
  }

 private:
  void describe() {
    name_ = "subset";
    size_ = all_.size();
    labels_ = Labels{{}, all_.labels()->names};
    for (const std::size_t i : indices_) labels_->values.push_back(all_.labels()->values[i]);
  }
  const ImageSet& all_;
  std::vector<std::size_t> indices_;
};

/// Synthetic digits, each turned by an angle of its own; 6 and 9 are one class.
class TurnedDigits : public ImageSet {
 public:
  explicit TurnedDigits(std::size_t count) : digits_(open_images("synthetic:" + std::to_string(count), {})) {
    name_ = "turned digits";
    size_ = digits_->size();
    labels_ = *digits_->labels();
    for (std::int32_t& l : labels_->values) l = l == 9 ? 6 : l;
  }
  std::size_t count() const override { return digits_->count(); }
  std::size_t channels() const override { return 1; }
  std::string id(std::size_t i) const override { return std::to_string(i); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    const std::size_t plane = size() * size();
    std::vector<float> upright(plane);
    for (std::size_t i = begin; i < end; ++i) {
      digits_->read(i, i + 1, upright, broken);
      turn(Random(5, i).uniform(0, 6.283), upright, pixels.subspan((i - begin) * plane, plane));
    }
  }

 private:
  void turn(double angle, const std::vector<float>& from, std::span<float> to) const {
    const double middle = (static_cast<double>(size()) - 1) / 2;
    for (std::size_t k = 0; k < to.size(); ++k) {
      const double y = static_cast<double>(k / size()) - middle, x = static_cast<double>(k % size()) - middle;
      const double v = std::round(std::cos(angle) * y - std::sin(angle) * x + middle),
                   u = std::round(std::sin(angle) * y + std::cos(angle) * x + middle);
      const bool inside = v >= 0 && u >= 0 && v < static_cast<double>(size()) && u < static_cast<double>(size());
      to[k] = inside ? from[static_cast<std::size_t>(v) * size() + static_cast<std::size_t>(u)] : 0;
    }
  }
  std::unique_ptr<ImageSet> digits_;
};

/// Synthetic digits on a cloudy ground, some strong and some faint, in light that falls off to one side.
class UnevenlyLit : public ImageSet {
 public:
  explicit UnevenlyLit(std::size_t count) : digits_(open_images("synthetic:" + std::to_string(count), {})) {
    name_ = "unevenly lit";
    size_ = digits_->size();
    labels_ = digits_->labels();
  }
  std::size_t count() const override { return digits_->count(); }
  std::size_t channels() const override { return 1; }
  std::string id(std::size_t i) const override { return std::to_string(i); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    const std::size_t plane = size() * size();
    digits_->read(begin, end, pixels, broken);
    for (std::size_t i = begin; i < end; ++i) light(Random(6, i), pixels.subspan((i - begin) * plane, plane));
  }

 private:
  void light(Random random, std::span<float> image) const {
    const double gain = std::exp(random.uniform(-2, 0)), level = random.uniform(0, 255 * (1 - gain)),
                 angle = random.uniform(0, 6.283), cloud = random.uniform(0, 6.283), fall = random.uniform(0.3, 1);
    for (std::size_t k = 0; k < image.size(); ++k) {
      const double y = 2 * static_cast<double>(k / size()) / static_cast<double>(size()) - 1,
                   x = 2 * static_cast<double>(k % size()) / static_cast<double>(size()) - 1;
      const double along = std::cos(angle) * y + std::sin(angle) * x;
      const double ground = 30 * std::sin(3 * y + cloud) * std::cos(3 * x - cloud);
      image[k] = static_cast<float>((level + ground + gain * double{image[k]}) * std::exp(fall * (along - 1)));
    }
  }
  std::unique_ptr<ImageSet> digits_;
};

/// Synthetic digits, and at the end a few images of anything else, each of its own kind: gratings of a random
/// frequency, angle and contrast.
class DigitsAndStrays : public ImageSet {
 public:
  DigitsAndStrays(std::size_t digits, std::size_t strays)
      : digits_(open_images("synthetic:" + std::to_string(digits), {})), strays_(strays) {
    name_ = "digits and strays";
    size_ = digits_->size();
  }
  std::size_t count() const override { return digits_->count() + strays_; }
  std::size_t channels() const override { return 1; }
  std::string id(std::size_t i) const override { return std::to_string(i); }
  bool is_stray(std::size_t i) const { return i >= digits_->count(); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    const std::size_t plane = size() * size();
    for (std::size_t i = begin; i < end; ++i) {
      const auto image = pixels.subspan((i - begin) * plane, plane);
      if (!is_stray(i)) {
        digits_->read(i, i + 1, image, broken);
        continue;
      }
      Random random(99, i);
      const double angle = random.uniform(0, 3.14), frequency = random.uniform(0.2, 2.5),
                   contrast = random.uniform(60, 127);
      for (std::size_t k = 0; k < plane; ++k) {
        const double along =
            static_cast<double>(k / size()) * std::cos(angle) + static_cast<double>(k % size()) * std::sin(angle);
        image[k] = static_cast<float>(127 + contrast * std::sin(frequency * along));
      }
    }
  }

 private:
  std::unique_ptr<ImageSet> digits_;
  std::size_t strays_;
};

}  // namespace pssc::test
