#pragma once

#include "canvas.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pssc::images {

/// A decoded image [height, width, channels]: samples 0..maximum, in `bytes` where maximum <= 255, else in `words`.
struct Picture {
  ImageShape shape;
  unsigned maximum = 255;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint16_t> words;

  /// Row `y` as levels 0..255, [width, channels].
  void read_row(std::size_t y, std::span<float> row) const;
};

/// Whether a file that begins so is an image of a known format.
bool is_image(std::span<const std::uint8_t> head);

/// Decodes a PNG, JPEG, WebP, TIFF (first page), BMP, PGM or PPM file, told by its first bytes. Throws Error(input)
/// with the reason, and no file name, where it is truncated, damaged, of no known format or over the limit of size.
Picture decode(std::span<const std::uint8_t> file, const ImageLimits& limits = {});

Picture decode_png(std::span<const std::uint8_t> file, const ImageLimits& limits);
Picture decode_jpeg(std::span<const std::uint8_t> file, const ImageLimits& limits);
Picture decode_webp(std::span<const std::uint8_t> file, const ImageLimits& limits);
Picture decode_tiff(std::span<const std::uint8_t> file, const ImageLimits& limits);
Picture decode_bmp(std::span<const std::uint8_t> file, const ImageLimits& limits);
Picture decode_pnm(std::span<const std::uint8_t> file, const ImageLimits& limits);

}  // namespace pssc::images
