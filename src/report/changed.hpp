#pragma once

#include <pssc/images.hpp>
#include <pssc/pipeline.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pssc::report {

/// Images with each small change applied that the run ignored, as tiles of one WebP: a row per image, which begins with
/// the image itself.
struct ChangedPictures {
  struct Column {
    Change change;
    std::size_t variant;
  };
  std::size_t size = 0;         ///< of a tile, in pixels
  std::vector<Column> columns;  ///< behind the image itself
  std::vector<std::uint8_t> sheet;
};

/// Of the input's images with these numbers.
ChangedPictures changed_pictures(const Run& run, const ImageSet& images, std::span<const std::size_t> numbers);

}  // namespace pssc::report
