// IDX arrays, as they are and as gzip files: images and labels.
#include "images/idx.hpp"

#include "images.hpp"
#include "images/array_set.hpp"
#include "images/inflate.hpp"
#include "images/labels.hpp"

using namespace pssc;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::unless_refused([&] {
    const ImageParams params = fuzz::small_images();
    auto bytes = images::from_memory({data, data + size}, "file");
    if (size > 1 && data[0] == 0x1f && data[1] == 0x8b)
      bytes = images::from_memory(images::unfold_gzip(*bytes, "file", params.limits.unfolded), "file");
    const images::NumberArray array = images::open_idx(bytes, "file");
    fuzz::unless_refused([&] { images::labels_from_array(array); });
    fuzz::read_some(*images::open_arrays({array}, std::nullopt, params));
  });
  return 0;
}
