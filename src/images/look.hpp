#pragma once

#include "canvas.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pssc::images {

/// What a few images of a set show before any is read: whether they have colours, whether they are larger than the
/// canvas, and whether those that are smaller are on black.
class Look {
 public:
  explicit Look(std::size_t size) : size_(size) {}

  /// Numbers of images to look at, spread evenly over all.
  static std::vector<std::size_t> at_some_of(std::size_t count);

  /// Whether an image of this shape can show more than its shape; large arrays need not be read for nothing.
  bool wants(ImageShape shape) const;
  void at(ImageShape shape, const RowReader& row);
  /// An image of which the size alone is known: larger than the canvas, or not.
  void at_size(bool larger) { ++looked_at_, larger_ += larger; }

  bool coloured() const { return coloured_; }
  bool larger() const { return 2 * larger_ > looked_at_; }  ///< most are
  /// Black, or none: the canvas is black beside an image, which is an edge unless the image's own ground is black.
  Frame frame() const;

 private:
  bool smaller(ImageShape shape) const { return std::max(shape.height, shape.width) < size_; }
  bool larger(ImageShape shape) const { return std::max(shape.height, shape.width) > size_; }

  std::size_t size_;
  bool coloured_ = false;
  std::size_t looked_at_ = 0, larger_ = 0;
  std::size_t border_ = 0, black_ = 0;  ///< pixels along the borders of the smaller images, and the black among them
};

}  // namespace pssc::images
