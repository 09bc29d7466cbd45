#pragma once

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace pssc::images {

inline constexpr std::uint64_t max_megapixels = 100;
inline constexpr std::uint64_t max_side = 1'000'000;

/// Throws Error(input) where an image of this size is no image or a decompression bomb: few bytes of a file can ask for
/// gigabytes of pixels. `where`, if given, ends in ": ".
inline void require_sane_size(std::uint64_t height, std::uint64_t width, const std::string& where = {}) {
  if (height == 0 || width == 0)
    throw input_error(fmt::format("{}images of {} x {} pixels have no pixels; give larger ones", where, height, width));
  if (height > max_side || width > max_side || height * width > max_megapixels * 1'000'000)
    throw input_error(fmt::format("{}an image of {} x {} pixels is over the limit of {} megapixels; reduce it first",
                                  where, height, width, max_megapixels));
}

}  // namespace pssc::images
