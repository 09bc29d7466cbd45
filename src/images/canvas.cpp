#include "canvas.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pssc::images {

namespace {

/// Hands `in` pixels out to `cells` <= `in` cells of equal length. Every pixel is `cells` units long and every cell
/// `in` units, so that all overlaps are whole numbers and a cell's weights sum to exactly `in`.
class AreaSplit {
 public:
  AreaSplit(std::size_t in, std::size_t cells) : in_(in), cells_(cells), room_(in) {}

  /// Calls add(cell, units) for the one or two cells that the next pixel overlaps.
  template <class Add>
  void next(Add&& add) {
    const std::size_t here = std::min(cells_, room_);
    add(cell_, static_cast<double>(here));
    room_ -= here;
    if (room_ > 0) return;
    ++cell_;
    room_ = in_;
    if (here == cells_) return;
    add(cell_, static_cast<double>(cells_ - here));
    room_ -= cells_ - here;
  }

 private:
  std::size_t in_, cells_, room_, cell_ = 0;
};

void reduce_row(std::span<const float> row, std::span<double> cells) {
  std::ranges::fill(cells, 0.0);
  AreaSplit split(row.size(), cells.size());
  for (const float value : row)
    split.next([&](std::size_t cell, double units) { cells[cell] += units * static_cast<double>(value); });
}

/// The rows of an image, each as 1 or 3 planes.
class Rows {
 public:
  Rows(ImageShape shape, const RowReader& reader, Colour colour)
      : shape_(shape),
        reader_(reader),
        colour_(colour),
        pixels_(shape.width * shape.channels),
        planes_(shape.width * channels_of(colour)) {}

  std::size_t planes() const { return channels_of(colour_); }
  void read(std::size_t y) {
    reader_(y, pixels_);
    to_planes(pixels_, shape_.channels, colour_, planes_);
  }
  std::span<const float> plane(std::size_t c) const {
    return std::span(planes_).subspan(c * shape_.width, shape_.width);
  }

 private:
  ImageShape shape_;
  const RowReader& reader_;
  Colour colour_;
  std::vector<float> pixels_, planes_;
};

/// The part of a canvas [planes, size, size] that the image covers: its middle, half a pixel up and left where the
/// margins are uneven.
class Window {
 public:
  Window(ImageShape covered, std::size_t size, std::span<float> canvas)
      : size_(size), top_((size - covered.height) / 2), left_((size - covered.width) / 2), canvas_(canvas) {}
  float* row(std::size_t c, std::size_t y) const { return canvas_.data() + (c * size_ + top_ + y) * size_ + left_; }

 private:
  std::size_t size_, top_, left_;
  std::span<float> canvas_;
};

void place(Rows& rows, ImageShape shape, const Window& window) {
  for (std::size_t y = 0; y < shape.height; ++y) {
    rows.read(y);
    for (std::size_t c = 0; c < rows.planes(); ++c) std::ranges::copy(rows.plane(c), window.row(c, y));
  }
}

void reduce(Rows& rows, ImageShape shape, ImageShape target, const Window& window) {
  const std::size_t height = target.height, width = target.width;  // no structured binding: clang 14 cannot capture one
  std::vector<double> sums(rows.planes() * height * width);
  std::vector<double> cells(rows.planes() * width);
  const auto cells_of = [&](std::size_t c) { return std::span(cells).subspan(c * width, width); };
  AreaSplit split(shape.height, height);
  for (std::size_t y = 0; y < shape.height; ++y) {
    rows.read(y);
    for (std::size_t c = 0; c < rows.planes(); ++c) reduce_row(rows.plane(c), cells_of(c));
    split.next([&](std::size_t cell, double units) {
      for (std::size_t c = 0; c < rows.planes(); ++c)
        for (std::size_t x = 0; x < width; ++x) sums[(c * height + cell) * width + x] += units * cells_of(c)[x];
    });
  }
  const double area = static_cast<double>(shape.height) * static_cast<double>(shape.width);
  for (std::size_t c = 0; c < rows.planes(); ++c)
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x)
        window.row(c, y)[x] = static_cast<float>(sums[(c * height + y) * width + x] / area);
}

/// Where the middle of target pixel `at` lies among `from` pixels: the two beside it, and the share of the second.
struct Between {
  Between(std::size_t at, std::size_t to, std::size_t from) {
    const double place = (static_cast<double>(at) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
    const double inside = std::clamp(place, 0.0, static_cast<double>(from) - 1);
    one = static_cast<std::size_t>(inside);
    other = std::min(one + 1, from - 1);
    share = static_cast<float>(inside - static_cast<double>(one));
  }
  float of(float a, float b) const { return (1 - share) * a + share * b; }

  std::size_t one = 0, other = 0;
  float share = 0;
};

void enlarge(Rows& rows, ImageShape shape, ImageShape target, const Window& window) {
  std::vector<float> given(rows.planes() * shape.height * shape.width);
  const auto row = [&](std::size_t c, std::size_t y) { return given.data() + (c * shape.height + y) * shape.width; };
  for (std::size_t y = 0; y < shape.height; ++y) {
    rows.read(y);
    for (std::size_t c = 0; c < rows.planes(); ++c) std::ranges::copy(rows.plane(c), row(c, y));
  }
  for (std::size_t y = 0; y < target.height; ++y) {
    const Between down(y, target.height, shape.height);
    for (std::size_t x = 0; x < target.width; ++x) {
      const Between right(x, target.width, shape.width);
      for (std::size_t c = 0; c < rows.planes(); ++c) {
        const float *above = row(c, down.one), *below = row(c, down.other);
        window.row(c, y)[x] =
            down.of(right.of(above[right.one], above[right.other]), right.of(below[right.one], below[right.other]));
      }
    }
  }
}

}  // namespace

void to_planes(std::span<const float> pixels, std::size_t channels, Colour colour, std::span<float> planes) {
  const bool alpha = channels == 2 || channels == 4;
  const std::size_t width = pixels.size() / channels;
  for (std::size_t x = 0; x < width; ++x) {
    const float* p = pixels.data() + x * channels;
    const float opacity = alpha ? p[channels - 1] / 255.0f : 1.0f;
    if (colour == Colour::channels) {
      for (std::size_t c = 0; c < 3; ++c) planes[c * width + x] = opacity * p[channels < 3 ? 0 : c];
    } else {
      planes[x] = opacity * (channels < 3 ? p[0] : 0.299f * p[0] + 0.587f * p[1] + 0.114f * p[2]);
    }
  }
}

ImageShape fitted(ImageShape shape, std::size_t size, Frame frame) {
  const std::size_t longer = std::max(shape.height, shape.width);
  if (longer == size || (longer < size && frame != Frame::none)) return shape;
  const auto side_of = [&](std::size_t side) {
    return std::max<std::size_t>(1, (side * size + longer / 2) / longer);  // to the nearest pixel
  };
  return {side_of(shape.height), side_of(shape.width), shape.channels};
}

void draw(ImageShape shape, const RowReader& row, Colour colour, Frame frame, std::size_t size,
          std::span<float> canvas) {
  std::ranges::fill(canvas, 0.0f);
  Rows rows(shape, row, colour);
  const ImageShape target = fitted(shape, size, frame);
  const Window window(target, size, canvas);
  const std::size_t before = std::max(shape.height, shape.width), after = std::max(target.height, target.width);
  if (after == before)
    place(rows, shape, window);
  else if (after < before)
    reduce(rows, shape, target, window);
  else
    enlarge(rows, shape, target, window);
}

}  // namespace pssc::images
