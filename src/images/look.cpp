#include "look.hpp"

#include <algorithm>

namespace pssc::images {

namespace {

bool has_colour(std::span<const float> row, std::size_t channels) {
  for (std::size_t at = 0; at + 2 < row.size(); at += channels)
    if (row[at] != row[at + 1] || row[at] != row[at + 2]) return true;
  return false;
}

}  // namespace

std::vector<std::size_t> Look::at_some_of(std::size_t count) {
  constexpr std::size_t most = 64;
  const std::size_t some = std::min(most, count);
  std::vector<std::size_t> numbers(some);
  for (std::size_t k = 0; k < some; ++k) numbers[k] = k * count / some;
  return numbers;
}

bool Look::wants(ImageShape shape) const {
  return smaller(shape) || (!coloured_ && shape.channels >= 3);
}

void Look::at(ImageShape shape, const RowReader& row) {
  at_size(larger(shape));
  if (!wants(shape)) return;
  std::vector<float> pixels(shape.width * shape.channels), grey(shape.width);
  for (std::size_t y = 0; y < shape.height; ++y) {
    row(y, pixels);
    coloured_ = coloured_ || (shape.channels >= 3 && has_colour(pixels, shape.channels));
    if (!smaller(shape)) continue;
    to_planes(pixels, shape.channels, Colour::grey, grey);
    const bool all = y == 0 || y + 1 == shape.height;
    for (std::size_t x = 0; x < shape.width; ++x)
      if (all || x == 0 || x + 1 == shape.width) {
        ++border_;
        black_ += grey[x] == 0;
      }
  }
}

Frame Look::frame() const {
  // Of 30 sets on black, large letters have the least of it along their borders, .44; of photos even very dark ones
  // have less than .15 (docs/method.md).
  constexpr std::size_t part = 4;
  return part * black_ >= border_ ? Frame::black : Frame::none;
}

}  // namespace pssc::images
