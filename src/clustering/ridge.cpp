// Kernel ridge regression on cluster labels, through representatives (Nystrom). With K_zr the Gaussian kernel between
// rows and representatives and L L^T = K_rr + 1e-4 I:
//   Phi = K_zr L^-T,   G = Phi^T Phi + 0.3 I,   f = Phi G^-1 Phi^T T,   T the labels as 0 and 1.
// Each row is judged by a model that has not seen it: (f_i - h_i t_i) / (1 - h_i) with h_i = phi_i G^-1 phi_i^T. One
// factorisation serves every round of relabelling.
#include "cuda/clustering.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/eigen.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <optional>

namespace pssc {

namespace {

constexpr std::size_t rows_per_block = 256;

/// exp(-|x - r|^2 / (2 width^2)) of rows and representatives: [n x p], where x lies.
FloatMatrix kernel(const Context& context, FloatView x, FloatView representatives, double width) {
  if constexpr (with_cuda)
    if (x.on_device()) return cuda::gaussian_kernel(x, representatives, width);
  FloatMatrix values(x.rows(), representatives.rows());
  const std::vector<float> norms = squared_norms(representatives);
  const auto scale = static_cast<float>(-1 / (2 * width * width));
  parallel_blocks(context, x.rows(), rows_per_block, [&](std::size_t begin, std::size_t end) {
    const auto block = values.view().row_range(begin, end);
    squared_distances(x.row_range(begin, end), representatives, norms, block);
    auto k = as_eigen(block).array();
    k = (k * scale).exp();
  });
  return values;
}

/// 1 / (2 s^2) belongs to s^2 twice the mean squared distance to the fifth nearest representative.
double kernel_width(const Context& context, FloatView z, FloatView representatives) {
  const std::size_t k = std::min<std::size_t>(5, representatives.rows());
  const Neighbours near = nearest(context, Search::exact, k, z, representatives);
  std::vector<float> squared(z.rows());
  for (std::size_t i = 0; i < squared.size(); ++i) squared[i] = std::max(0.0F, near.distances(i, k - 1));
  const double mean =
      sum_of_values(context, squared) / static_cast<double>(std::max<std::size_t>(1, sum_of_all(context, z.rows())));
  constexpr double least = 1e-10;  // where all rows lie on representatives
  return std::sqrt(std::max(2 * mean, least));
}

/// L^-T for L L^T = K_rr + jitter I.
Eigen::MatrixXd inverse_root(const Context& context, FloatView representatives, double width, double jitter) {
  const FloatMatrix k = to_host(kernel(context, representatives, representatives, width));
  Eigen::MatrixXd K = as_eigen(k.view()).cast<double>();
  K = (K + K.transpose()).eval() / 2;
  K.diagonal().array() += jitter;
  const Eigen::LLT<Eigen::MatrixXd> factor(K);
  const Eigen::Index p = K.rows();
  return factor.matrixU().solve(Eigen::MatrixXd::Identity(p, p));
}

FloatMatrix as_floats(const Eigen::MatrixXd& m) {
  FloatMatrix result(static_cast<std::size_t>(m.rows()), static_cast<std::size_t>(m.cols()));
  as_eigen(result.view()) = m.cast<float>();
  return result;
}

/// A B, where A lies.
FloatMatrix product(const Context& context, FloatView a, FloatView b) {
  FloatMatrix c(a.rows(), b.cols(), a.place());
  if constexpr (with_cuda)
    if (a.on_device()) {
      cuda::multiply(a, cuda::Resident(b), c);
      return c;
    }
  multiply(context, a, b, c);
  return c;
}

std::vector<float> row_norms(FloatView x) {
  if constexpr (with_cuda)
    if (x.on_device()) return cuda::squared_norms(x).on_host();
  return squared_norms(x);
}

/// A U for an upper triangular U.
void multiply_upper(const Context& context, FloatView a, FloatView upper, MatrixView<float> c) {
  if constexpr (with_cuda)
    if (a.on_device()) return cuda::multiply(a, upper, c);
  parallel_blocks(context, a.rows(), rows_per_block, [&](std::size_t begin, std::size_t end) {
    as_eigen(c.row_range(begin, end)).noalias() =
        as_eigen(a.row_range(begin, end)) * as_eigen(upper).triangularView<Eigen::Upper>();
  });
}

/// Rows at a time wherever there is something to hold for each row and representative.
constexpr std::size_t rows_at_once = 4 * row_unit;

/// Calls body(begin, end) for all rows, some at a time.
template <class Body>
void for_some_rows(std::size_t n, Body&& body) {
  for (std::size_t begin = 0; begin < n; begin += rows_at_once) body(begin, std::min(n, begin + rows_at_once));
}

/// Where rows lie: a small operand beside them.
FloatMatrix beside(FloatView rows, const Eigen::MatrixXd& m) {
  FloatMatrix host = as_floats(m);
  return rows.on_device() ? copy_to(Place::device, FloatView(host)) : std::move(host);
}

std::vector<Label> largest_of_rows(FloatView values) {
  std::vector<Label> labels(values.rows());
  for (std::size_t i = 0; i < labels.size(); ++i)
    labels[i] = static_cast<Label>(std::ranges::max_element(values.row(i)) - values.row(i).begin());
  return labels;
}

bool all_filled(const Context& context, const std::vector<Label>& labels, std::size_t clusters) {
  std::vector<std::int64_t> sizes(clusters);
  for (const Label l : labels) ++sizes[static_cast<std::size_t>(l)];
  context.ranks().sum(sizes);
  return std::ranges::all_of(sizes, [](std::int64_t s) { return s > 0; });
}

/// exp((values - largest) / temperature), scaled to sum 1.
void to_probabilities(std::span<float> values, double temperature) {
  const float largest = std::ranges::max(values);
  double sum = 0;
  for (float& v : values) sum += double{v = static_cast<float>(std::exp(double{v - largest} / temperature))};
  for (float& v : values) v = static_cast<float>(double{v} / sum);
}

}  // namespace

/// The rows of Phi and what one factorisation of G gives.
struct RidgeRegression::State {
  const Context& context;
  RidgeParams params;
  std::size_t clusters;
  std::size_t images;  ///< of all ranks
  FloatMatrix representatives;
  double width;
  Eigen::MatrixXd root;  ///< L^-T
  FloatMatrix features;  ///< Phi [n x p]
  Eigen::LLT<Eigen::MatrixXd> gram;
  std::vector<float> leverage;      ///< h [n]
  std::optional<SumsByLabel> sums;  ///< on the host

