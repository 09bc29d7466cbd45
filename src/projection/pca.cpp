#include "cuda/projection.hpp"

#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>
#include <pssc/projection.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

namespace pssc {

namespace {

constexpr std::uint64_t sample_stream = 0x706361;

Error all_identical() {
  return input_error("all images are identical: there is nothing to tell apart");
}

/// From here on single precision is worth its errors, which are below those of the features themselves: 3.0 s against
/// 7.1 s for 1,000 of 3,472 components.
constexpr std::size_t large_covariance = 800;

void components_of(const Context& context, Matrix<double>& covariance, std::size_t count, Projection& pca) {
  const std::size_t D = covariance.rows();
  for (std::size_t i = 0; i < D; ++i) pca.total_variance += covariance(i, i);
  if (!(pca.total_variance > 0)) throw all_identical();
  context.report("eigenvectors", 0, 0);
  std::optional<Eigenpairs> pairs;
  if (D > large_covariance) pairs = leading_eigenpairs_single(covariance, count);
  if (!pairs) pairs = leading_eigenpairs(context, covariance, count);
  pca.variances = std::move(pairs->values);
  pca.directions = FloatMatrix(count, D);
  std::transform(pairs->vectors.data(), pairs->vectors.data() + pairs->vectors.size(), pca.directions.data(),
                 [](double v) { return static_cast<float>(v); });
}

/// What rank 0 has found, to all.
void broadcast(const Context& context, Projection& pca) {
  pssc::broadcast(context, pca.mean);
  pssc::broadcast(context, pca.directions);
  pssc::broadcast(context, pca.variances);
  std::vector<double> total{pca.total_variance};
  pssc::broadcast(context, total);
  pca.total_variance = total[0];
}

Projection from_covariance(const Context& context, FloatView x, std::size_t dims) {
  if constexpr (with_cuda)
    if (x.on_device()) return cuda::components(x, dims);
  const std::size_t D = x.cols(), n = sum_of_all(context, x.rows());
  Projection pca;
  Matrix<double> covariance;
  {
    const std::vector<float> origin = column_means(context, x);
    Moments moments(D, 2 * largest_size(context, x), n);
    moments.add(context, x, origin);
    moments.combine(context, false);
    if (context.ranks().rank() == 0) {
      const std::vector<double> mean = moments.mean(origin);
      pca.mean.assign(mean.begin(), mean.end());
      covariance = moments.covariance();
    }
  }
  once_alone(context, [&](const Context& alone) { components_of(alone, covariance, std::min({dims, D, n - 1}), pca); });
  broadcast(context, pca);
  return pca;
}

void subtract_from_rows(const Context& context, const std::vector<float>& row, FloatMatrix& x) {
  if constexpr (with_cuda)
    if (x.place() == Place::device) return cuda::subtract_from_rows(x, row);
  parallel_blocks(context, x.rows(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < x.cols(); ++j) x(i, j) -= row[j];
  });
}

/// With X the centred rows [m x D]: where X X^T u = lambda u, X^T u / sqrt(lambda) is an eigenvector of X^T X.
Projection from_inner_products(const Context& context, FloatMatrix x, std::size_t dims) {
  Projection pca;
  const std::size_t m = x.rows(), D = x.cols();
  pca.mean = column_means(context, x);
  subtract_from_rows(context, pca.mean, x);
  FloatMatrix products(m, m, x.place());
  multiply_transposed(context, x, x, products);
  if (products.place() == Place::device) products = copy_to(Place::host, FloatView(products));
  Matrix<double> gram(m, m);
  for (std::size_t i = 0; i < gram.size(); ++i)
    gram.data()[i] = double{products.data()[i]} / static_cast<double>(m - 1);
  for (std::size_t i = 0; i < m; ++i) pca.total_variance += gram(i, i);
  if (!(pca.total_variance > 0)) throw all_identical();

  Eigenpairs pairs = leading_eigenpairs(context, gram, std::min(dims, m - 1));
  // Directions without variance have no eigenvector on this side; drop them.
  const auto useful = std::ranges::count_if(pairs.values, [&](double v) { return v > 1e-7 * pairs.values[0]; });
  const auto d = static_cast<std::size_t>(useful);
  pca.variances.assign(pairs.values.begin(), pairs.values.begin() + useful);
  FloatMatrix coefficients(d, m);
  for (std::size_t v = 0; v < d; ++v)
    for (std::size_t i = 0; i < m; ++i)
      coefficients(v, i) =
          static_cast<float>(pairs.vectors(v, i) / std::sqrt(pairs.values[v] * static_cast<double>(m - 1)));
  pca.directions = FloatMatrix(d, D, x.place());
  multiply(context, coefficients, x, pca.directions);
  if (x.place() == Place::device) pca.directions = copy_to(Place::host, FloatView(pca.directions));
  return pca;
}

}  // namespace

