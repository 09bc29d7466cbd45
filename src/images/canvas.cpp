#include "canvas.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pssc::images {

namespace {

// [width, channels] -> [1 or 3, width]
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

}  // namespace

ImageShape fitted(ImageShape shape, std::size_t size) {
  const std::size_t longer = std::max(shape.height, shape.width);
  if (longer <= size) return shape;
  const auto reduced = [&](std::size_t side) {
    return std::max<std::size_t>(1, (side * size + longer / 2) / longer);  // to the nearest pixel
  };
  return {reduced(shape.height), reduced(shape.width), shape.channels};
}

void draw(ImageShape shape, const RowReader& row, Colour colour, std::size_t size, std::span<float> canvas) {
  std::ranges::fill(canvas, 0.0f);
  Rows rows(shape, row, colour);
  const ImageShape target = fitted(shape, size);
  if (target.height == shape.height && target.width == shape.width)
    place(rows, shape, Window(target, size, canvas));
  else
    reduce(rows, shape, target, Window(target, size, canvas));
}

}  // namespace pssc::images
