#pragma once

#include "fft_plan.hpp"

#include <pssc/scattering.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pssc {

/// The part of a filter that is not zero to single precision, by the points of the grid that its products are folded
/// onto. Spectra of real planes are held for columns 0 .. cols/2 alone; a frequency of the other half is the conjugate
/// of its mirror image.
struct SparseFilter {
  struct Term {
    std::uint32_t source;  ///< point of the half spectrum
    float re, im;          ///< weights; they differ in sign for a conjugate
  };
  struct Row {
    bool empty;                       ///< nothing is folded onto it
    std::vector<std::uint32_t> ends;  ///< [cols]: where the terms of each point end; the first begin at `begin`
    std::uint32_t begin;
  };
  std::vector<Row> rows;
  std::vector<Term> terms;
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