  State(const Context& of, const RidgeParams& given, FloatView z, std::size_t into)
      : context(of),
        params(given),
        clusters(into),
        images(sum_of_all(of, z.rows())),
        representatives(stand_ins(z)),
        width(kernel_width(of, z, representatives)),
        root(inverse_root(of, representatives, width, given.jitter)) {
    features = FloatMatrix(z.rows(), representatives.rows(), z.place());
    const FloatMatrix root_there = beside(z, root);
    for_some_rows(z.rows(), [&](std::size_t begin, std::size_t end) {
      multiply_upper(context, kernel(context, z.row_range(begin, end), representatives, width), root_there,
                     features.view().row_range(begin, end));
    });
    const Matrix<double> products = inner_products(context, features);
    Eigen::MatrixXd G = as_eigen(products.view());
    G.diagonal().array() += params.ridge;
    gram.compute(G);
    const Eigen::Index p = G.rows();
    const FloatMatrix whitener = beside(z, gram.matrixU().solve(Eigen::MatrixXd::Identity(p, p)));
    for_some_rows(z.rows(), [&](std::size_t begin, std::size_t end) {
      FloatMatrix whitened(end - begin, whitener.cols(), z.place());
      multiply_upper(context, features.view().row_range(begin, end), whitener, whitened);
      const std::vector<float> norms = row_norms(whitened);
      leverage.insert(leverage.end(), norms.begin(), norms.end());
    });
  }

  /// G^-1 Phi^T T.
  Eigen::MatrixXd weights(const std::vector<Label>& labels) {
    const Matrix<double> sums_of_rows = cluster_sums(labels);
    return gram.solve(as_eigen(sums_of_rows.view()).transpose());
  }

 private:
  FloatMatrix stand_ins(FloatView z) const {
    const std::size_t p = std::clamp<std::size_t>(params.representatives, 1, images);
    const USpecParams chosen{.candidates = std::clamp(5 * p, p, images), .representatives = p, .lloyd_iterations = 8};
    return to_host(choose_representatives(context, chosen, z));
  }

