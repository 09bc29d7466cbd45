#include "decode.hpp"
#include "limits.hpp"

#include <webp/decode.h>

namespace pssc::images {

Picture decode_webp(std::span<const std::uint8_t> file, const ImageLimits& limits) {
  WebPBitstreamFeatures features{};
  if (WebPGetFeatures(file.data(), file.size(), &features) != VP8_STATUS_OK || features.width <= 0 ||
      features.height <= 0)
    throw input_error("the WebP is truncated or damaged");
  if (features.has_animation) throw input_error("it is an animated WebP, of which no single image can be told");
  Picture picture;
  picture.shape = {static_cast<std::size_t>(features.height), static_cast<std::size_t>(features.width),
                   features.has_alpha ? 4u : 3u};
  require_sane_size(picture.shape.height, picture.shape.width, limits);
  const std::size_t stride = picture.shape.width * picture.shape.channels;
  picture.bytes.resize(stride * picture.shape.height);
  const auto into = features.has_alpha ? WebPDecodeRGBAInto : WebPDecodeRGBInto;
  if (!into(file.data(), file.size(), picture.bytes.data(), picture.bytes.size(), static_cast<int>(stride)))
    throw input_error("the WebP is truncated or damaged");
  return picture;
}

}  // namespace pssc::images
