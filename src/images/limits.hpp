#pragma once

#include <pssc/core/error.hpp>
#include <pssc/images.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace pssc::images {

/// The longest side of an image: rows are held as floats.
inline std::uint64_t longest_side(const ImageLimits& limits) {
  return std::max<std::uint64_t>(65'535, limits.pixels / 100);
}

/// Throws Error(input) where an image of this size is no image or a decompression bomb: few bytes of a file can ask for
/// gigabytes of pixels. `where`, if given, ends in ": ".
inline void require_sane_size(std::uint64_t height, std::uint64_t width, const ImageLimits& limits,
                              const std::string& where = {}) {
  if (height == 0 || width == 0)
    throw input_error(fmt::format("{}images of {} x {} pixels have no pixels; give larger ones", where, height, width));
  if (width > limits.pixels / height || std::max(height, width) > longest_side(limits))  // the product may overflow
    throw input_error(
        fmt::format("{}an image of {} x {} pixels is over the limit of {} pixels, {} a side; reduce it, or raise the "
                    "limit with --max-pixels",
                    where, height, width, limits.pixels, longest_side(limits)));
}

/// The most that an image file may be long: more than any format needs for the pixels that are allowed.
inline std::uint64_t longest_image_file(const ImageLimits& limits) {
  constexpr std::uint64_t bytes_a_pixel = 8, room_for_all_else = std::uint64_t{64} << 20;
  return limits.pixels > (UINT64_MAX - room_for_all_else) / bytes_a_pixel
             ? UINT64_MAX
             : limits.pixels * bytes_a_pixel + room_for_all_else;
}

}  // namespace pssc::images
