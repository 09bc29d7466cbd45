#pragma once

#include <pssc/core/context.hpp>
#include <pssc/images.hpp>
#include <pssc/invariance.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pssc::report {

/// Small pictures of images, tile by tile on WebP sheets.
struct Thumbnails {
  static constexpr std::size_t columns = 64, rows = 64;
  std::size_t size = 0;  ///< of a tile, in pixels
  std::vector<std::vector<std::uint8_t>> sheets;
};

/// Canvases, reduced to tiles of one WebP.
class Sheet {
 public:
  Sheet(const CanvasShape& shape, std::size_t tiles, std::size_t columns, std::size_t size);
  /// `pixels` are planes from 0 to 255; a tile that is never drawn stays black.
  void draw(std::size_t tile, std::span<const float> pixels);
  std::vector<std::uint8_t> encode(float quality = 60) const;

 private:
  std::size_t canvas_, channels_, size_, columns_, rows_;
  std::vector<std::uint8_t> values_;  ///< channels interleaved
};

/// Tiles of the named images, in that order, at the largest size at which they take no more than `most` bytes; the
/// smallest there is may take more.
Thumbnails make_thumbnails(const Context& context, const ImageSet& images, std::span<const std::size_t> which,
                           std::size_t most);

}  // namespace pssc::report
