#pragma once

#include "fft_plan.hpp"

#include <pssc/scattering.hpp>

#include <cstddef>
#include <vector>

namespace pssc {

/// The part of a filter that is not zero to single precision, as runs along rows, and where each run goes on the grid
/// that its products are folded onto. Spectra of real planes are held for columns 0 .. cols/2 alone; a frequency of the
/// other half is the conjugate of its mirror image, which runs backwards.
struct SparseFilter {
  struct Run {
    std::size_t source, target;  ///< first point, in the half spectrum and on the folded grid
    std::size_t count;
    std::size_t weights;  ///< first of `weights`
    bool mirrored;        ///< conjugates, at falling sources
  };
  std::vector<Run> runs;
  std::vector<float> weights;
  std::vector<std::size_t> rows;  ///< of the folded grid that receive anything
};

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
  std::vector<SparseFilter> psi;                    ///< see filter()

  std::size_t rows(std::size_t resolution) const { return padded_rows >> resolution; }
  std::size_t cols(std::size_t resolution) const { return padded_cols >> resolution; }
  // Rows lie an odd number of points apart: at a power of two a column would fall on few sets of the first-level cache.
  std::size_t stride(std::size_t resolution) const { return cols(resolution) | 1; }
  std::size_t half_stride(std::size_t resolution) const { return (cols(resolution) / 2 + 1) | 1; }

  /// psi_{j,t} from the grid of resolution `from` to that of resolution j, divided by twice the number of points of the
  /// former: the mean over the folds, the 1/n of the inverse transform and the half that `real_spectrum` leaves out.
  const SparseFilter& filter(std::size_t j, std::size_t t, std::size_t from) const {
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
