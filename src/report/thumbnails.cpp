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

/// The pixels of a canvas that fall onto each pixel of a tile, along one side: [begin, end).
struct Reduction {
  std::size_t canvas, size;
  std::size_t begin(std::size_t i) const { return i * canvas / size; }
  std::size_t end(std::size_t i) const { return std::max(begin(i) + 1, (i + 1) * canvas / size); }
};

std::uint8_t as_byte(float v) {
  return static_cast<std::uint8_t>(std::clamp(v, 0.0F, 255.0F) + 0.5F);
}

/// A tile of one plane: each of its pixels is the mean over the canvas's that fall onto it. `step` is from one pixel of
/// the picture to the next.
void draw_plane(std::span<const float> plane, Reduction tile, std::uint8_t* corner, std::size_t step,
                std::size_t stride) {
  for (std::size_t y = 0; y < tile.size; ++y) {
    std::uint8_t* row = corner + y * stride;
    if (tile.size == tile.canvas) {
      for (std::size_t x = 0; x < tile.size; ++x) row[step * x] = as_byte(plane[y * tile.canvas + x]);
      continue;
    }
    const std::size_t top = tile.begin(y), bottom = tile.end(y);
    for (std::size_t x = 0; x < tile.size; ++x) {
      const std::size_t left = tile.begin(x), right = tile.end(x);
      float sum = 0;
      for (std::size_t r = top; r < bottom; ++r)
        for (std::size_t c = left; c < right; ++c) sum += plane[r * tile.canvas + c];
      row[step * x] = as_byte(sum / static_cast<float>((bottom - top) * (right - left)));
    }
  }
}

struct Picture {
  std::size_t width, height, channels;  ///< channels 1 or 3, interleaved
  std::vector<std::uint8_t> values;
};

/// Grey is brightness alone: handed over as that, in the range WebP has it in, nothing is to be converted.
bool import_grey(const Picture& picture, WebPPicture& webp) {
  if (!WebPPictureAlloc(&webp)) return false;
  for (std::size_t r = 0; r < picture.height; ++r)
    std::transform(picture.values.data() + r * picture.width, picture.values.data() + (r + 1) * picture.width,
                   webp.y + static_cast<std::ptrdiff_t>(r) * webp.y_stride,
                   [](std::uint8_t v) { return static_cast<std::uint8_t>(16 + (v * 219 + 127) / 255); });
  for (int r = 0; r < (webp.height + 1) / 2; ++r)
    for (std::uint8_t* plane : {webp.u, webp.v}) std::fill_n(plane + r * webp.uv_stride, webp.uv_stride, 128);
  return true;
}

std::vector<std::uint8_t> encode(const Picture& picture) {
  constexpr float quality = 60;
  WebPConfig config;
  WebPPicture webp;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&webp)) throw Error(ErrorKind::failed, "libwebp does not fit");
  config.quality = quality;
  config.method = 0;  // of 0 to 6: those above are slower and save nothing on such small tiles
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  webp.width = static_cast<int>(picture.width);
  webp.height = static_cast<int>(picture.height);
  webp.writer = WebPMemoryWrite;
  webp.custom_ptr = &writer;
  const bool imported = picture.channels == 1 ? import_grey(picture, webp)
                                              : WebPPictureImportRGB(&webp, picture.values.data(), 3 * webp.width);
  const bool done = imported && WebPEncode(&config, &webp);
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
  const std::size_t canvas = images.size(), plane = canvas * canvas, channels = images.channels() == 3 ? 3 : 1;
  report::Picture picture{columns * size, (which.size() + columns - 1) / columns * size, channels, {}};
  picture.values.resize(picture.width * picture.height * channels);
  std::vector<float> pixels(images.channels() * plane);
  std::vector<BrokenImage> broken;
  for (std::size_t t = 0; t < which.size(); ++t) {
    images.read(which[t], which[t] + 1, pixels, broken);
    std::uint8_t* corner = picture.values.data() + channels * (t / columns * size * picture.width + t % columns * size);
    for (std::size_t c = 0; c < channels; ++c)
      report::draw_plane(std::span<const float>(pixels).subspan(c * plane, plane), {canvas, size}, corner + c, channels,
                         channels * picture.width);
  }
  return report::encode(picture);
}

}  // namespace pssc
