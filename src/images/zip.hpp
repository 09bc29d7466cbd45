#pragma once

#include "bytes.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace pssc::images {

/// A file inside a zip file, as its directory lists it.
struct ZipMember {
  std::string name;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0, size = 0;
  std::uint64_t header_offset = 0;
};

/// Where a member's content lies: a range of the zip file itself where it is stored, of memory where it was deflated.
struct ZipContent {
  SharedBytes bytes;
  std::uint64_t offset = 0, size = 0;
};

/// The members of a zip file (zip64 too). Throws Error(input) where it is truncated or damaged.
std::vector<ZipMember> list_zip(const Bytes& zip, const std::string& where);

/// The content of a member, checked against its sum. Throws Error(input): damaged, over `limit` bytes, another method.
ZipContent open_zip_member(const SharedBytes& zip, const ZipMember& member, const std::string& where,
                           std::uint64_t limit);

/// The first bytes of a member, `count` or fewer where it has no more; not checked. Throws Error(input).
std::vector<std::uint8_t> head_of_zip_member(const Bytes& zip, const ZipMember& member, std::size_t count,
                                             const std::string& where);

}  // namespace pssc::images
