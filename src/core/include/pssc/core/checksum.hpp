#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pssc {

/// XXH64 (Yann Collet), seed 0, of bytes that arrive piece by piece: tells damage, not malice, at the speed of memory.
class Checksum {
 public:
  void add(const void* bytes, std::size_t size);
  /// The sum of all that was added so far.
  std::uint64_t value() const;

 private:
  std::array<std::uint64_t, 4> lanes_{0x60ea27eeadc0b5d6U, 0xc2b2ae3d27d4eb4fU, 0, 0x61c8864e7a143579U};
  std::array<unsigned char, 32> pending_{};
  std::uint64_t length_ = 0;
};

}  // namespace pssc
