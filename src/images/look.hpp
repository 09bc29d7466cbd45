#pragma once

#include "canvas.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pssc::images {

/// What a few images of a set show before any is read: whether they have colours, and whether those that are smaller
/// than the canvas are on black.
class Look {
 public:
  explicit Look(std::size_t size) : size_(size) {}

  /// Numbers of images to look at, spread evenly over all.
  static std::vector<std::size_t> at_some_of(std::size_t count);

  /// Whether an image of this shape can show anything more; large arrays need not be read for nothing.
  bool wants(ImageShape shape) const;
  void at(ImageShape shape, const RowReader& row);

  bool coloured() const { return coloured_; }
  /// Black, or none: the canvas is black beside an image, which is an edge unless the image's own ground is black.
  Frame frame() const;

 private:
  bool smaller(ImageShape shape) const { return std::max(shape.height, shape.width) < size_; }

  std::size_t size_;
  bool coloured_ = false;
  std::size_t border_ = 0, black_ = 0;  ///< pixels along the borders of the smaller images, and the black among them
};

}  // namespace pssc::images
