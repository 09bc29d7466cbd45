#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/projection.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pssc {

struct PcaFit::State {
  State(std::size_t rows, std::size_t dimension)
      : expected(rows), moments(dimension <= largest_covariance ? dimension : 0) {
    if (dimension > largest_covariance) sample = FloatMatrix(std::min(rows, sample_size), dimension);
  }
  std::size_t expected, seen = 0, sampled = 0;
  std::vector<float> origin;  ///< mean of the first rows: near enough to keep float products precise
  Moments moments;
  FloatMatrix sample;  ///< used instead of the moments where it is not empty
};

PcaFit::PcaFit(std::size_t rows, std::size_t dimension) : state_(std::make_unique<State>(rows, dimension)) {}
PcaFit::~PcaFit() = default;

std::size_t PcaFit::rows_used() const {
  return state_->sample.empty() ? state_->seen : state_->sampled;
}

void PcaFit::add(const Context& context, FloatView x) {
  State& s = *state_;
  if (s.sample.empty()) {
    if (s.seen == 0) s.origin = column_means(context, x);
    s.moments.add(context, x, s.origin);
    s.seen += x.rows();
    return;
  }
  for (std::size_t i = 0; i < x.rows(); ++i, ++s.seen)  // row r is the next sample where r >= next * expected / samples
    if (s.sampled < s.sample.rows() && s.seen * s.sample.rows() >= s.sampled * s.expected)
      std::ranges::copy(x.row(i), s.sample.row(s.sampled++).begin());
}

namespace {

Error all_identical() {
  return input_error("all images are identical: there is nothing to tell apart");
}

Projection from_covariance(const Context& context, const Moments& moments, std::span<const float> origin,
                           std::size_t dims) {
  Projection pca;
  const std::vector<double> mean = moments.mean(origin);
  pca.mean.assign(mean.begin(), mean.end());
  Matrix<double> covariance = moments.covariance();
  const std::size_t D = covariance.rows();
  for (std::size_t i = 0; i < D; ++i) pca.total_variance += covariance(i, i);
  if (!(pca.total_variance > 0)) throw all_identical();
  Eigenpairs pairs = leading_eigenpairs(context, covariance, std::min({dims, D, moments.count() - 1}));
  pca.variances = std::move(pairs.values);
  pca.directions = FloatMatrix(pairs.vectors.rows(), D);
  std::transform(pairs.vectors.data(), pairs.vectors.data() + pairs.vectors.size(), pca.directions.data(),
                 [](double v) { return static_cast<float>(v); });
  return pca;
}

/// With X the centred rows [m x D]: where X X^T u = lambda u, X^T u / sqrt(lambda) is an eigenvector of X^T X.
Projection from_inner_products(const Context& context, FloatMatrix& x, std::size_t dims) {
  Projection pca;
  const std::size_t m = x.rows(), D = x.cols();
  pca.mean = column_means(context, x);
  parallel_blocks(context, m, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < D; ++j) x(i, j) -= pca.mean[j];
  });
  FloatMatrix products(m, m);
  multiply_transposed(context, x, x, products);
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
  pca.directions = FloatMatrix(d, D);
  multiply(context, coefficients, x, pca.directions);
  return pca;
}

}  // namespace

Projection PcaFit::finish(const Context& context, std::size_t dims) {
  State& s = *state_;
  if (rows_used() < 2) throw input_error("principal components need at least 2 images");
  s.sample.truncate_rows(s.sampled);
  Projection pca = s.sample.empty() ? from_covariance(context, s.moments, s.origin, dims)
                                    : from_inner_products(context, s.sample, dims);
  for (double& v : pca.variances) v = std::max(v, 0.0);
  return pca;
}

Projection fit_pca(const Context& context, FloatView x, std::size_t dims) {
  PcaFit fit(x.rows(), x.cols());
  fit.add(context, x);
  return fit.finish(context, dims);
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
  FloatMatrix y(x.rows(), projection.dimension());
  project(context, projection, x, y);
  return y;
}

}  // namespace pssc
