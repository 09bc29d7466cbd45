#include "thumbnails.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/report.hpp>

#include <webp/encode.h>

#include <algorithm>
#include <numeric>

namespace pssc::report {

namespace {

constexpr std::size_t tiles_a_sheet = Thumbnails::columns * Thumbnails::rows;

/// The mean over the pixels that fall onto a tile's pixel.
float reduced(std::span<const float> plane, std::size_t canvas, std::size_t size, std::size_t y, std::size_t x) {
  const std::size_t top = y * canvas / size, bottom = std::max(top + 1, (y + 1) * canvas / size);
  const std::size_t left = x * canvas / size, right = std::max(left + 1, (x + 1) * canvas / size);
  float sum = 0;
  for (std::size_t r = top; r < bottom; ++r)
    for (std::size_t c = left; c < right; ++c) sum += plane[r * canvas + c];
  return sum / static_cast<float>((bottom - top) * (right - left));
}

void draw_tile(std::span<const float> pixels, const ImageSet& images, std::size_t size, std::uint8_t* corner,
               std::size_t stride) {
  const std::size_t canvas = images.size(), plane = canvas * canvas;
  for (std::size_t y = 0; y < size; ++y)
    for (std::size_t x = 0; x < size; ++x)
      for (std::size_t colour = 0; colour < 3; ++colour) {
        const std::size_t channel = images.channels() == 3 ? colour : 0;
        const float v = reduced(pixels.subspan(channel * plane, plane), canvas, size, y, x);
        corner[y * stride + 3 * x + colour] = static_cast<std::uint8_t>(std::clamp(v, 0.0F, 255.0F) + 0.5F);
      }
}

std::vector<std::uint8_t> encode(const std::vector<std::uint8_t>& picture, std::size_t width, std::size_t height) {
  constexpr float quality = 60;
  WebPConfig config;
  WebPPicture webp;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&webp)) throw Error(ErrorKind::failed, "libwebp does not fit");
  config.quality = quality;
  config.method = 2;  // of 0 to 6; above this, slower for a few per cent
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  webp.width = static_cast<int>(width);
  webp.height = static_cast<int>(height);
  webp.writer = WebPMemoryWrite;
  webp.custom_ptr = &writer;
  const bool done =
      WebPPictureImportRGB(&webp, picture.data(), static_cast<int>(3 * width)) && WebPEncode(&config, &webp);
  std::vector<std::uint8_t> bytes(writer.mem, writer.mem + writer.size);
  WebPPictureFree(&webp);
  WebPMemoryWriterClear(&writer);
  if (!done) throw Error(ErrorKind::failed, "cannot encode the report's thumbnails");
  return bytes;
}

}  // namespace

Thumbnails make_thumbnails(const Context& context, const ImageSet& images, std::span<const std::size_t> which,
                           std::size_t most) {
  Thumbnails result;
  const std::size_t sheets = (which.size() + tiles_a_sheet - 1) / tiles_a_sheet;
  const auto part = [&](std::size_t s) {
    return which.subspan(s * tiles_a_sheet, std::min(tiles_a_sheet, which.size() - s * tiles_a_sheet));
  };
  const auto make_sheet = [&](std::span<const std::size_t> some) {
    return thumbnail_sheet(images, some, Thumbnails::columns, result.size);
  };
  for (const std::size_t size : {48, 32, 28, 24, 20, 16}) {  // the first sheet tells what the others will take
    result.size = std::min<std::size_t>(size, images.size());
    if (sheets == 0) return result;
    if (size > images.size() && size != 16) continue;
    if (make_sheet(part(0)).size() * which.size() / part(0).size() <= most) break;
  }
  result.sheets.resize(sheets);
  parallel_blocks(context, "report", sheets, 1,
                  [&](std::size_t s, std::size_t) { result.sheets[s] = make_sheet(part(s)); });
  return result;
}

}  // namespace pssc::report

namespace pssc {

std::vector<std::uint8_t> thumbnail_sheet(const ImageSet& images, std::span<const std::size_t> which,
                                          std::size_t columns, std::size_t size) {
  const std::size_t width = columns * size, height = (which.size() + columns - 1) / columns * size;
  std::vector<std::uint8_t> picture(3 * width * height);
  std::vector<float> pixels(images.channels() * images.size() * images.size());
  std::vector<BrokenImage> broken;
  for (std::size_t t = 0; t < which.size(); ++t) {
    images.read(which[t], which[t] + 1, pixels, broken);
    report::draw_tile(pixels, images, size, picture.data() + 3 * (t / columns * size * width + t % columns * size),
                      3 * width);
  }
  return report::encode(picture, width, height);
}

}  // namespace pssc
