// Transfer cut (Li, Wu and Chang 2012): the eigenvectors of the bipartite graph of n images and p representatives, from
// those of a graph of the p representatives alone.
//   W = A^T D_X^-1 A,   L = D_Y^-1/2 W D_Y^-1/2,   L v = lambda v,   u = D_X^-1 A D_Y^-1/2 v
#include "cuda/clustering.hpp"
#include "ties.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {

namespace {

constexpr double tiny = 1e-10;

/// W, of which an image fills the k x k entries of its representatives: a few in a thousand of all. On rank 0, from the
/// images of all ranks; elsewhere from those of the rank alone.
SparseSymmetric reduced_affinity(const Context& context, const Ties& ties, const std::vector<double>& degrees,
                                 std::size_t p) {
  const std::size_t k = ties.indices.cols();
  // On so coarse a grid that sums are exact in double precision: 2^-36 of k for 100,000 images.
  constexpr std::size_t coarser = 1 << 9;
  const Grid grid(static_cast<double>(k), coarser * sum_of_all(context, ties.indices.rows()));
  const auto for_all = [&](auto&& add) {
    for (std::size_t i = 0; i < ties.indices.rows(); ++i)
      for (std::size_t a = 0; a < k; ++a)
        for (std::size_t b = 0; b < k; ++b)
          add(ties.indices(i, a), ties.indices(i, b),
              grid(degrees[i] * (double{ties.weights(i, a)} * double{ties.weights(i, b)})));
  };
  // Added up in a full matrix, where that is no larger than the list of all that is added.
  std::vector<SparseSymmetric::Entry> entries;
  if (const std::size_t count = ties.indices.rows() * k * k; count < p * p) {
    entries.reserve(count);
    for_all([&](std::int32_t row, std::int32_t col, std::int64_t w) { entries.push_back({row, col, grid.value(w)}); });
  } else {
    Matrix<std::int64_t> sums(p, p);
    for_all([&](std::int32_t row, std::int32_t col, std::int64_t w) {
      sums(static_cast<std::size_t>(row), static_cast<std::size_t>(col)) += w;
    });
    for (std::size_t a = 0; a < p; ++a)
      for (std::size_t b = 0; b < p; ++b)
        if (sums(a, b) > 0)
          entries.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), grid.value(sums(a, b))});
  }
  SparseSymmetric own(p, std::move(entries));
  if (context.ranks().ranks() == 1) return own;
  std::vector<SparseSymmetric::Entry> all = gather_at_first(context, own.entries());
  return context.ranks().rank() == 0 ? SparseSymmetric(p, std::move(all)) : std::move(own);
}

/// D_Y^-1/2, by which W becomes L.
std::vector<double> inverse_root_degrees(const SparseSymmetric& W) {
  std::vector<double> scale(W.size());
  for (std::size_t i = 0; i < W.size(); ++i) {
    double degree = 0;
    for (const double w : W.row_values(i)) degree += w;
    scale[i] = 1 / std::sqrt(degree + tiny);
  }
  return scale;
}

/// The authors' program takes the eigenvectors of the covariance of the rows of L instead of those of L.
Matrix<double> covariance_of_rows(const Context& context, const Matrix<double>& L) {
  FloatMatrix rows(L.rows(), L.cols());
  for (std::size_t i = 0; i < L.size(); ++i) rows.data()[i] = static_cast<float>(L.data()[i]);
  Moments moments(L.cols(), 2 * largest_size(context, rows), rows.rows());
  moments.add(context, rows, column_means(context, rows));
  return moments.covariance();
}

/// The leading eigenvectors v of L, and D_Y^-1/2.
struct GraphSpectrum {
  Eigenpairs pairs;
  std::vector<double> scale;
};

GraphSpectrum spectrum_of(const Context& context, const USpecParams& params, const Ties& ties,
                          const std::vector<double>& degrees, std::size_t p, std::size_t count) {
  if constexpr (with_cuda)
    if (context.device() == Device::cuda && !params.as_published_code && p <= cuda::most_representatives) {
      cuda::GraphSpectrum found = cuda::graph_spectrum(ties, degrees, p, count);
      return {std::move(found.pairs), std::move(found.scale)};
    }
  SparseSymmetric L = reduced_affinity(context, ties, degrees, p);
  GraphSpectrum found;
  once_alone(context, [&](const Context& alone) {
    found.scale = inverse_root_degrees(L);
    L.scale(found.scale);
    if (params.as_published_code) {
      Matrix<double> covariance = covariance_of_rows(alone, L.dense());
      found.pairs = leading_eigenpairs(alone, covariance, count);
    } else {
      found.pairs = leading_eigenpairs(alone, L, count);
    }
  });
  broadcast(context, found.pairs.values);
  broadcast(context, found.pairs.vectors);
  broadcast(context, found.scale);
  return found;
}

}  // namespace

