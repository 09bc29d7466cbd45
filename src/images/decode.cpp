#include "decode.hpp"

#include <pssc/core/error.hpp>

#include <algorithm>
#include <string_view>

namespace pssc::images {

namespace {

using Decoder = Picture (*)(std::span<const std::uint8_t>, const ImageLimits&);

Decoder decoder_of(std::span<const std::uint8_t> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), std::min<std::size_t>(file.size(), 16));
  if (text.starts_with("\x89PNG")) return decode_png;
  if (text.starts_with("\xff\xd8\xff")) return decode_jpeg;
  if (text.starts_with("RIFF") && text.size() >= 12 && text.substr(8, 4) == "WEBP") return decode_webp;
  for (const std::string_view magic : {std::string_view("II*\0", 4), std::string_view("MM\0*", 4),
                                       std::string_view("II+\0", 4), std::string_view("MM\0+", 4)})
    if (text.starts_with(magic)) return decode_tiff;
  // Two letters are little to go by: a text may begin so, but has no zero bytes, as every BMP header has.
  if (text.starts_with("BM") && text.find('\0') != text.npos) return decode_bmp;
  if (text.size() > 2 && text[0] == 'P' && text[1] >= '1' && text[1] <= '6' &&
      std::string_view(" \t\r\n#").find(text[2]) != std::string_view::npos)
    return decode_pnm;
  return nullptr;
}

}  // namespace

void Picture::read_row(std::size_t y, std::span<float> row) const {
  const float scale = 255.0f / static_cast<float>(maximum);
  const std::size_t begin = y * row.size();
  if (maximum > 255) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = scale * static_cast<float>(words[begin + i]);
  } else {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = scale * static_cast<float>(bytes[begin + i]);
  }
}

bool is_image(std::span<const std::uint8_t> head) {
  return decoder_of(head) != nullptr;
}

Picture decode(std::span<const std::uint8_t> file, const ImageLimits& limits) {
  if (file.empty()) throw input_error("the file is empty");
  const Decoder decoder = decoder_of(file);
  if (!decoder) throw input_error("it is not a PNG, JPEG, WebP, TIFF, BMP, PGM or PPM image");
  return decoder(file, limits);
}

}  // namespace pssc::images
