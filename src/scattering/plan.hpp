#pragma once

#include "fft_plan.hpp"

#include <pssc/scattering.hpp>

#include <cstddef>
#include <vector>

namespace pssc {

/// Everything the kernels read: filters as floats, the transforms' roots of unity, and where reflected pixels come
/// from. The grid of resolution r is [padded_rows / 2^r x padded_cols / 2^r].
struct Scattering::Plan {
  explicit Plan(const ScatteringParams& params);

  ScatteringParams params;
  std::vector<ScatteringPath> paths;
  std::size_t padded_rows, padded_cols, output_rows, output_cols;
  std::vector<std::size_t> row_source, col_source;  ///< [padded]: the pixel a padded position reflects
  std::vector<FftPlan<float>> row_fft, col_fft;     ///< [resolution]
  std::vector<FloatMatrix> low_rows, low_cols;      ///< [resolution]: [outputs x points]
  std::vector<FloatMatrix> psi;                     ///< see filter(); scaled for the inverse transform after it

  std::size_t rows(std::size_t resolution) const { return padded_rows >> resolution; }
  std::size_t cols(std::size_t resolution) const { return padded_cols >> resolution; }
  /// psi_{j,t} on the grid of resolution `from`, divided by the number of points of that grid: the mean over the folds
  /// and the 1/n of the inverse transform in one.
  const FloatMatrix& filter(std::size_t j, std::size_t t, std::size_t from) const {
    return psi[(j * params.angles + t) * params.scales + from];
  }
};

/// Transforms up to one image a lane: pixels [count][pixel_stride] -> features [count][feature_stride].
struct ScatterTask {
  const float* pixels;
  std::size_t pixel_stride;
  float* features;
  std::size_t feature_stride;
  std::size_t count;
};

}  // namespace pssc
