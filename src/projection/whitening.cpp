#include "cuda/projection.hpp"

#include <pssc/core/eigen.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>
#include <pssc/projection.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {

Matrix<double> cluster_means(const Context& context, FloatView y, std::span<const std::int32_t> labels,
                             std::size_t clusters) {
  if constexpr (with_cuda)
    if (y.on_device()) return cuda::cluster_means(y, labels, clusters);
  return means_by_label(context, y, labels, clusters);
}

std::vector<float> distances_to_means(const Context& context, FloatView z, std::span<const std::int32_t> labels,
                                      const Matrix<double>& means) {
  if constexpr (with_cuda)
    if (z.on_device()) return cuda::distances_to_means(z, labels, means);
  std::vector<float> distances(z.rows());
  const auto rows = as_eigen(z);
  const RowMajor<float> middles = as_eigen(means.view()).cast<float>();
  parallel_blocks(context, z.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      distances[i] = (rows.row(static_cast<Eigen::Index>(i)) - middles.row(labels[i])).squaredNorm();
  });
  return distances;
}

FloatMatrix scores_along_own(const Context& context, FloatView y, std::span<const std::int32_t> labels,
                             const FloatMatrix& means, const FloatMatrix& directions) {
  if constexpr (with_cuda)
    if (y.on_device()) return cuda::scores_along_own(y, labels, means, directions);
  const std::size_t per = directions.rows() / std::max<std::size_t>(1, means.rows());
  FloatMatrix scores(y.rows(), per);
  const auto rows = as_eigen(y), middles = as_eigen(means.view()), along = as_eigen(directions.view());
  parallel_blocks(context, y.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (labels[i] < 0) continue;
      const auto c = static_cast<std::size_t>(labels[i]);
      const auto row = static_cast<Eigen::Index>(i), own = static_cast<Eigen::Index>(c);
      for (std::size_t v = 0; v < per; ++v)
        scores(i, v) = (rows.row(row) - middles.row(own)).dot(along.row(static_cast<Eigen::Index>(per * c + v)));
    }
  });
  return scores;
}

Matrix<double> within_covariance(const Context& context, FloatView y, std::span<const std::int32_t> labels,
                                 std::size_t clusters) {
  if constexpr (with_cuda)
    if (y.on_device()) return cuda::within_covariance(y, labels, clusters);
  const std::size_t d = y.cols();
  const Matrix<double> means = cluster_means(context, y, labels, clusters);
  Moments moments(d, 2 * largest_size(context, y), sum_of_all(context, y.rows()));
  const std::vector<float> origin(d);
  constexpr std::size_t rows_at_once = 8 * row_unit;
  for (std::size_t first = 0; first < y.rows(); first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, y.rows() - first);
    FloatMatrix rest(count, d);
    parallel_blocks(context, count, 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (labels[first + i] >= 0)
          for (std::size_t j = 0; j < d; ++j)
            rest(i, j) = static_cast<float>(y(first + i, j) - means(static_cast<std::size_t>(labels[first + i]), j));
    });
    moments.add(context, rest, origin);
  }
  moments.combine(context, false);
  return moments.covariance();
}

namespace {

/// Of the whole of y, a row.
double mean_square(const Context& context, FloatView y) {
  double size = 0;
  for (const double square : column_mean_squares(context, y)) size += square;
  return size;
}

/// Where the images of each cluster are identical there is nothing to whiten.
Whitening no_whitening(std::size_t d) {
  Whitening result{FloatMatrix(d, d), FloatMatrix(d, d), FloatMatrix(d, d), std::vector<double>(d)};
  for (FloatMatrix* m : {&result.map, &result.inverse, &result.directions})
    for (std::size_t j = 0; j < d; ++j) (*m)(j, j) = 1;
  return result;
}

/// Of a symmetric matrix, which is destroyed.
Eigenpairs all_eigenpairs(const Context& context, Matrix<double>& symmetric) {
  const std::size_t d = symmetric.rows();
  if constexpr (with_cuda)
    if (context.device() == Device::cuda)
      return cuda::dense_eigenpairs(cuda::Array<double>(std::span<const double>(symmetric.data(), d * d)), d, d);
  return leading_eigenpairs(symmetric, d);
}

constexpr double negligible = 1e-10;  // a share of variance that is rounding

}  // namespace

namespace {

/// By the covariance inside the clusters and the mean square of all.
Whitening whitening_by(const Context& context, Matrix<double> within, double square, double ridge) {
  const std::size_t d = within.rows();
  double trace = 0;
  for (std::size_t j = 0; j < d; ++j) trace += within(j, j);
  if (trace <= negligible * square) return no_whitening(d);
  const double added = ridge * trace / static_cast<double>(d);

  const Eigenpairs pairs = all_eigenpairs(context, within);
  const auto V = as_eigen(pairs.vectors.view());  // rows are eigenvectors
  Whitening result{FloatMatrix(d, d), FloatMatrix(d, d), FloatMatrix(d, d), pairs.values};
  for (double& v : result.variances) v = std::max(0.0, v);
  const Eigen::VectorXd root =
      (Eigen::Map<const Eigen::VectorXd>(result.variances.data(), static_cast<Eigen::Index>(d)).array() + added).sqrt();
  as_eigen(result.directions.view()) = V.cast<float>();
  if constexpr (with_cuda)
    if (context.device() == Device::cuda) {
      const Eigen::VectorXd inverse_root = root.cwiseInverse();
      as_eigen(result.map.view()) =
          as_eigen(cuda::recombined(pairs.vectors, {inverse_root.begin(), inverse_root.end()}).view()).cast<float>();
      as_eigen(result.inverse.view()) =
          as_eigen(cuda::recombined(pairs.vectors, {root.begin(), root.end()}).view()).cast<float>();
      return result;
    }
  const RowMajor<double> map = V.transpose() * root.cwiseInverse().asDiagonal() * V;
  const RowMajor<double> inverse = V.transpose() * root.asDiagonal() * V;
  as_eigen(result.map.view()) = map.cast<float>();
  as_eigen(result.inverse.view()) = inverse.cast<float>();
  return result;
}

}  // namespace

namespace {

/// By the first rank alone, for all of them.
Whitening shared_whitening(const Context& context, Matrix<double> within, double square, double ridge) {
  Whitening whitening;
  once_alone(context, [&](const Context& alone) { whitening = whitening_by(alone, std::move(within), square, ridge); });
  for (FloatMatrix* m : {&whitening.map, &whitening.inverse, &whitening.directions}) broadcast(context, *m);
  broadcast(context, whitening.variances);
  return whitening;
}

}  // namespace

Whitening fit_whitening(const Context& context, FloatView y, std::span<const std::int32_t> labels, std::size_t clusters,
                        double ridge) {
  Matrix<double> within = within_covariance(context, y, labels, clusters);
  const double square = mean_square(context, y);
  return shared_whitening(context, std::move(within), square, ridge);
}

Whitening whitening_of(const Context& context, Matrix<double> covariance, double ridge) {
  return shared_whitening(context, std::move(covariance), 0, ridge);
}

FloatMatrix unwhiten(const Context& context, const Whitening& whitening, FloatView z) {
  FloatMatrix y(z.rows(), z.cols(), z.place());
  multiply(context, z, whitening.inverse, y);
  return y;
}

FloatMatrix whiten(const Context& context, const Whitening& whitening, FloatView y) {
  FloatMatrix z(y.rows(), y.cols(), y.place());
  multiply(context, y, whitening.map, z);
  return z;
}

}  // namespace pssc
