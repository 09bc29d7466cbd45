#pragma once

#include <pssc/core/cuda.hpp>

#include <vector>

namespace pssc::cuda {

/// The last `count` of `rows` eigenvectors of d numbers, one a row, in turned order, of each the entry of largest size
/// positive.
FloatMatrix leading_of_rising(const Array<float>& vectors, std::size_t d, std::size_t rows, std::size_t count);

/// Rows image - value * kept, each of n numbers, and the squares of their lengths.
std::vector<double> residuals_of(const double* image, const double* kept, const std::vector<double>& values,
                                 std::size_t n, double* residuals);

/// Overwrites a symmetric matrix with its eigenvectors, one a row, by rising value.
std::vector<double> all_eigenvectors(Array<double>& symmetric, std::size_t n);

/// Numbers between -1 and 1, the same every time.
void fill_at_random(Array<double>& numbers);

/// Adds to the diagonal of an n x n matrix a share of its trace.
void add_share_of_trace(double* matrix, std::size_t n, double share);

/// to = by * from + own * to; what `to` held does not matter where own is 0.
void combine_numbers(double* to, const double* from, std::size_t count, double by, double own);

}  // namespace pssc::cuda
