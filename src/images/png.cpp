#include "decode.hpp"
#include "limits.hpp"

#include <spng.h>

#include <memory>

namespace pssc::images {

namespace {

struct Free {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using Context = std::unique_ptr<spng_ctx, Free>;

void require(int code) {
  if (code == SPNG_EOF || code == SPNG_IO_EOF) throw input_error("the PNG is truncated");
  if (code == SPNG_EMEM) throw std::bad_alloc();
  if (code != SPNG_OK) throw input_error(fmt::format("the PNG is damaged: {}", spng_strerror(code)));
}

bool has_transparency(spng_ctx* context, const spng_ihdr& header) {
  spng_trns transparency{};
  const int code = spng_get_trns(context, &transparency);
  if (code != SPNG_ECHUNKAVAIL) require(code);
  return code == SPNG_OK || (header.color_type & 4) != 0;
}

}  // namespace

Picture decode_png(std::span<const std::uint8_t> file, const ImageLimits& limits) {
  const Context context(spng_ctx_new(0));
  if (!context) throw std::bad_alloc();
  spng_set_crc_action(context.get(), SPNG_CRC_ERROR, SPNG_CRC_DISCARD);
  spng_set_chunk_limits(context.get(), std::size_t{64} << 20, std::size_t{64} << 20);
  require(spng_set_png_buffer(context.get(), file.data(), file.size()));
  spng_ihdr header{};
  require(spng_get_ihdr(context.get(), &header));
  require_sane_size(header.height, header.width, limits);

  // libspng widens any format to RGB8, RGBA8 and RGBA16, and grey of up to 8 bits to G8.
  const bool wide = header.bit_depth == 16, transparent = has_transparency(context.get(), header);
  const bool grey = header.color_type == SPNG_COLOR_TYPE_GRAYSCALE && !wide && !transparent;
  const int format = wide ? SPNG_FMT_RGBA16 : grey ? SPNG_FMT_G8 : transparent ? SPNG_FMT_RGBA8 : SPNG_FMT_RGB8;

  Picture picture;
  picture.shape = {header.height, header.width, wide || transparent ? 4u : grey ? 1u : 3u};
  const std::size_t samples = picture.shape.height * picture.shape.width * picture.shape.channels;
  std::size_t size = 0;
  require(spng_decoded_image_size(context.get(), format, &size));
  if (size != samples * (wide ? 2 : 1)) throw input_error("the PNG is damaged: its size makes no sense");
  void* out = nullptr;
  if (wide) {
    picture.maximum = 65535;
    picture.words.resize(samples);
    out = picture.words.data();
  } else {
    picture.bytes.resize(samples);
    out = picture.bytes.data();
  }
  require(spng_decode_image(context.get(), out, size, format, SPNG_DECODE_TRNS));
  require(spng_decode_chunks(context.get()));  // to the file's end: one that stops before is truncated
  return picture;
}

}  // namespace pssc::images
