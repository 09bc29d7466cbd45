#include <pssc/clustering.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <functional>
#include <string>

namespace pssc {

namespace {

/// As many representatives as there can sensibly be: at most half as many as images, at least one a cluster.
USpecParams fitted_to(USpecParams params, std::size_t images, std::vector<std::string>& notes) {
  const std::size_t most = std::max({params.clusters, images / 2, std::size_t{1}});
  if (params.representatives > most) {
    notes.push_back("representatives lowered from " + std::to_string(params.representatives) + " to " +
                    std::to_string(most) + ", because there are only " + std::to_string(images) + " images");
    params.representatives = most;
  }
  if (params.representatives < params.clusters) {
    notes.push_back("representatives raised from " + std::to_string(params.representatives) + " to " +
                    std::to_string(params.clusters) + ", one a cluster");
    params.representatives = params.clusters;
  }
  params.candidates = std::clamp(params.candidates, params.representatives, images);
  params.neighbours = std::min(params.neighbours, params.representatives);
  return params;
}

}  // namespace

std::vector<ClusterCount> largest_gaps(const std::vector<double>& eigenvalues, std::size_t most, std::size_t least,
                                       std::size_t greatest) {
  std::vector<ClusterCount> counts;
  for (std::size_t k = std::max<std::size_t>(2, least); k < eigenvalues.size() && k <= greatest; ++k)
    counts.push_back({k, eigenvalues[k - 1] - eigenvalues[k]});
  std::ranges::stable_sort(counts, std::greater{}, &ClusterCount::score);
  counts.resize(std::min(most, counts.size()));
  return counts;
}

KMeansResult cut_graph(const Context& context, const ReducedGraph& graph, std::size_t dims,
                       const KMeansParams& params) {
  const FloatMatrix u =
      spectral_embedding(context, graph, graph.eigenvectors, std::min(dims, graph.eigenvalues.size()));
  context.report("k-means", 0, 0);
  return kmeans(context, params, u);
}

Clustering uspec(const Context& context, const USpecParams& given, FloatView x, USpecRule& rule) {
  const std::size_t n = sum_of_all(context, x.rows());
  if (n < given.clusters)
    throw input_error("asked for " + std::to_string(given.clusters) + " clusters, but there are only " +
                      std::to_string(n) + " images; ask for fewer with -k");
  constexpr std::size_t shown_eigenvalues = 30;  // enough to see the gap after the last cluster
  Clustering result;
  USpecParams params = fitted_to(given, n, result.notes);
  const ReducedGraph graph = reduce_graph(context, params, x, std::max(shown_eigenvalues, params.clusters + 1));
  result.counts = largest_gaps(graph.eigenvalues, 3, 2, graph.eigenvalues.size());
  if (params.clusters == 0)
    params.clusters = result.counts.empty() ? graph.eigenvalues.size() : result.counts.front().clusters;
  const KMeansResult cut =
      cut_graph(context, graph, params.clusters, {.clusters = params.clusters, .starts = params.starts});
  rule.graph = graph_rule(context, params, graph, cut);
  rule.limits = outlier_limits(context, graph.distances, cut.labels, params.clusters);
  result.labels = cut.labels;
  result.clusters = params.clusters;
  result.confidence = graph_confidence(graph, rule.graph.shares, result.labels);
  result.outliers = beyond_limits(graph.distances, result.labels, rule.limits);
  result.distances = graph.distances;
  result.eigenvalues = graph.eigenvalues;
  rule.renamed = order_by_size(context, result);
  return result;
}

Clustering uspec(const Context& context, const USpecParams& params, FloatView x) {
  USpecRule rule;
  return uspec(context, params, x, rule);
}

}  // namespace pssc
