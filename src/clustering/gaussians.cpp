#include "cuda/clustering.hpp"
#include "moments.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/bfloat.hpp>
#include <pssc/core/eigen.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace pssc {

namespace {
constexpr std::size_t rows_per_block = 512;
constexpr std::size_t strip = 64;  // columns of a whitener at a time
}  // namespace

/// Whiteners in bfloat16, cut in strips of columns.
class RoundedWhiteners {
 public:
  explicit RoundedWhiteners(const std::vector<Gaussian>& gaussians) {
    for (const Gaussian& g : gaussians) {
      const auto d = static_cast<Eigen::Index>(g.shift.size());
      const Eigen::Map<const Eigen::VectorXf> shift(g.shift.data(), d);
      // Rows are rounded after the mean is taken from them.
      const Eigen::MatrixXd factor = as_eigen(g.whitener.view()).transpose().cast<double>();
      const Eigen::VectorXd mean = factor.triangularView<Eigen::Lower>().solve(shift.cast<double>());
      Whitener whitener{std::vector<float>(mean.data(), mean.data() + d), {}};
      for (std::size_t first = 0; first < g.shift.size(); first += strip) {
        const std::size_t last = std::min(g.shift.size(), first + strip);
        FloatMatrix columns(last - first, last);
        as_eigen(columns.view()) = as_eigen(g.whitener.view().row_range(0, last).col_range(first, last)).transpose();
        whitener.strips.emplace_back(columns);
      }
      whiteners_.push_back(std::move(whitener));
    }
  }

  /// As below.
  void add(FloatView y, std::size_t cluster, std::size_t from, std::size_t to, std::span<float> distances) const {
    FloatMatrix z(y.rows(), strip);
    for (std::size_t first = from; first < to; first += strip) {
      const std::size_t last = std::min(to, first + strip);
      const auto product = z.view().col_range(0, last - first);
      whiteners_[cluster].strips[first / strip].multiply(y.col_range(0, last), whiteners_[cluster].mean, product);
      for (std::size_t i = 0; i < y.rows(); ++i)
        distances[i] += as_eigen(FloatView(product).row_range(i, i + 1)).squaredNorm();
    }
  }

 private:
  struct Whitener {
    std::vector<float> mean;
    std::vector<BfloatMatrix> strips;
  };
  std::vector<Whitener> whiteners_;
};

namespace {

/// The upper triangle of the products of rows [n x d] less their mean, added to `sums` on the grid. Some columns at a
/// time, as the triangle needs them.
void add_products(FloatView centred, const Grid& grid, std::int64_t* sums) {
  constexpr std::size_t columns = 160;
  const std::size_t d = centred.cols();
  for (std::size_t a = 0; a < d; a += columns) {
    const std::size_t a_end = std::min(d, a + columns);
    const RowMajor<float> products =
        as_eigen(centred.col_range(a, a_end)).transpose() * as_eigen(centred.col_range(a, d));
    for (std::size_t i = a; i < a_end; ++i) {
      const float* from = products.data() + (i - a) * (d - a);
      for (std::size_t j = i; j < d; ++j) *sums++ += grid(double{from[j - a]});
    }
  }
}

/// Of every cluster; empty ones have no numbers.
std::vector<ClusterMoments> moments_of(const Context& context, FloatView y, const std::vector<Label>& labels,
                                       std::size_t clusters) {
  if constexpr (with_cuda)
    if (y.on_device()) return cuda::moments_of(y, labels, clusters);
  const std::size_t n = y.rows(), d = y.cols(), triangle = d * (d + 1) / 2;
  const Matrix<double> means = means_by_label(context, y, labels, clusters);
  const double reach = 2 * largest_size(context, y);
  const Grid grid(reach * reach * static_cast<double>(row_unit), sum_of_all(context, n));
  std::vector<std::int64_t> sums(clusters * (triangle + 1));  // and behind them the counts
  parallel_blocks(context, clusters, 1, [&](std::size_t c, std::size_t) {
    for (std::size_t first = 0; first < n; first += row_unit) {
      std::vector<std::size_t> rows;
      for (std::size_t i = first; i < std::min(n, first + row_unit); ++i)
        if (labels[i] == static_cast<Label>(c)) rows.push_back(i);
      if (rows.empty()) continue;
      FloatMatrix centred = gather_rows(y, rows);
      for (std::size_t i = 0; i < centred.rows(); ++i)
        for (std::size_t j = 0; j < d; ++j) centred(i, j) -= static_cast<float>(means(c, j));
      add_products(centred, grid, sums.data() + c * triangle);
      sums[clusters * triangle + c] += static_cast<std::int64_t>(rows.size());
    }
  });
  context.ranks().sum(sums);
  std::vector<ClusterMoments> moments(clusters);
  for (std::size_t c = 0; c < clusters; ++c) {
    ClusterMoments& m = moments[c];
    m.count = static_cast<std::size_t>(sums[clusters * triangle + c]);
    if (m.count == 0) continue;
    m.mean.assign(means.row(c).begin(), means.row(c).end());
    m.covariance = Matrix<double>(d, d);
    const std::int64_t* from = sums.data() + c * triangle;
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i; j < d; ++j)
        m.covariance(i, j) = m.covariance(j, i) = grid.value(*from++) / static_cast<double>(m.count);
  }
  return moments;
}

