// Zip files of NumPy arrays. Each member has a checksum, which a changed byte would break: members are read a second
// time with the one they should have.
#include "images.hpp"
#include "images/array_set.hpp"
#include "images/labels.hpp"
#include "images/npy.hpp"
#include "images/zip.hpp"

#include <zlib.h>

using namespace pssc;

namespace {

void read_members(const images::SharedBytes& zip) {
  const std::uint64_t limit = fuzz::small_images().limits.unfolded;
  std::size_t left = 8;
  for (images::ZipMember member : images::list_zip(*zip, "file")) {
    if (left-- == 0) break;
    fuzz::unless_refused([&] {
      const auto first = images::head_of_zip_member(*zip, member, static_cast<std::size_t>(limit), "file");
      member.crc = static_cast<std::uint32_t>(crc32_z(0, first.data(), first.size()));
      const images::ZipContent content = images::open_zip_member(zip, member, "file", limit);
      fuzz::require(content.offset + content.size <= content.bytes->size(), "a member that ends outside");
    });
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ImageParams params = fuzz::small_images();
  const auto zip = images::from_memory({data, data + size}, "file");
  fuzz::unless_refused([&] { read_members(zip); });
  fuzz::unless_refused([&] { images::labels_from_array(images::open_npz_labels(zip, "file", params.limits)); });
  fuzz::unless_refused([&] {
    fuzz::read_some(*images::open_arrays({images::open_npz_images(zip, "file", params.limits)}, std::nullopt, params));
  });
  return 0;
}
