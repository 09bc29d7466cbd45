#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace pssc {

/// Numbers rounded to a grid, so that their sum is one of whole numbers and does not depend on the order it is taken
/// in: neither on threads nor on ranks. The grid is 2^-45 of the largest number or finer for sums of 100,000 terms,
/// where single precision has 2^-24.
class Grid {
 public:
  /// For at most `terms` numbers, none larger than `largest` in size. Where that is not finite, neither are sums.
  Grid(double largest, std::size_t terms) {
    constexpr int most_bits = 50;  // what the rounding below can do; 62 are there for the sum
    const int bits = std::min(most_bits, 62 - static_cast<int>(std::bit_width(terms)));
    if (!std::isfinite(largest)) {
      step_ = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    const int exponent = largest > 0 ? std::ilogb(largest) + 1 : 0;  // largest < 2^exponent
    per_step_ = std::ldexp(1.0, std::clamp(bits - exponent, -1000, 1000));
    step_ = 1 / per_step_;
  }

  /// The nearest whole number of steps: beside so large a number the bits past the point are rounded away.
  std::int64_t operator()(double value) const {
    constexpr double large = 0x1.8p52;
    return std::bit_cast<std::int64_t>(value * per_step_ + large) - std::bit_cast<std::int64_t>(large);
  }
  double value(std::int64_t steps) const { return static_cast<double>(steps) * step_; }

 private:
  double per_step_ = 0, step_ = 1;
};

}  // namespace pssc
