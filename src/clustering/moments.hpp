#pragma once

#include <pssc/core/matrix.hpp>

#include <cstddef>
#include <vector>

namespace pssc {

/// Of the rows of one cluster; the covariance's divisor is their number.
struct ClusterMoments {
  std::size_t count = 0;
  std::vector<double> mean;
  Matrix<double> covariance;
};

}  // namespace pssc
