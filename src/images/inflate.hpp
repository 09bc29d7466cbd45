#pragma once

#include "bytes.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pssc::images {

/// The content of a gzip file, all its members one after another, checked against their sums. Throws Error(input) where
/// it is truncated, damaged or longer than `limit`.
std::vector<std::uint8_t> unfold_gzip(const Bytes& file, const std::string& where, std::uint64_t limit);

/// A deflated stream without header, `packed_size` bytes from `offset` on, as zip files hold it. Stops after `wanted`
/// bytes. Throws Error(input) where it is damaged or ends before them.
std::vector<std::uint8_t> unfold_deflate(const Bytes& file, std::uint64_t offset, std::uint64_t packed_size,
                                         std::uint64_t wanted, const std::string& where);

}  // namespace pssc::images