/// log density up to a constant: -|W (y - mean)|^2 / 2 + log |W|, with W = S^-1/2 from S's Cholesky factor, upper
/// triangular as rows are multiplied by it.
Gaussian from_covariance(const RowMajor<double>& S, const std::vector<double>& mean) {
  const Eigen::Index d = S.rows();
  const Eigen::LLT<Eigen::MatrixXd> factor(S);
  const Eigen::MatrixXd inverse = factor.matrixL().solve(Eigen::MatrixXd::Identity(d, d));
  const Eigen::VectorXd shift = inverse * Eigen::Map<const Eigen::VectorXd>(mean.data(), d);
  Gaussian g{FloatMatrix(mean.size(), mean.size()), std::vector<float>(mean.size()), 0};
  as_eigen(g.whitener.view()) = inverse.transpose().cast<float>();
  for (Eigen::Index i = 0; i < d; ++i) {
    g.shift[static_cast<std::size_t>(i)] = static_cast<float>(shift(i));
    g.log_determinant += std::log(inverse(i, i));
  }
  return g;
}

/// Refits the Gaussians of all clusters that are not empty.
void refit(const Context& context, const GaussianParams& params, FloatView y, const std::vector<Label>& labels,
           std::vector<Gaussian>& gaussians) {
  const auto d = static_cast<Eigen::Index>(y.cols());
  const std::size_t n = sum_of_all(context, y.rows());
  const std::vector<ClusterMoments> moments = moments_of(context, y, labels, gaussians.size());
  RowMajor<double> pooled = RowMajor<double>::Zero(d, d);
  for (const ClusterMoments& m : moments)
    if (m.count > 0) pooled += as_eigen(m.covariance.view()) * (static_cast<double>(m.count) / static_cast<double>(n));
  const double ridge = std::max(params.ridge * pooled.trace() / static_cast<double>(d), 1e-30);
  parallel_blocks(context, gaussians.size(), 1, [&](std::size_t c, std::size_t) {
    if (moments[c].count == 0) return;
    RowMajor<double> S = params.own * as_eigen(moments[c].covariance.view()) + (1 - params.own) * pooled;
    S.diagonal().array() += ridge;
    gaussians[c] = from_covariance(S, moments[c].mean);
  });
}

class PlainWhiteners {
 public:
  explicit PlainWhiteners(const std::vector<Gaussian>& gaussians) : gaussians_(gaussians) {}

  /// Adds to `distances` what columns [from, to) of |W (y - mean)|^2 are for each row of y and W, mean of a cluster;
  /// `from` is a multiple of `strip`. W is triangular: a strip of columns needs the rows up to its end alone, half of
  /// all on the whole.
  void add(FloatView y, std::size_t cluster, std::size_t from, std::size_t to, std::span<float> distances) const {
    const Gaussian& g = gaussians_[cluster];
    FloatMatrix z(y.rows(), std::min(strip, to - from));
    for (std::size_t first = from; first < to; first += strip) {
      const std::size_t last = std::min(to, first + strip);
      auto product = as_eigen(z.view().col_range(0, last - first));
      product.noalias() =
          as_eigen(y.col_range(0, last)) * as_eigen(g.whitener.view().row_range(0, last).col_range(first, last));
      const Eigen::Map<const Eigen::RowVectorXf> shift(g.shift.data() + first, static_cast<Eigen::Index>(last - first));
      for (std::size_t i = 0; i < y.rows(); ++i)
        distances[i] += (product.row(static_cast<Eigen::Index>(i)) - shift).squaredNorm();
    }
  }

