#include "images.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return pssc::fuzz::read_image(data, size);
}
