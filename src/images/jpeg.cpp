#include "decode.hpp"
#include "limits.hpp"

#include <turbojpeg.h>

#include <memory>
#include <string_view>

namespace pssc::images {

namespace {

struct Destroy {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using Handle = std::unique_ptr<void, Destroy>;

bool is_harmless(std::string_view warning) {
  return warning.find("extraneous bytes") != warning.npos;  // some cameras leave padding between the segments
}

/// libjpeg fills up what is missing with grey and only warns, so every warning but the harmless one is an error here.
void decompress(tjhandle handle, std::span<const std::uint8_t> file, int width, int height, int format,
                std::uint8_t* out) {
  constexpr int flags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS;
  const auto run = [&](int more) {
    return tjDecompress2(handle, file.data(), file.size(), out, width, 0, height, format, flags | more);
  };
  if (run(TJFLAG_STOPONWARNING) == 0) return;
  std::string message = tjGetErrorStr2(handle);
  // The run above stopped at the first warning; another may follow, and libjpeg keeps the last.
  if (is_harmless(message)) {
    if (run(0) == 0) return;
    message = tjGetErrorStr2(handle);
    if (tjGetErrorCode(handle) == TJERR_WARNING && is_harmless(message)) return;
  }
  throw input_error(fmt::format("the JPEG is truncated or damaged: {}", message));
}

/// Four inks, stored inverted as Adobe's programs write them, become red, green and blue.
void inks_to_colour(Picture& picture) {
  const std::size_t pixels = picture.shape.height * picture.shape.width;
  for (std::size_t i = 0; i < pixels; ++i) {
    const unsigned black = picture.bytes[4 * i + 3];
    for (std::size_t c = 0; c < 3; ++c)
      picture.bytes[3 * i + c] = static_cast<std::uint8_t>(picture.bytes[4 * i + c] * black / 255);
  }
  picture.bytes.resize(3 * pixels);
  picture.shape.channels = 3;
}

}  // namespace

Picture decode_jpeg(std::span<const std::uint8_t> file, const ImageLimits& limits) {
  const Handle handle(tjInitDecompress());
  if (!handle) throw std::bad_alloc();
  int width = 0, height = 0, subsampling = 0, space = 0;
  if (tjDecompressHeader3(handle.get(), file.data(), file.size(), &width, &height, &subsampling, &space) != 0)
    throw input_error(fmt::format("the JPEG is truncated or damaged: {}", tjGetErrorStr2(handle.get())));
  if (width <= 0 || height <= 0) throw input_error("the JPEG is damaged: it has no size");
  require_sane_size(static_cast<std::uint64_t>(height), static_cast<std::uint64_t>(width), limits);

  const bool grey = space == TJCS_GRAY, inks = space == TJCS_CMYK || space == TJCS_YCCK;
  Picture picture;
  picture.shape = {static_cast<std::size_t>(height), static_cast<std::size_t>(width), grey ? 1u : inks ? 4u : 3u};
  picture.bytes.resize(picture.shape.height * picture.shape.width * picture.shape.channels);
  decompress(handle.get(), file, width, height, grey ? TJPF_GRAY : inks ? TJPF_CMYK : TJPF_RGB, picture.bytes.data());
  if (inks) inks_to_colour(picture);
  return picture;
}

}  // namespace pssc::images