 private:
  const std::vector<Gaussian>& gaussians_;
};

/// From here on a cluster is out of the question: log densities that differ by so many temperatures make a posterior of
/// 8e-7, below the four digits of a confidence.
constexpr double beyond_question = 14;

/// Squared Mahalanobis distances of a block of rows, [clusters x n], where only clusters matter that are likely at all.
/// A distance can but grow with every column: after each strip of columns, clusters that have fallen too far behind the
/// one that led after the first are left as they are.
template <class Whiteners>
void mahalanobis_of_likely(const GaussianRule& rule, const Whiteners& whiteners, FloatView y,
                           MatrixView<float> distances) {
  const std::size_t n = y.rows(), d = y.cols(), clusters = rule.gaussians.size();
  for (std::size_t c = 0; c < clusters; ++c) whiteners.add(y, c, 0, std::min(strip, d), distances.row(c));
  if (d <= strip) return;
  const auto score = [&](std::size_t c, std::size_t i) {
    return rule.gaussians[c].log_determinant - double{distances(c, i)} / 2;
  };
  const auto add = [&](std::size_t c, const std::vector<std::size_t>& rows, std::size_t from, std::size_t to) {
    if (rows.empty()) return;
    std::vector<float> sums;
    for (const std::size_t i : rows) sums.push_back(distances(c, i));
    whiteners.add(gather_rows(y.col_range(0, to), rows), c, from, to, sums);
    for (std::size_t k = 0; k < rows.size(); ++k) distances(c, rows[k]) = sums[k];
  };
  std::vector<std::vector<std::size_t>> leading(clusters), likely(clusters);
  std::vector<std::size_t> leader(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 1; c < clusters; ++c)
      if (score(c, i) > score(leader[i], i)) leader[i] = c;
    for (std::size_t c = 0; c < clusters; ++c) (c == leader[i] ? leading : likely)[c].push_back(i);
  }
  for (std::size_t c = 0; c < clusters; ++c) add(c, leading[c], strip, d);
  for (std::size_t from = strip; from < d; from += strip)
    for (std::size_t c = 0; c < clusters; ++c) {
      std::erase_if(likely[c], [&](std::size_t i) {
        return score(c, i) < score(leader[i], i) - beyond_question * rule.temperature;
      });
      add(c, likely[c], from, std::min(d, from + strip));
    }
}

/// The posterior of the best of `scores` (log densities). In d dimensions of which not all are independent, log
/// densities differ by far more than the evidence is worth; dividing them by a temperature makes the posterior mean
/// what it says.
float posterior_of_best(std::span<const double> scores, double temperature) {
  const double best = *std::ranges::max_element(scores);
  double sum = 0;
  for (const double s : scores) sum += std::exp((s - best) / temperature);
  return static_cast<float>(1 / sum);
}

/// Calls visit(row, log densities, squared distances) for every row, on the context's threads. `likely_only`: those of
/// clusters that are out of the question are only so far known.
template <class Whiteners, class Visit>
void for_each_row(const Context& context, FloatView y, const GaussianRule& rule, const Whiteners& whiteners,
                  bool likely_only, Visit&& visit) {
  parallel_blocks(context, y.rows(), rows_per_block, [&](std::size_t begin, std::size_t end) {
    const std::size_t clusters = rule.gaussians.size();
    FloatMatrix distances(clusters, end - begin);
    const FloatView block = y.row_range(begin, end);
    if (likely_only)
      mahalanobis_of_likely(rule, whiteners, block, distances);
    else
      for (std::size_t c = 0; c < clusters; ++c) whiteners.add(block, c, 0, y.cols(), distances.row(c));
    std::vector<double> scores(clusters);
    std::vector<float> squared(clusters);
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < clusters; ++c) {
        squared[c] = distances(c, i - begin);
        scores[c] = rule.gaussians[c].log_determinant - double{squared[c]} / 2;
      }
      visit(i, std::span<const double>(scores), std::span<const float>(squared));
    }
  });
}

