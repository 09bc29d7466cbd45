#pragma once

#include <pssc/core/cuda.hpp>

#include <vector>

namespace pssc::cuda {

/// The last `count` of d eigenvectors, one a row, in turned order, of each the entry of largest size positive.
FloatMatrix leading_of_rising(const Array<float>& vectors, std::size_t d, std::size_t count);

/// Rows image - value * kept, each of n numbers, and the squares of their lengths.
std::vector<double> residuals_of(const double* image, const double* kept, const std::vector<double>& values,
                                 std::size_t n, double* residuals);

/// to = by * from + own * to; what `to` held does not matter where own is 0.
void combine_numbers(double* to, const double* from, std::size_t count, double by, double own);

}  // namespace pssc::cuda