ReducedGraph reduce_graph(const Context& context, const USpecParams& params, FloatView x, std::size_t eigenvectors) {
  return reduce_graph(context, params, x, choose_representatives(context, params, x), eigenvectors);
}

ReducedGraph reduce_graph(const Context& context, const USpecParams& params, FloatView x, FloatMatrix representatives,
                          std::size_t eigenvectors) {
  ReducedGraph graph;
  graph.representatives = std::move(representatives);
  const std::size_t p = graph.representatives.rows();
  context.report("neighbours", 0, 0);
  Neighbours found = nearest(context, params.search, params.neighbours, x, graph.representatives);

  context.report("transfer cut", 0, 0);
  graph.width = kernel_width(context, found, params.as_published_code);
  std::vector<double> degrees;
  static_cast<Ties&>(graph) = make_ties(context, std::move(found), graph.width, params.as_published_code, &degrees);
  GraphSpectrum spectrum = spectrum_of(context, params, graph, degrees, p, std::min(eigenvectors, p));
  Eigenpairs& pairs = spectrum.pairs;
  for (std::size_t v = 0; v < pairs.vectors.rows(); ++v)
    for (std::size_t i = 0; i < p; ++i) pairs.vectors(v, i) *= spectrum.scale[i];
  graph.eigenvalues = std::move(pairs.values);
  graph.eigenvectors = std::move(pairs.vectors);
  return graph;
}

std::vector<Label> consensus(const Context& context, const std::vector<std::vector<Label>>& clusterings,
                             std::size_t clusters) {
  const std::size_t m = clusterings.size(), n = clusterings.front().size();
  ReducedGraph graph;
  graph.indices = Matrix<std::int32_t>(n, m);
  graph.weights = FloatMatrix(n, m);
  std::size_t nodes = 0;
  for (std::size_t f = 0; f < m; ++f) {
    for (std::size_t i = 0; i < n; ++i) {
      graph.indices(i, f) = static_cast<std::int32_t>(nodes) + clusterings[f][i];
      graph.weights(i, f) = 1 / static_cast<float>(m);
    }
    nodes += clusters;
  }
  const std::vector<double> degrees(n, static_cast<double>(m));
  GraphSpectrum spectrum = spectrum_of(context, {}, graph, degrees, nodes, clusters);
  for (std::size_t v = 0; v < spectrum.pairs.vectors.rows(); ++v)
    for (std::size_t i = 0; i < nodes; ++i) spectrum.pairs.vectors(v, i) *= spectrum.scale[i];
  graph.eigenvalues = std::move(spectrum.pairs.values);
  graph.eigenvectors = std::move(spectrum.pairs.vectors);
  return cut_graph(context, graph, clusters, {.clusters = clusters, .starts = 20, .images_each = 1000}).labels;
}

FloatMatrix spectral_embedding(const Context& context, const Ties& ties, const Matrix<double>& eigenvectors,
                               std::size_t dims) {
  if constexpr (with_cuda)
    if (context.device() == Device::cuda) return cuda::spectral_embedding(ties, eigenvectors, dims);
  FloatMatrix u(ties.indices.rows(), dims);
  parallel_blocks(context, u.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(dims);
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::fill(row, 0.0);
      for (std::size_t j = 0; j < ties.indices.cols(); ++j)
        for (std::size_t v = 0; v < dims; ++v)
          row[v] += double{ties.weights(i, j)} * eigenvectors(v, static_cast<std::size_t>(ties.indices(i, j)));
      double norm = 0;
      for (const double r : row) norm += r * r;
      norm = std::sqrt(norm) + tiny;
      for (std::size_t v = 0; v < dims; ++v) u(i, v) = static_cast<float>(row[v] / norm);
    }
  });
  return u;
}

}  // namespace pssc