template <class Whiteners>
Placed place_rows(const Context& context, const GaussianRule& rule, const Whiteners& whiteners, FloatView y) {
  const std::size_t n = y.rows(), d = y.cols();
  Placed placed{std::vector<Label>(n), std::vector<float>(n), std::vector<float>(n)};
  for_each_row(context, y, rule, whiteners, true,
               [&](std::size_t i, std::span<const double> scores, std::span<const float> distances) {
                 const auto best = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
                 placed.labels[i] = static_cast<Label>(best);
                 placed.confidence[i] = posterior_of_best(scores, rule.temperature);
                 placed.distances[i] = distances[best] / static_cast<float>(d);
               });
  return placed;
}

template <class Whiteners>
FloatMatrix posteriors(const Context& context, const GaussianRule& rule, const Whiteners& whiteners, FloatView y) {
  FloatMatrix result(y.rows(), rule.gaussians.size());
  for_each_row(context, y, rule, whiteners, false, [&](std::size_t i, std::span<const double> scores, auto) {
    const double largest = double{posterior_of_best(scores, rule.temperature)},
                 best = *std::ranges::max_element(scores);
    for (std::size_t c = 0; c < scores.size(); ++c)
      result(i, c) = static_cast<float>(largest * std::exp((scores[c] - best) / rule.temperature));
  });
  return result;
}

}  // namespace

Placed GaussianRule::place(const Context& context, FloatView y) const {
  if constexpr (with_cuda)
    if (y.on_device()) return cuda::place_by_gaussians(*this, y);
  return place_rows(context, *this, PlainWhiteners(gaussians), y);
}

GaussianPlacer::GaussianPlacer(const GaussianRule& rule) : rule_(rule) {
  if (multiplies_bfloats()) rounded_ = std::make_unique<RoundedWhiteners>(rule.gaussians);
}

GaussianPlacer::~GaussianPlacer() = default;

Placed GaussianPlacer::place(const Context& context, FloatView y) const {
  if (!rounded_ || y.on_device()) return rule_.place(context, y);
  return place_rows(context, rule_, *rounded_, y);
}

FloatMatrix GaussianRule::probabilities(const Context& context, FloatView y) const {
  if (y.on_device()) return probabilities(context, copy_to(Place::host, y));
  return posteriors(context, *this, PlainWhiteners(gaussians), y);
}

FloatMatrix GaussianPlacer::probabilities(const Context& context, FloatView y) const {
  if (!rounded_ || y.on_device()) return rule_.probabilities(context, y);
  return posteriors(context, rule_, *rounded_, y);
}

GaussianResult fit_gaussians(const Context& context, const GaussianParams& params, FloatView y,
                             std::vector<Label> labels, std::size_t clusters) {
  const std::size_t n = y.rows(), d = y.cols(), total = sum_of_all(context, n);
  GaussianResult result{std::move(labels), {}, {}, 0, {params.temperature, std::vector<Gaussian>(clusters)}};
  std::vector<Gaussian>& gaussians = result.rule.gaussians;
  for (result.rounds = 1; result.rounds <= params.rounds; ++result.rounds) {
    context.report("Gaussians", result.rounds - 1, params.rounds);
    refit(context, params, y, result.labels, gaussians);
    std::erase_if(gaussians, [](const Gaussian& g) { return g.shift.empty(); });  // empty from the start
    Placed placed = result.rule.place(context, y);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < n; ++i) changed += placed.labels[i] != result.labels[i];
    result.labels = std::move(placed.labels);
    result.confidence = std::move(placed.confidence);
    result.distances = std::move(placed.distances);
    if (static_cast<double>(sum_of_all(context, changed)) < params.settled * static_cast<double>(total)) break;
  }
  std::vector<std::int64_t> sizes(clusters);
  for (const Label l : result.labels) ++sizes[static_cast<std::size_t>(l)];
  context.ranks().sum(sizes);
  result.log_likelihood = -sum_of_values(context, result.distances) * static_cast<double>(d) / 2;
  for (std::size_t c = 0; c < gaussians.size(); ++c)
    result.log_likelihood += static_cast<double>(sizes[c]) * gaussians[c].log_determinant;
  result.log_likelihood /= static_cast<double>(total);
  return result;
}

}  // namespace pssc
