#pragma once

#include <pssc/core/context.hpp>
#include <pssc/images.hpp>

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

/// Tiles of the named images, in that order, at the largest size at which they take no more than `most` bytes; the
/// smallest there is may take more.
Thumbnails make_thumbnails(const Context& context, const ImageSet& images, std::span<const std::size_t> which,
                           std::size_t most);

}  // namespace pssc::report