std::size_t rows_for_components(const Context& context, std::size_t dimension) {
  constexpr std::size_t largest_covariance = 6000, most_rows = 4000,
                        bytes_an_entry = 24;  // two of double, two of float
  const auto largest = static_cast<std::size_t>(
      std::sqrt(static_cast<double>(context.memory) / 2 / static_cast<double>(bytes_an_entry)));
  if (dimension <= std::min(largest_covariance, largest)) return std::numeric_limits<std::size_t>::max();
  return std::clamp<std::size_t>(largest, 1000, most_rows);
}

Projection fit_pca(const Context& context, FloatView x, std::size_t dims) {
  const std::size_t n = sum_of_all(context, x.rows());
  if (n < 2) throw input_error("principal components need at least 2 images");
  Projection pca;
  const std::size_t most = rows_for_components(context, x.cols());
  const bool few = 2 * n <= x.cols();  // then inner products are both less work and as good
  if (!few && most == std::numeric_limits<std::size_t>::max()) {
    pca = from_covariance(context, x, dims);
  } else {
    auto rows = Random(context.seed(), sample_stream).choose(n, most);
    std::ranges::sort(rows);
    if (context.ranks().ranks() == 1) {
      pca = from_inner_products(context, gather_rows(x, rows), dims);
    } else {
      const FloatMatrix picked = pick_rows(context, x, rows);
      FloatMatrix all = gather_matrix_at_first(context, picked);
      once_alone(context, [&](const Context& alone) { pca = from_inner_products(alone, std::move(all), dims); });
      broadcast(context, pca);
    }
  }
  for (double& v : pca.variances) v = std::max(v, 0.0);
  return pca;
}

FloatMatrix leading_axes(const Context& context, FloatMatrix rows, std::size_t count) {
  const std::size_t m = rows.rows(), d = rows.cols();
  if constexpr (with_cuda)
    if (rows.place() == Place::device && m >= 3 && d > 4 * count + 32)
      return cuda::leading_axes(std::move(rows), count);
  FloatMatrix directions(count, d);
  if (m < 3) return directions;
  rows = to_host(std::move(rows));
  const std::vector<float> mean = column_means(context, rows);
  FloatMatrix products(m, m);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < d; ++j) rows(i, j) -= mean[j];
  multiply_transposed(context, rows, rows, products);
  Matrix<double> gram(m, m);
  std::copy_n(products.data(), products.size(), gram.data());
  const Eigenpairs pairs = leading_eigenpairs(context, gram, std::min(count, m));
  for (std::size_t v = 0; v < pairs.values.size(); ++v) {
    if (pairs.values[v] <= 1e-9 * pairs.values[0] || pairs.values[v] <= 0) continue;
    // X^T u is the direction times its length sqrt(lambda); the deviation is sqrt(lambda / m).
    const double scale = std::sqrt(static_cast<double>(m)) / pairs.values[v];
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < d; ++j)
        directions(v, j) += static_cast<float>(pairs.vectors(v, i) * scale * double{rows(i, j)});
  }
  return directions;
}

Projection orthogonal_complement(const Projection& projection, std::size_t n) {
  const std::size_t d = projection.dimension();
  if (n >= d)
    throw usage_error("cannot drop " + std::to_string(n) + " of " + std::to_string(d) +
                      " directions; lower --poc-dims or raise --pca-dims");
  Projection rest{projection.mean,
                  FloatMatrix(d - n, projection.directions.cols()),
                  {projection.variances.begin() + static_cast<std::ptrdiff_t>(n), projection.variances.end()},
                  projection.total_variance};
  as_eigen(rest.directions.view()) = as_eigen(projection.directions.view().row_range(n, d));
  return rest;
}

void project(const Context& context, const Projection& projection, FloatView x, MatrixView<float> y) {
  if constexpr (with_cuda)
    if (x.on_device()) return cuda::project(projection, x, y);
  // (x - mean) V^T, with the mean's share taken off after the product: no centred copy of x is needed.
  const std::size_t d = projection.dimension();
  multiply_transposed(context, x, projection.directions, y);
  std::vector<float> shift(d);
  for (std::size_t i = 0; i < d; ++i)
    shift[i] = static_cast<float>(
        std::inner_product(projection.mean.begin(), projection.mean.end(), projection.directions.row(i).begin(), 0.0));
  parallel_blocks(context, x.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < d; ++j) y(i, j) -= shift[j];
  });
}

FloatMatrix project(const Context& context, const Projection& projection, FloatView x) {
  FloatMatrix y(x.rows(), projection.dimension(), x.place());
  project(context, projection, x, y);
  return y;
}

}  // namespace pssc
