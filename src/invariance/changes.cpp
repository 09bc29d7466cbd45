// The family of small changes. The sizes were tried by halving and doubling on fourteen data sets (docs/method.md):
// small enough that an image stays what it is, large enough to stand out of the rounding of a pixel.
#include <pssc/invariance.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

namespace pssc {

namespace {

constexpr double angle = 0.12, factor = 1.08, slant = 0.12, own_share = 0.6, dimmer = 0.8, brighter = 1.2, veil = 0.1;
constexpr std::size_t rotations = 8;

/// Where a pixel (y, x), relative to the middle, comes from: (a y + b x + down, c y + d x + right).
struct Affine {
  double a = 1, b = 0, c = 0, d = 1, down = 0, right = 0;
};

/// One plane [size x size], bilinear, borders replicated.
void resample(const Affine& from, std::size_t size, const float* plane, float* result) {
  const double middle = (static_cast<double>(size) - 1) / 2, last = static_cast<double>(size) - 1;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      const double y = static_cast<double>(i) - middle, x = static_cast<double>(j) - middle;
      const double v = std::clamp(from.a * y + from.b * x + from.down + middle, 0.0, last);
      const double u = std::clamp(from.c * y + from.d * x + from.right + middle, 0.0, last);
      const auto top = static_cast<std::size_t>(v), left = static_cast<std::size_t>(u);
      const std::size_t bottom = std::min(top + 1, size - 1), right = std::min(left + 1, size - 1);
      const auto dy = static_cast<float>(v - static_cast<double>(top));
      const auto dx = static_cast<float>(u - static_cast<double>(left));
      const auto at = [&](std::size_t r, std::size_t c) { return plane[r * size + c]; };
      result[i * size + j] = (1 - dy) * ((1 - dx) * at(top, left) + dx * at(top, right)) +
                             dy * ((1 - dx) * at(bottom, left) + dx * at(bottom, right));
    }
}

Affine geometric(Change change, std::size_t variant, std::size_t size) {
  const double sign = variant % 2 == 0 ? 1 : -1;
  switch (change) {
    case Change::shift: {
      const double step = sign * static_cast<double>(size) / 32;
      return variant < 2 ? Affine{.down = step} : Affine{.right = step};
    }
    case Change::tilt: {
      const double c = std::cos(angle), s = sign * std::sin(angle);
      return {.a = c, .b = -s, .c = s, .d = c};
    }
    case Change::scale: {
      const double f = variant == 0 ? factor : 1 / factor;
      return {.a = f, .d = f};
    }
    case Change::stretch: {
      const double f = variant == 0 ? factor : 1 / factor;
      return {.a = f, .d = 1 / f};
    }
    default:  // shear
      return variant < 2 ? Affine{.b = sign * slant} : Affine{.c = sign * slant};
  }
}

/// The largest (or smallest) of the pixels within `reach` rows and columns, one axis after the other.
void local_extreme(bool largest, std::size_t reach, std::size_t size, const float* plane, float* result) {
  const auto pick = [&](float p, float q) { return largest ? std::max(p, q) : std::min(p, q); };
  std::vector<float> rows(size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      float value = plane[i * size + j];
      for (std::size_t k = j - std::min(j, reach); k <= std::min(size - 1, j + reach); ++k)
        value = pick(value, plane[i * size + k]);
      rows[i * size + j] = value;
    }
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      float value = rows[i * size + j];
      for (std::size_t k = i - std::min(i, reach); k <= std::min(size - 1, i + reach); ++k)
        value = pick(value, rows[k * size + j]);
      result[i * size + j] = value;
    }
}

void thicken(bool thicker, std::size_t size, const float* plane, float* result) {
  const std::size_t reach = std::max<std::size_t>(1, (size + 16) / 32);  // one pixel at 32
  // On a canvas below 32 a pixel is much of the image, and less of it is taken.
  const double share = (1 - own_share) * std::min(1.0, static_cast<double>(size) / 32);
  local_extreme(thicker, reach, size, plane, result);
  for (std::size_t i = 0; i < size * size; ++i)
    result[i] = static_cast<float>((1 - share) * double{plane[i]} + share * double{result[i]});
}

/// An even veil, or one that rises down or to the right, in units of the image's own range.
void lay_veil(std::size_t variant, std::size_t size, std::span<const float> image, std::span<float> changed) {
  const auto [least, most] = std::ranges::minmax_element(image);
  const float height = static_cast<float>(veil) * (*most - *least);
  const float last = static_cast<float>(std::max<std::size_t>(1, size - 1));
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::size_t row = i / size % size, col = i % size;
    const float share = variant == 0 ? 1.0F : static_cast<float>(variant == 1 ? row : col) / last;
    changed[i] = image[i] + height * share;
  }
}

}  // namespace

std::size_t variants(Change change) {
  switch (change) {
    case Change::shift:
    case Change::shear:
      return 4;
    case Change::colour:
      return 6;
    case Change::background:
      return 3;
    default:
      return 2;
  }
}

void apply_change(Change change, std::size_t variant, const CanvasShape& shape, std::span<const float> image,
                  std::span<float> changed) {
  const std::size_t plane = shape.size * shape.size;
  const auto each_plane = [&](auto&& body) {
    for (std::size_t c = 0; c < shape.channels; ++c) body(image.data() + c * plane, changed.data() + c * plane);
  };
  const auto times = [](double by) { return [by](float v) { return static_cast<float>(by * double{v}); }; };
  switch (change) {
    case Change::thickness:
      return each_plane([&](const float* from, float* to) { thicken(variant == 0, shape.size, from, to); });
    case Change::gain:
      std::ranges::transform(image, changed.begin(), times(variant == 0 ? dimmer : brighter));
      return;
    case Change::colour:
      std::ranges::copy(image, changed.begin());
      if (shape.channels == 3)
        std::ranges::transform(image.subspan(variant / 2 * plane, plane),
                               changed.begin() + static_cast<std::ptrdiff_t>(variant / 2 * plane),
                               times(variant % 2 == 0 ? dimmer : brighter));
      return;
    case Change::background:
      return lay_veil(variant, shape.size, image, changed);
    default: {
      const Affine from = geometric(change, variant, shape.size);
      return each_plane([&](const float* in, float* out) { resample(from, shape.size, in, out); });
    }
  }
}

void enlarge_middle(std::size_t by, const CanvasShape& shape, std::span<const float> image, std::span<float> enlarged) {
  const double step = 1 / static_cast<double>(by);
  const std::size_t plane = shape.size * shape.size;
  for (std::size_t c = 0; c < shape.channels; ++c)
    resample({.a = step, .d = step}, shape.size, image.data() + c * plane, enlarged.data() + c * plane);
}

std::size_t poses(const Ignored& ignored) {
  return (ignored.rotate ? rotations : 1) * (ignored.flip ? 2 : 1);
}

void apply_pose(const Ignored& ignored, std::size_t pose, const CanvasShape& shape, std::span<const float> image,
                std::span<float> turned) {
  const std::size_t turns = ignored.rotate ? rotations : 1;
  const double turn = 2 * std::numbers::pi * static_cast<double>(pose % turns) / static_cast<double>(turns);
  const double mirror = pose / turns == 0 ? 1 : -1;
  const Affine from{
      .a = std::cos(turn), .b = -mirror * std::sin(turn), .c = std::sin(turn), .d = mirror * std::cos(turn)};
  const std::size_t plane = shape.size * shape.size;
  for (std::size_t c = 0; c < shape.channels; ++c)
    resample(from, shape.size, image.data() + c * plane, turned.data() + c * plane);
}

}  // namespace pssc