  /// Phi^T T, transposed: the sum of the rows of each cluster.
  Matrix<double> cluster_sums(const std::vector<Label>& labels) {
    if constexpr (with_cuda)
      if (features.place() == Place::device) {
        Matrix<double> on_host(clusters, features.cols());
        cuda::group_sums(features, cuda::Groups(labels, clusters)).copy_to({on_host.data(), on_host.size()});
        return on_host;
      }
    if (!sums) sums.emplace(context, features, clusters);
    sums->update(context, labels);
    return sums->sums(context);
  }
};

RidgeRegression::RidgeRegression(const Context& context, const RidgeParams& params, FloatView z, std::size_t clusters) {
  context.report("ridge", 0, 0);
  state_ = std::make_unique<State>(context, params, z, clusters);
}

RidgeRegression::~RidgeRegression() = default;

FloatMatrix RidgeRegression::left_out_values(const std::vector<Label>& labels) {
  constexpr float most = 1 - 1e-3F;  // a row that is its own representative is judged by itself alone
  FloatMatrix f = to_host(product(state_->context, state_->features, as_floats(state_->weights(labels))));
  for (std::size_t i = 0; i < f.rows(); ++i) {
    const float h = std::min(state_->leverage[i], most);
    f(i, static_cast<std::size_t>(labels[i])) -= h;
    for (float& v : f.row(i)) v /= 1 - h;
  }
  return f;
}

std::vector<Label> RidgeRegression::relabelled(const std::vector<Label>& labels) {
  return largest_of_rows(left_out_values(labels));
}

RidgeResult RidgeRegression::refine(std::vector<Label> labels) {
  const Context& context = state_->context;
  const RidgeParams& params = state_->params;
  RidgeResult result;
  result.values = left_out_values(labels);
  for (; result.rounds < params.rounds; ++result.rounds) {
    std::vector<Label> better = largest_of_rows(result.values);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) changed += better[i] != labels[i];
    if (!all_filled(context, better, state_->clusters)) break;  // as many clusters as were asked for stay
    labels = std::move(better);
    result.values = left_out_values(labels);
    if (static_cast<double>(sum_of_all(context, changed)) < params.settled * static_cast<double>(state_->images)) break;
  }
  result.rule.representatives = state_->representatives.copy();
  result.rule.width = state_->width;
  result.rule.weights = as_floats(state_->root * state_->weights(labels));
  result.labels = std::move(labels);
  return result;
}

double fit_temperature(const Context& context, FloatView values, FloatView votes) {
  // Golden section on the logarithm; the mean log probability has one maximum.
  const std::size_t n = std::max<std::size_t>(1, sum_of_all(context, values.rows()));
  const Grid grid(100, n);
  const auto loss = [&](double log_temperature) {
    std::vector<std::int64_t> sums((values.rows() + row_unit - 1) / row_unit);
    parallel_blocks(context, values.rows(), row_unit, [&](std::size_t begin, std::size_t end) {
      std::vector<float> p(values.cols());
      for (std::size_t i = begin; i < end; ++i) {
        std::ranges::copy(values.row(i), p.begin());
        to_probabilities(p, std::exp(log_temperature));
        double one = 0;
        for (std::size_t c = 0; c < p.size(); ++c) one -= double{votes(i, c)} * std::log(double{p[c]} + 1e-9);
        sums[begin / row_unit] += grid(one);
      }
    });
    std::int64_t sum = 0;
    for (const std::int64_t s : sums) sum += s;
    context.ranks().sum({&sum, 1});
    return grid.value(sum);
  };
  constexpr double golden = 0.6180339887498949;
  double low = std::log(0.01), high = std::log(2.0);
  double a = high - golden * (high - low), b = low + golden * (high - low), at_a = loss(a), at_b = loss(b);
  for (int step = 0; step < 16; ++step) {
    if (at_a <= at_b) {
      high = b, b = a, at_b = at_a;
      a = high - golden * (high - low), at_a = loss(a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + golden * (high - low), at_b = loss(b);
    }
  }
  return std::exp((low + high) / 2);
}

void to_probabilities(const Context& context, MatrixView<float> values, double temperature) {
  parallel_blocks(context, values.rows(), row_unit, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to_probabilities(values.row(i), temperature);
  });
}

FloatMatrix RidgeRule::probabilities(const Context& context, FloatView z) const {
  FloatMatrix result(z.rows(), weights.cols());
  for_some_rows(z.rows(), [&](std::size_t begin, std::size_t end) {
    const FloatMatrix k = kernel(context, z.row_range(begin, end), representatives, width);
    const FloatMatrix values = to_host(product(context, k, weights));
    copy_into(values.view(), result.view().row_range(begin, end));
  });
  to_probabilities(context, result, temperature);
  return result;
}

Placed RidgeRule::place(const Context& context, FloatView z) const {
  const FloatMatrix p = probabilities(context, z);
  Placed placed{largest_of_rows(p), std::vector<float>(z.rows()), {}};
  for (std::size_t i = 0; i < z.rows(); ++i) placed.confidence[i] = p(i, static_cast<std::size_t>(placed.labels[i]));
  return placed;
}

}  // namespace pssc
