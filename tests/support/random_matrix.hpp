#pragma once

#include <pssc/core/matrix.hpp>
#include <pssc/core/random.hpp>

namespace pssc::test {

inline FloatMatrix normal_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed) {
  FloatMatrix x(rows, cols);
  Random random(seed);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(random.normal());
  return x;
}

/// Rows around `clusters` centres `distance` apart or more; row i belongs to cluster i % clusters.
inline FloatMatrix blobs(std::size_t rows, std::size_t cols, std::size_t clusters, double distance,
                         std::uint64_t seed) {
  FloatMatrix x = normal_matrix(rows, cols, seed);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t c = i % clusters;
    x(i, c % cols) += static_cast<float>(distance * static_cast<double>(1 + c / cols));
  }
  return x;
}

}  // namespace pssc::test
