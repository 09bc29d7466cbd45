#include "projection.hpp"

#include <pssc/core/error.hpp>

#include <algorithm>
#include <cmath>

namespace pssc::cuda {

namespace {

Matrix<double> on_host(const Array<double>& values, std::size_t rows, double factor) {
  Matrix<double> matrix(rows, values.size() / rows);
  values.copy_to(std::span(matrix.data(), matrix.size()));
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix.data()[i] *= factor;
  return matrix;
}

double trace(const Array<double>& matrix, std::size_t d) {
  std::vector<double> diagonal(d);
  copy_rows(matrix.data(), Place::device, (d + 1) * sizeof(double), diagonal.data(), Place::host, sizeof(double),
            sizeof(double), d);
  double sum = 0;
  for (const double v : diagonal) sum += v;
  return sum;
}

/// The first few components hold nearly all of the variance. They are found to rounding and taken off: what is left has
/// a largest eigenvalue some fifty times as small, and whatever finds the rest errs in proportion to that.
constexpr std::size_t first_components = 12;
constexpr double first_tolerance = 1e-10, rest_tolerance = 2e-7;  // of residuals, by the largest eigenvalue

/// The covariance less the part along some eigenvectors.
void take_off(const Eigenpairs& pairs, Array<double>& covariance) {
  const std::size_t count = pairs.values.size(), D = pairs.vectors.cols();
  Matrix<double> scaled(D, count);
  for (std::size_t v = 0; v < count; ++v)
    for (std::size_t j = 0; j < D; ++j) scaled(j, v) = pairs.values[v] * pairs.vectors(v, j);
  const Array<double> a(std::span<const double>(scaled.data(), scaled.size())),
      b(std::span<const double>(pairs.vectors.data(), pairs.vectors.size()));
  multiply_add(-1, {a.data(), D, count, count, Place::device}, {b.data(), count, D, D, Place::device},
               {covariance.data(), D, D, D, Place::device});
}

/// They become the first components.
void take(const Eigenpairs& pairs, Projection& pca) {
  pca.variances = pairs.values;
  std::transform(pairs.vectors.data(), pairs.vectors.data() + pairs.vectors.size(), pca.directions.data(),
                 [](double v) { return static_cast<float>(v); });
}

}  // namespace

Projection components(FloatView x, std::size_t dims) {
  const std::size_t D = x.cols();
  Projection pca;
  Array<double> covariance;
  {
    FloatMatrix centred = copy_to(Place::device, x);
    covariance = centred_products(centred, pca.mean);
  }
  scale(covariance, 1 / std::max(1.0, static_cast<double>(x.rows()) - 1));
  pca.total_variance = trace(covariance, D);
  if (!(pca.total_variance > 0)) throw input_error("all images are identical: there is nothing to tell apart");
  const std::size_t count = std::min({dims, D, x.rows() - 1});
  pca.directions = FloatMatrix(count, D);
  const std::size_t leading = D > 16 * first_components ? std::min(first_components, count) : 0;
  std::optional<Eigenpairs> first;
  if (leading > 0) first = subspace_eigenpairs(covariance, D, leading, first_tolerance);
  if (!first) {
    const Eigenpairs all = dense_eigenpairs(std::move(covariance), D, count);
    take(all, pca);
    return pca;
  }
  take(*first, pca);
  if (count == leading) return pca;
  take_off(*first, covariance);
  auto rest = block_eigenpairs(covariance, D, count - leading, rest_tolerance * first->values[0]);
  if (!rest) rest = leading_eigenpairs_single(rounded(covariance), D, count - leading);
  pca.variances.insert(pca.variances.end(), rest->values.begin(), rest->values.end());
  copy_into(rest->vectors.view(), pca.directions.view().row_range(leading, count));
  return pca;
}

FloatMatrix leading_axes(FloatMatrix rows, std::size_t count) {
  const std::size_t d = rows.cols();
  const auto m = static_cast<double>(rows.rows());
  std::vector<float> mean;
  const Array<double> products = centred_products(rows, mean);
  std::optional<Eigenpairs> pairs = subspace_eigenpairs(products, d, count, 1e-6);
  if (!pairs) pairs = dense_eigenpairs(centred_products(rows, mean), d, count);
  FloatMatrix axes(count, d);
  for (std::size_t v = 0; v < count; ++v) {
    if (pairs->values[v] <= 1e-9 * pairs->values[0] || pairs->values[v] <= 0) continue;
    for (std::size_t j = 0; j < d; ++j)
      axes(v, j) = static_cast<float>(pairs->vectors(v, j) * std::sqrt(m / pairs->values[v]));
  }
  return axes;
}

Matrix<double> recombined(const Matrix<double>& V, const std::vector<double>& factors) {
  const std::size_t d = V.rows();
  Matrix<double> scaled(d, d), transposed(d, d), result(d, d);
  for (std::size_t v = 0; v < d; ++v)
    for (std::size_t j = 0; j < d; ++j) {
      scaled(v, j) = factors[v] * V(v, j);
      transposed(j, v) = V(v, j);
    }
  const Array<double> a(std::span<const double>(transposed.data(), d * d)),
      b(std::span<const double>(scaled.data(), d * d));
  Array<double> c(d * d);
  const auto on_device = [d](auto* data) { return MatrixView(data, d, d, d, Place::device); };
  multiply(Product::plain, on_device(a.data()), on_device(b.data()), on_device(c.data()));
  c.copy_to(std::span(result.data(), d * d));
  return result;
}

void project(const Projection& projection, FloatView x, MatrixView<float> y) {
  const Resident directions(projection.directions), mean(FloatView(projection.mean.data(), 1, projection.mean.size()));
  FloatMatrix shift(1, projection.dimension(), Place::device);
  multiply_transposed(x, directions, y);
  multiply_transposed(mean, directions, shift);
  std::vector<float> row(shift.cols());
  copy_numbers(shift.data(), Place::device, row.data(), Place::host, row.size() * sizeof(float));
  subtract_from_rows(y, row);
}

Matrix<double> cluster_means(FloatView y, std::span<const std::int32_t> labels, std::size_t clusters) {
  const Groups groups(labels, clusters);
  Matrix<double> means = on_host(group_sums(y, groups), clusters, 1);
  for (std::size_t c = 0; c < clusters; ++c)
    for (double& m : means.row(c)) m /= std::max(1.0, static_cast<double>(groups.sizes[c]));
  return means;
}

Matrix<double> within_covariance(FloatView y, std::span<const std::int32_t> labels, std::size_t clusters) {
  const Matrix<double> means = cuda::cluster_means(y, labels, clusters);
  const FloatMatrix rest = minus_own_row(y, Array<std::int32_t>(labels), means);
  return on_host(inner_products(rest), y.cols(), 1 / std::max(1.0, static_cast<double>(y.rows()) - 1));
}

std::vector<float> distances_to_means(FloatView z, std::span<const std::int32_t> labels, const Matrix<double>& means) {
  const FloatMatrix rest = minus_own_row(z, Array<std::int32_t>(labels), means);
  return cuda::squared_norms(rest).on_host();
}

}  // namespace pssc::cuda
