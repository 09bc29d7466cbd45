// Transfer cut (Li, Wu and Chang 2012): the eigenvectors of the bipartite graph of n images and p representatives, from
// those of a graph of the p representatives alone.
//   W = A^T D_X^-1 A,   L = D_Y^-1/2 W D_Y^-1/2,   L v = lambda v,   u = D_X^-1 A D_Y^-1/2 v
#include "representatives.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace pssc {

namespace {

constexpr double tiny = 1e-10;

/// A_ij = exp(-d^2 / (2 sigma^2)), sigma the mean of all kept distances d; returned in the distances' shape. The
/// authors' program squares the squared distances again: exp(-d^4 / (2 m^2)), m the mean of d^2.
Matrix<double> affinities(const FloatMatrix& squared, bool as_published_code) {
  const auto length = [&](float d2) { return as_published_code ? static_cast<double>(d2) : std::sqrt(double{d2}); };
  double sigma = 0;
  for (std::size_t i = 0; i < squared.size(); ++i) sigma += length(squared.data()[i]);
  sigma = std::max(sigma / static_cast<double>(squared.size()), tiny);
  Matrix<double> A(squared.rows(), squared.cols());
  for (std::size_t i = 0; i < squared.size(); ++i) {
    const double d = length(squared.data()[i]) / sigma;
    A.data()[i] = std::exp(-d * d / 2);
  }
  return A;
}

/// Rows of D_X^-1 A. An image so far away that its row vanished is tied to its nearest representative alone.
void normalise_rows(const Matrix<double>& A, FloatMatrix& weights) {
  for (std::size_t i = 0; i < A.rows(); ++i) {
    double degree = 0;
    for (const double a : A.row(i)) degree += a;
    for (std::size_t j = 0; j < A.cols(); ++j)
      weights(i, j) = degree > 1e-300 ? static_cast<float>(A(i, j) / degree) : (j == 0 ? 1.0F : 0.0F);
  }
}

Matrix<double> reduced_affinity(const Matrix<std::int32_t>& indices, const Matrix<double>& A, const FloatMatrix& P,
                                std::size_t p) {
  Matrix<double> W(p, p);
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t a = 0; a < A.cols(); ++a)
      for (std::size_t b = 0; b < A.cols(); ++b)
        W(static_cast<std::size_t>(indices(i, a)), static_cast<std::size_t>(indices(i, b))) +=
            A(i, a) * double{P(i, b)};
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < i; ++j) W(i, j) = W(j, i) = (W(i, j) + W(j, i)) / 2;
  return W;
}

/// The authors' program takes the eigenvectors of the covariance of the rows of L instead of those of L.
Matrix<double> covariance_of_rows(const Context& context, const Matrix<double>& L) {
  FloatMatrix rows(L.rows(), L.cols());
  for (std::size_t i = 0; i < L.size(); ++i) rows.data()[i] = static_cast<float>(L.data()[i]);
  Moments moments(L.cols());
  moments.add(context, rows, column_means(context, rows));
  return moments.covariance();
}

}  // namespace

ReducedGraph reduce_graph(const Context& context, const USpecParams& params, FloatView x, std::size_t eigenvectors) {
  context.report("representatives", 0, 0);
  return reduce_graph(context, params, x, select_representatives(context, params, x), eigenvectors);
}

ReducedGraph reduce_graph(const Context& context, const USpecParams& params, FloatView x, FloatMatrix representatives,
                          std::size_t eigenvectors) {
  ReducedGraph graph;
  graph.representatives = std::move(representatives);
  const std::size_t p = graph.representatives.rows();
  Neighbours found = nearest(context, params.search, params.neighbours, x, graph.representatives);

  context.report("transfer cut", 0, 0);
  const Matrix<double> A = affinities(found.distances, params.as_published_code);
  for (std::size_t i = 0; i < x.rows(); ++i) graph.distances.push_back(found.distances(i, 0));
  graph.weights = std::move(found.distances);
  normalise_rows(A, graph.weights);
  graph.indices = std::move(found.indices);
  Matrix<double> L = reduced_affinity(graph.indices, A, graph.weights, p);
  std::vector<double> scale(p);
  for (std::size_t i = 0; i < p; ++i) {
    double degree = 0;
    for (const double w : L.row(i)) degree += w;
    scale[i] = 1 / std::sqrt(degree + tiny);
  }
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j) L(i, j) *= scale[i] * scale[j];
  if (params.as_published_code) L = covariance_of_rows(context, L);

  Eigenpairs pairs = leading_eigenpairs(context, L, std::min(eigenvectors, p));
  for (std::size_t v = 0; v < pairs.vectors.rows(); ++v)
    for (std::size_t i = 0; i < p; ++i) pairs.vectors(v, i) *= scale[i];
  graph.eigenvalues = std::move(pairs.values);
  graph.eigenvectors = std::move(pairs.vectors);
  return graph;
}

FloatMatrix spectral_embedding(const Context& context, const ReducedGraph& graph, std::size_t dims) {
  FloatMatrix u(graph.indices.rows(), dims);
  parallel_blocks(context, u.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(dims);
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::fill(row, 0.0);
      for (std::size_t j = 0; j < graph.indices.cols(); ++j)
        for (std::size_t v = 0; v < dims; ++v)
          row[v] += double{graph.weights(i, j)} * graph.eigenvectors(v, static_cast<std::size_t>(graph.indices(i, j)));
      double norm = 0;
      for (const double r : row) norm += r * r;
      norm = std::sqrt(norm) + tiny;
      for (std::size_t v = 0; v < dims; ++v) u(i, v) = static_cast<float>(row[v] / norm);
    }
  });
  return u;
}

std::vector<float> graph_confidence(const ReducedGraph& graph, const std::vector<Label>& labels, std::size_t clusters) {
  const std::size_t p = graph.representatives.rows(), k = graph.indices.cols();
  Matrix<double> share(p, clusters);  // of a representative's weight, by the clusters of its images
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t j = 0; j < k; ++j)
      share(static_cast<std::size_t>(graph.indices(i, j)), static_cast<std::size_t>(labels[i])) +=
          double{graph.weights(i, j)};
  for (std::size_t r = 0; r < p; ++r) {
    double total = 0;
    for (const double s : share.row(r)) total += s;
    for (double& s : share.row(r)) s /= std::max(total, tiny);
  }
  std::vector<float> confidence(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j)
      sum += double{graph.weights(i, j)} *
             share(static_cast<std::size_t>(graph.indices(i, j)), static_cast<std::size_t>(labels[i]));
    confidence[i] = static_cast<float>(std::clamp(sum, 0.0, 1.0));
  }
  return confidence;
}

}  // namespace pssc
