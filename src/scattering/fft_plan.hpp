#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <vector>

namespace pssc {

/// Factors and roots of unity of a transform of n points. Any n; fast where n has small factors.
template <class Scalar>
struct FftPlan {
  explicit FftPlan(std::size_t points) : n(points), roots(points) {
    std::size_t rest = n;
    for (const std::size_t radix : {4, 2, 3, 5})
      for (; rest % radix == 0; rest /= radix) radices.push_back(radix);
    for (std::size_t radix = 7; rest > 1; radix += 2)
      for (; rest % radix == 0; rest /= radix) radices.push_back(radix);
    for (std::size_t k = 0; k < n; ++k) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
      roots[k] = {static_cast<Scalar>(std::cos(angle)), static_cast<Scalar>(std::sin(angle))};
    }
  }

  std::size_t n;
  std::vector<std::size_t> radices;
  std::vector<std::complex<Scalar>> roots;  ///< exp(-2 pi i k / n)
};

}  // namespace pssc
