#pragma once

#include <pssc/core/matrix.hpp>

#include <cstddef>
#include <vector>

namespace pssc {

/// The Morlet wavelets psi_{j,t} and the Gaussian phi_J on a padded grid, in Fourier, where all are real.
class FilterBank {
 public:
  /// rows x cols is the padded grid, a multiple of 2^J each way.
  FilterBank(std::size_t rows, std::size_t cols, std::size_t J, std::size_t L);

  /// The spectrum of psi_{j,t} on the grid subsampled by 2^resolution, resolution <= j.
  const Matrix<double>& psi(std::size_t j, std::size_t t, std::size_t resolution) const;
  /// The spectrum of phi_J on the grid subsampled by 2^resolution, resolution < J.
  const Matrix<double>& phi(std::size_t resolution) const { return phi_[resolution]; }

 private:
  std::size_t L_;
  std::vector<std::vector<Matrix<double>>> psi_;  ///< [j * L + t][resolution]
  std::vector<Matrix<double>> phi_;               ///< [resolution]
};

/// phi_J is a product of two Gaussians, so the last low-pass, the subsampling to 2^J and the cut of the borders are one
/// small matrix along each axis. This is the matrix [outputs x points] for an axis of `points` = padded / 2^resolution.
Matrix<double> low_pass_matrix(std::size_t padded, std::size_t J, std::size_t resolution);

}  // namespace pssc
