// PNG. Each chunk has a checksum, which a changed byte would break: here they are set right, so that what stands in the
// chunks is read.
#include "images.hpp"

#include <zlib.h>

namespace {

std::uint32_t big_endian(std::span<const std::uint8_t> bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

void mend_checksums(std::span<std::uint8_t> png) {
  constexpr std::size_t signature = 8, around = 12;  // a chunk: length, type, content, checksum
  if (png.size() < signature) return;
  for (auto rest = png.subspan(signature); rest.size() >= around;) {
    const std::size_t length = big_endian(rest);
    if (length > rest.size() - around) return;
    const auto sum = static_cast<std::uint32_t>(crc32_z(0, rest.data() + 4, 4 + length));
    for (std::size_t i = 0; i < 4; ++i) rest[8 + length + i] = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    rest = rest.subspan(around + length);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint8_t> png(data, data + size);
  mend_checksums(png);
  return pssc::fuzz::read_image(png.data(), png.size());
}
