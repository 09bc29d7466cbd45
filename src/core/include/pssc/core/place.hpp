#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace pssc {

/// Where numbers lie: here, or in the memory of a device.
enum class Place : std::uint8_t { host, device };

// What matrices need to lie in either. Work on a device is done in the order it was asked for; only a copy to the host
// waits for it. Each throws Error(failed) where the device has failed or has too little memory.

void* allocate_on_device(std::size_t bytes);  ///< all zero
void free_on_device(void* memory) noexcept;

void copy_numbers(const void* from, Place from_place, void* to, Place to_place, std::size_t bytes);
/// `rows` rows of `bytes`, that lie `stride` bytes apart.
void copy_rows(const void* from, Place from_place, std::size_t from_stride, void* to, Place to_place,
               std::size_t to_stride, std::size_t bytes, std::size_t rows);
/// The named rows, packed, on the device.
void gather_on_device(const void* from, std::size_t stride, std::size_t bytes, std::span<const std::size_t> rows,
                      void* to);

}  // namespace pssc
