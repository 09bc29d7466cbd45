#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace pssc {

/// SHA-256 of bytes that arrive piece by piece (FIPS 180-4).
class Sha256 {
 public:
  void add(std::span<const std::uint8_t> bytes);
  void add(std::string_view text) { add({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}); }
  /// The sum of all that was added, and the same as 64 hexadecimal digits. Either ends the use of this object.
  std::array<std::uint8_t, 32> digest();
  std::string hex();

 private:
  void block(const std::uint8_t* at);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t length_ = 0;
};

inline std::string sha256_hex(std::string_view text) {
  Sha256 sum;
  sum.add(text);
  return sum.hex();
}

/// Of all that a file holds. Throws Error(input) where it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace pssc
