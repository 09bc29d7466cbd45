// NumPy arrays: images and labels.
#include "images/npy.hpp"

#include "images.hpp"
#include "images/array_set.hpp"
#include "images/labels.hpp"

using namespace pssc;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::unless_refused([&] {
    const images::NumberArray array = images::open_npy(images::from_memory({data, data + size}, "file"), "file");
    fuzz::unless_refused([&] { images::labels_from_array(array); });
    fuzz::read_some(*images::open_arrays({array}, std::nullopt, fuzz::small_images()));
  });
  return 0;
}
