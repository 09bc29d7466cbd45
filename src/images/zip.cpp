#include "zip.hpp"

#include "inflate.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <optional>

namespace pssc::images {

namespace {

// Signatures and lengths of PKWARE's APPNOTE.
constexpr std::uint32_t local_signature = 0x04034b50, entry_signature = 0x02014b50, end_signature = 0x06054b50,
                        end64_signature = 0x06064b50, locator64_signature = 0x07064b50;
constexpr std::size_t local_size = 30, entry_size = 46, end_size = 22, end64_size = 56, locator64_size = 20;
constexpr std::size_t max_comment = 65535;
constexpr std::uint64_t max_directory = std::uint64_t{64} << 20;
constexpr std::uint32_t in_extra = 0xffffffff;  // the true 64-bit value stands in an extra field

Error damaged(const std::string& where) {
  return input_error(
      fmt::format("{} is truncated or damaged: it is not a whole zip file; get a whole copy of it", where));
}

std::uint64_t number(std::span<const std::uint8_t> bytes, std::size_t at, std::size_t width) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < width; ++i) value |= std::uint64_t{bytes[at + i]} << (8 * i);
  return value;
}
std::uint16_t u16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(number(bytes, at, 2));
}
std::uint32_t u32(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint32_t>(number(bytes, at, 4));
}
std::uint64_t u64(std::span<const std::uint8_t> bytes, std::size_t at) {
  return number(bytes, at, 8);
}

std::vector<std::uint8_t> range(const Bytes& zip, std::uint64_t offset, std::uint64_t size, const std::string& where) {
  if (offset > zip.size() || size > zip.size() - offset) throw damaged(where);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(size));
  zip.read(offset, out);
  return out;
}

struct Directory {
  std::uint64_t offset = 0, size = 0;
};

/// The directory is found from the end of the file backwards, past a comment of unknown length.
Directory find_directory(const Bytes& zip, const std::string& where) {
  const std::uint64_t tail_size = std::min<std::uint64_t>(zip.size(), end_size + max_comment);
  const std::uint64_t tail_offset = zip.size() - tail_size;
  const auto tail = range(zip, tail_offset, tail_size, where);
  for (std::size_t at = tail.size(); at-- > 0;) {
    if (tail.size() - at < end_size || u32(tail, at) != end_signature) continue;
    const std::uint64_t end = tail_offset + at;
    if (u32(tail, at + 16) != in_extra && u32(tail, at + 12) != in_extra)
      return {u32(tail, at + 16), u32(tail, at + 12)};
    if (end < locator64_size) break;
    const auto locator = range(zip, end - locator64_size, locator64_size, where);
    if (u32(locator, 0) != locator64_signature) break;
    const auto end64 = range(zip, u64(locator, 8), end64_size, where);
    if (u32(end64, 0) != end64_signature) break;
    return {u64(end64, 48), u64(end64, 40)};
  }
  throw damaged(where);
}

/// Sizes and offset of more than 32 bits: an extra field holds, in this order, those that the entry itself leaves out.
void read_zip64(std::span<const std::uint8_t> extra, ZipMember& member, const std::string& where) {
  while (extra.size() >= 4) {
    const std::size_t length = u16(extra, 2);
    if (extra.size() < 4 + length) throw damaged(where);
    if (u16(extra, 0) == 1) {
      std::size_t at = 4;
      for (std::uint64_t* value : {&member.size, &member.packed_size, &member.header_offset}) {
        if (*value != in_extra) continue;
        if (at + 8 > 4 + length) throw damaged(where);
        *value = u64(extra, at);
        at += 8;
      }
    }
    extra = extra.subspan(4 + length);
  }
}

/// Where a member's packed bytes begin: behind its local header, whose length only it knows.
std::uint64_t data_offset(const Bytes& zip, const ZipMember& member, const std::string& where) {
  const auto local = range(zip, member.header_offset, local_size, where);
  if (u32(local, 0) != local_signature) throw damaged(where);
  const std::uint64_t offset = member.header_offset + local_size + u16(local, 26) + u16(local, 28);
  if (offset > zip.size() || member.packed_size > zip.size() - offset) throw damaged(where);
  if (member.method != 0 && member.method != 8)
    throw input_error(fmt::format("{} is packed by method {}; write it with numpy.savez or numpy.savez_compressed",
                                  where, member.method));
  if (member.method == 0 && member.packed_size != member.size) throw damaged(where);
  return offset;
}

std::uint32_t crc_of(const Bytes& bytes, std::uint64_t offset, std::uint64_t size) {
  std::vector<std::uint8_t> chunk(static_cast<std::size_t>(std::min<std::uint64_t>(size, 1 << 18)));
  uLong crc = crc32(0, nullptr, 0);
  for (std::uint64_t done = 0; done < size;) {
    const auto part =
        std::span(chunk).first(static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), size - done)));
    bytes.read(offset + done, part);
    crc = crc32_z(crc, part.data(), part.size());
    done += part.size();
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace

std::vector<ZipMember> list_zip(const Bytes& zip, const std::string& where) {
  const Directory directory = find_directory(zip, where);
  if (directory.size > max_directory) throw damaged(where);
  const auto entries = range(zip, directory.offset, directory.size, where);
  std::vector<ZipMember> members;
  for (auto rest = std::span(entries); !rest.empty();) {
    if (rest.size() < entry_size || u32(rest, 0) != entry_signature) throw damaged(where);
    const std::size_t name = u16(rest, 28), extra = u16(rest, 30), comment = u16(rest, 32);
    if (rest.size() < entry_size + name + extra + comment) throw damaged(where);
    ZipMember member;
    member.method = u16(rest, 10);
    member.crc = u32(rest, 16);
    member.packed_size = u32(rest, 20);
    member.size = u32(rest, 24);
    member.header_offset = u32(rest, 42);
    member.name.assign(rest.begin() + entry_size, rest.begin() + static_cast<std::ptrdiff_t>(entry_size + name));
    read_zip64(rest.subspan(entry_size + name, extra), member, where);
    members.push_back(std::move(member));
    rest = rest.subspan(entry_size + name + extra + comment);
  }
  return members;
}

ZipContent open_zip_member(const SharedBytes& zip, const ZipMember& member, const std::string& where,
                           std::uint64_t limit) {
  const std::uint64_t offset = data_offset(*zip, member, where);
  ZipContent content{zip, offset, member.size};
  if (member.method == 8) {
    if (member.size > limit)
      throw input_error(
          fmt::format("{} unfolds to {} bytes, over the limit of {}; write it uncompressed, with numpy.save, or raise "
                      "the limit with --max-unfolded",
                      where, member.size, limit));
    content.bytes = from_memory(unfold_deflate(*zip, offset, member.packed_size, member.size, where), where);
    content.offset = 0;
  }
  if (crc_of(*content.bytes, content.offset, content.size) != member.crc) throw damaged(where);
  return content;
}

std::vector<std::uint8_t> head_of_zip_member(const Bytes& zip, const ZipMember& member, std::size_t count,
                                             const std::string& where) {
  const std::uint64_t offset = data_offset(zip, member, where);
  const std::uint64_t wanted = std::min<std::uint64_t>(count, member.size);
  if (member.method == 8) return unfold_deflate(zip, offset, member.packed_size, wanted, where);
  return range(zip, offset, wanted, where);
}

}  // namespace pssc::images
