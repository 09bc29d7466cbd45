// Where a cut of a graph puts an image that was not in the graph.
#include "ties.hpp"

#include <pssc/core/linalg.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>

namespace pssc {

namespace {

Matrix<double> shares_of_representatives(const Context& context, const Ties& ties, std::size_t p,
                                         const std::vector<Label>& labels, std::size_t clusters) {
  const Grid grid(1, sum_of_all(context, labels.size()));
  std::vector<std::int64_t> sums(p * clusters);
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t j = 0; j < ties.indices.cols(); ++j)
      sums[static_cast<std::size_t>(ties.indices(i, j)) * clusters + static_cast<std::size_t>(labels[i])] +=
          grid(double{ties.weights(i, j)});
  context.ranks().sum(sums);
  Matrix<double> shares(p, clusters);
  for (std::size_t r = 0; r < p; ++r) {
    double total = 0;
    for (std::size_t c = 0; c < clusters; ++c) total += shares(r, c) = grid.value(sums[r * clusters + c]);
    for (double& s : shares.row(r)) s /= std::max(total, 1e-10);
  }
  return shares;
}

}  // namespace

GraphRule graph_rule(const Context& context, const USpecParams& params, const ReducedGraph& graph,
                     const KMeansResult& cut) {
  const std::size_t clusters = cut.centres.rows(), p = graph.representatives.rows();
  GraphRule rule{params.search,
                 params.neighbours,
                 params.as_published_code,
                 graph.width,
                 graph.representatives.copy(),
                 Matrix<double>(cut.centres.cols(), p),
                 cut.centres.copy(),
                 shares_of_representatives(context, graph, p, cut.labels, clusters)};
  std::copy_n(graph.eigenvectors.data(), rule.eigenvectors.size(), rule.eigenvectors.data());
  return rule;
}

std::vector<float> graph_confidence(const Ties& ties, const Matrix<double>& shares, const std::vector<Label>& labels) {
  std::vector<float> confidence(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < ties.indices.cols(); ++j)
      sum += double{ties.weights(i, j)} *
             shares(static_cast<std::size_t>(ties.indices(i, j)), static_cast<std::size_t>(labels[i]));
    confidence[i] = static_cast<float>(std::clamp(sum, 0.0, 1.0));
  }
  return confidence;
}

Ties GraphPlacer::ties(const Context& context, FloatView x) const {
  return make_ties(context, index_.nearest(context, rule_.neighbours, x), rule_.width, rule_.as_published_code);
}

FloatMatrix GraphPlacer::embed(const Context& context, FloatView x) const {
  return spectral_embedding(context, ties(context, x), rule_.eigenvectors, rule_.eigenvectors.rows());
}

FloatMatrix GraphPlacer::probabilities(const Context& context, FloatView x) const {
  const Ties tied = ties(context, x);
  FloatMatrix result(x.rows(), rule_.shares.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t j = 0; j < tied.indices.cols(); ++j) {
      const auto shares = rule_.shares.row(static_cast<std::size_t>(tied.indices(i, j)));
      for (std::size_t c = 0; c < shares.size(); ++c)
        result(i, c) += static_cast<float>(double{tied.weights(i, j)} * shares[c]);
    }
  }
  return result;
}

Placed GraphPlacer::place(const Context& context, FloatView x) const {
  Ties tied = ties(context, x);
  const FloatMatrix u = spectral_embedding(context, tied, rule_.eigenvectors, rule_.eigenvectors.rows());
  const Neighbours own = nearest(context, Search::exact, 1, u, rule_.centres);
  Placed placed;
  placed.labels.assign(own.indices.data(), own.indices.data() + own.indices.size());
  placed.confidence = graph_confidence(tied, rule_.shares, placed.labels);
  placed.distances = std::move(tied.distances);
  return placed;
}

}  // namespace pssc
