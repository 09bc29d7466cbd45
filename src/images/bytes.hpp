#pragma once

#include <pssc/images.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pssc::images {

/// Bytes with random access: a file of any size, read where asked, or a block of memory. Safe from any thread.
class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `out` from `offset` on. Throws Error(input) naming the file where there are not so many bytes.
  virtual void read(std::uint64_t offset, std::span<std::uint8_t> out) const = 0;
  /// When and how large it was written, for what lies on a disk; nothing for memory.
  virtual std::string stamp() const { return {}; }
};

using SharedBytes = std::shared_ptr<const Bytes>;

/// A path for a message: control characters, which would break the line, become '?'.
std::string shown(const std::filesystem::path& path);

/// The file as it lies on the disk. Throws Error(input) where it is missing, unreadable or no regular file.
SharedBytes open_file(const std::filesystem::path& path);

/// Asks the system to have the file in memory soon; returns at once, and says nothing where it cannot be had.
void fetch_ahead(const std::filesystem::path& path);

/// `content` as bytes; `where` names it in messages.
SharedBytes from_memory(std::vector<std::uint8_t> content, std::string where);

/// The file, unfolded into memory where it is gzip (told by its first bytes, not by its name). Throws Error(input),
/// also where that is over the limit.
SharedBytes open_unfolded(const std::filesystem::path& path, const ImageLimits& limits);

/// The first bytes, `count` or fewer where there are no more.
std::vector<std::uint8_t> head(const Bytes& bytes, std::size_t count);

/// SHA-256 of everything, 64 hexadecimal digits.
std::string sha256_hex(const Bytes& bytes);

/// Everything, at most `limit` bytes. Throws Error(input) naming `where` and the `remedy` if there are more.
std::vector<std::uint8_t> read_all(const Bytes& bytes, const std::string& where, std::uint64_t limit,
                                   const char* remedy = "give a smaller file");

}  // namespace pssc::images
