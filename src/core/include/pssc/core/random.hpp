#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#ifdef __CUDACC__
#define PSSC_EVERYWHERE __host__ __device__
#else
#define PSSC_EVERYWHERE
#endif

namespace pssc {

/// A stream of random numbers named by (seed, stream): the same on every machine and compiler, unlike the standard
/// library's distributions. SplitMix64 (Steele, Lea and Flood 2014); streams start at hashed, hence unrelated, states.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(mix(mix(seed) + golden * (stream + 1))) {}

  std::uint64_t bits() { return mix(state_ += golden); }
  /// Uniform on [0, 1).
  double uniform() { return fraction(bits()); }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform on 0 .. n-1, n > 0 (Lemire's multiplication without the rejection: bias below n / 2^64).
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((static_cast<Wide>(bits()) * n) >> 64); }
  /// Standard normal (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  /// Number i of a table that is named by some `bits()`, uniform on [0, 1).
  PSSC_EVERYWHERE static double uniform_at(std::uint64_t table, std::uint64_t i) {
    return fraction(mix(table + golden * (i + 1)));
  }
  /// `count` different numbers of 0 .. n-1, in random order; all of them where count >= n.
  std::vector<std::size_t> choose(std::size_t n, std::size_t count);

 private:
  __extension__ typedef unsigned __int128 Wide;
  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  PSSC_EVERYWHERE static double fraction(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }
  PSSC_EVERYWHERE static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace pssc
