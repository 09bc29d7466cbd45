#pragma once

#include <pssc/core/cuda.hpp>
#include <pssc/projection.hpp>

namespace pssc::cuda {

/// Of each path: its largest squared norm (maxnorm) or the sum of what is positive (log).
std::vector<double> path_statistics(Equalisation kind, FloatView features, std::size_t path_length);
void equalise(const Equaliser& equaliser, MatrixView<float> features);

/// Principal components by the covariance; directions stay on the host. `x` is left alone.
Projection components(FloatView x, std::size_t dims);
FloatMatrix leading_axes(FloatMatrix rows, std::size_t count);
void project(const Projection& projection, FloatView x, MatrixView<float> y);

Matrix<double> cluster_means(FloatView y, std::span<const std::int32_t> labels, std::size_t clusters);
/// V^T diag(factors) V for the rows of V [d x d], in double precision.
Matrix<double> recombined(const Matrix<double>& V, const std::vector<double>& factors);
/// The covariance of what is left of each row when its cluster's mean is taken off.
Matrix<double> within_covariance(FloatView y, std::span<const std::int32_t> labels, std::size_t clusters);

std::vector<float> distances_to_means(FloatView z, std::span<const std::int32_t> labels, const Matrix<double>& means);
FloatMatrix scores_along_own(FloatView y, std::span<const std::int32_t> labels, const FloatMatrix& means,
                             const FloatMatrix& directions);

}  // namespace pssc::cuda
