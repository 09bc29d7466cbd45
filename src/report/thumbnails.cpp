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

/// Grey is brightness alone: handed over as that, in the range WebP has it in, nothing is to be converted.
bool import_grey(std::span<const std::uint8_t> values, WebPPicture& webp) {
  if (!WebPPictureAlloc(&webp)) return false;
  const auto width = static_cast<std::size_t>(webp.width);
  for (int r = 0; r < webp.height; ++r)
    std::transform(values.data() + static_cast<std::size_t>(r) * width,
                   values.data() + static_cast<std::size_t>(r + 1) * width, webp.y + r * webp.y_stride,
                   [](std::uint8_t v) { return static_cast<std::uint8_t>(16 + (v * 219 + 127) / 255); });
  for (int r = 0; r < (webp.height + 1) / 2; ++r)
    for (std::uint8_t* plane : {webp.u, webp.v}) std::fill_n(plane + r * webp.uv_stride, webp.uv_stride, 128);
  return true;
}

}  // namespace

Sheet::Sheet(const CanvasShape& shape, std::size_t tiles, std::size_t columns, std::size_t size)
    : canvas_(shape.size),
      channels_(shape.channels == 3 ? 3 : 1),
      size_(size),
      columns_(columns),
      rows_((tiles + columns - 1) / columns),
      values_(columns * rows_ * size * size * channels_) {}

void Sheet::draw(std::size_t tile, std::span<const float> pixels) {
  const std::size_t plane = canvas_ * canvas_, width = columns_ * size_;
  std::uint8_t* corner = values_.data() + channels_ * (tile / columns_ * size_ * width + tile % columns_ * size_);
  for (std::size_t c = 0; c < channels_; ++c)
    draw_plane(pixels.subspan(c * plane, plane), {canvas_, size_}, corner + c, channels_, channels_ * width);
}

std::vector<std::uint8_t> Sheet::encode(float quality) const {
  WebPConfig config;
  WebPPicture webp;
  if (!WebPConfigInit(&config) || !WebPPictureInit(&webp)) throw Error(ErrorKind::failed, "libwebp does not fit");
  config.quality = quality;
  config.method = 0;  // of 0 to 6: those above are slower and save nothing on such small tiles
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  webp.width = static_cast<int>(columns_ * size_);
  webp.height = static_cast<int>(rows_ * size_);
  webp.writer = WebPMemoryWrite;
  webp.custom_ptr = &writer;
  const bool imported =
      channels_ == 1 ? import_grey(values_, webp) : WebPPictureImportRGB(&webp, values_.data(), 3 * webp.width);
  const bool done = imported && WebPEncode(&config, &webp);
  std::vector<std::uint8_t> bytes(writer.mem, writer.mem + writer.size);
  WebPPictureFree(&webp);
  WebPMemoryWriterClear(&writer);
  if (!done) throw Error(ErrorKind::failed, "cannot encode the report's thumbnails");
  return bytes;
}

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
  const CanvasShape shape{images.size(), images.channels()};
  report::Sheet sheet(shape, which.size(), columns, size);
  std::vector<float> pixels(shape.numbers());
  std::vector<BrokenImage> broken;
  for (std::size_t t = 0; t < which.size(); ++t) {
    images.read(which[t], which[t] + 1, pixels, broken);
    sheet.draw(t, pixels);
  }
  return sheet.encode();
}

}  // namespace pssc
