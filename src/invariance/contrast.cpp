#include <pssc/invariance.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {

namespace {

// Chosen on 59 kinds of images (docs/method.md). The floor keeps the rounding of a blank image from becoming a texture.
constexpr float middle = 128, unit = 48, share_of_whole = 0.2F, floor_of_spread = 1;
constexpr std::size_t boxes = 2;

/// How far a window reaches: about a tenth of the canvas, 3 pixels at 32.
std::size_t reach_on(std::size_t size) {
  return std::max<std::size_t>(1, (3 * size + 16) / 32);
}

/// Of each row, the mean of those within `reach` above and below it; beyond the border they are mirrored.
void average_rows(std::size_t size, std::size_t reach, std::vector<float>& plane) {
  const std::vector<float> given = plane;
  const auto row = [&](std::size_t i) {  // counted from one period above the image, so that none is negative
    const std::size_t at = i % (2 * size);
    return given.data() + (at < size ? at : 2 * size - 1 - at) * size;
  };
  const std::size_t above = 2 * size * (1 + reach / size);
  std::vector<double> sum(size);
  const auto add = [&](const float* values, double sign) {
    for (std::size_t x = 0; x < size; ++x) sum[x] += sign * double{values[x]};
  };
  for (std::size_t i = above - reach; i <= above + reach; ++i) add(row(i), 1);
  for (std::size_t y = 0; y < size; ++y) {
    for (std::size_t x = 0; x < size; ++x)
      plane[y * size + x] = static_cast<float>(sum[x] / static_cast<double>(2 * reach + 1));
    add(row(above + y + reach + 1), 1);
    add(row(above + y - reach), -1);
  }
}

void transpose(std::size_t size, std::vector<float>& plane) {
  for (std::size_t y = 0; y < size; ++y)
    for (std::size_t x = 0; x < y; ++x) std::swap(plane[y * size + x], plane[x * size + y]);
}

/// The mean around each pixel, the near ones counting most: two boxes, one after the other.
void average_around(std::size_t size, std::vector<float>& plane) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    for (std::size_t box = 0; box < boxes; ++box) average_rows(size, reach_on(size), plane);
    transpose(size, plane);
  }
}

double mean_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += double{value};
  return sum / static_cast<double>(values.size());
}

}  // namespace

void even_contrast(const CanvasShape& shape, std::span<float> image) {
  const std::size_t plane = shape.size * shape.size;
  const auto mean = static_cast<float>(mean_of(image)), channels = static_cast<float>(shape.channels);
  std::vector<float> light(plane), square(plane);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const float value = image[i] -= mean;  // so that squares lose no digits
    light[i % plane] += value / channels;
    square[i % plane] += value * value / channels;
  }
  const auto spread = static_cast<float>(std::sqrt(mean_of(square)));
  average_around(shape.size, light);
  average_around(shape.size, square);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const float here = light[i % plane], around = std::sqrt(std::max(0.0F, square[i % plane] - here * here));
    const float even = (image[i] - here) / (around + share_of_whole * spread + floor_of_spread);
    image[i] = std::clamp(middle + unit * even, 0.0F, 255.0F);
  }
}

}  // namespace pssc
