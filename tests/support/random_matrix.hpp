#pragma once

#include <pssc/core/matrix.hpp>
#include <pssc/core/random.hpp>

#include <cstdint>
#include <vector>

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

/// The truth about `blobs`: i % clusters.
inline std::vector<std::int32_t> remainders(std::size_t n, std::size_t clusters) {
  std::vector<std::int32_t> truth(n);
  for (std::size_t i = 0; i < n; ++i) truth[i] = static_cast<std::int32_t>(i % clusters);
  return truth;
}

}  // namespace pssc::test
