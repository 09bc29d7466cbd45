#include <pssc/core/cuda.hpp>
#include <pssc/core/place.hpp>

#include <cstring>

namespace pssc {

void copy_numbers(const void* from, Place from_place, void* to, Place to_place, std::size_t bytes) {
  copy_rows(from, from_place, bytes, to, to_place, bytes, bytes, 1);
}

void copy_rows(const void* from, Place from_place, std::size_t from_stride, void* to, Place to_place,
               std::size_t to_stride, std::size_t bytes, std::size_t rows) {
  if (bytes == 0 || rows == 0) return;
  if (from_place == Place::device || to_place == Place::device)
    return cuda::copy_between(from, from_place, from_stride, to, to_place, to_stride, bytes, rows);
  for (std::size_t i = 0; i < rows; ++i)
    std::memcpy(static_cast<std::byte*>(to) + i * to_stride, static_cast<const std::byte*>(from) + i * from_stride,
                bytes);
}

}  // namespace pssc
