#include "tuned.hpp"

#include "cluster_count.hpp"

#include <algorithm>

namespace pssc {

USpecParams graph_params(const Parameters& p, std::size_t images, std::size_t clusters) {
  USpecParams params{.clusters = clusters,
                     .representatives = std::min(p.representatives, std::max(clusters, images / 2)),
                     .search = p.search};
  params.candidates = std::clamp(p.candidates, params.representatives, images);
  params.neighbours = std::min(p.neighbours, params.representatives);
  return params;
}

std::size_t finer_clusters(const Parameters& p, std::size_t images, std::size_t clusters) {
  return std::max(clusters, std::min(p.tuning.finer * clusters, images / 2));
}

Round whiten_and_cut(const Context& context, const Parameters& p, FloatView y, const std::vector<Label>& labels,
                     std::size_t clusters) {
  Round round;
  round.whitening = fit_whitening(context, y, labels, clusters, p.tuning.ridge);
  const std::size_t eigenvectors = std::max(p.k_most, finer_clusters(p, y.rows(), clusters)) + 1;
  round.graph =
      reduce_graph(context, graph_params(p, y.rows(), clusters), whiten(context, round.whitening, y), eigenvectors);
  round.labels = cut_graph(context, round.graph, clusters, final_starts);
  return round;
}

namespace {

/// As many dimensions as the images of a cluster can support; 0: too few for Gaussians.
std::size_t gaussian_dims(const TuningParams& t, std::size_t n, std::size_t d, std::size_t clusters) {
  const std::size_t dims = std::min({t.most_dims, d, n / (t.images_per_dim * clusters)});
  return dims >= std::min(t.least_dims, d) ? dims : 0;
}

void finish_with_gaussians(const Context& context, const Parameters& p, FloatView y, std::size_t dims,
                           const std::vector<Label>& labels, Clustering& result) {
  GaussianResult fitted = fit_gaussians(context, p.tuning.gaussians, y.col_range(0, dims), labels, result.clusters);
  result.labels = std::move(fitted.labels);
  result.confidence = std::move(fitted.confidence);
  result.outliers = flag_outliers(fitted.distances, result.labels, result.clusters);
}

/// Squared distances to the means of the own clusters, where what varies inside them has been whitened.
std::vector<float> distances_to_means(const Context& context, const Round& round, FloatView y, std::size_t clusters) {
  const FloatMatrix z = whiten(context, round.whitening, y);
  const Matrix<double> means = cluster_means(z, round.labels, clusters);
  std::vector<float> distances(y.rows());
  for (std::size_t i = 0; i < y.rows(); ++i) {
    const auto mean = means.row(static_cast<std::size_t>(round.labels[i]));
    for (std::size_t j = 0; j < mean.size(); ++j)
      distances[i] += static_cast<float>((z(i, j) - mean[j]) * (z(i, j) - mean[j]));
  }
  return distances;
}

void finish_with_graph(const Context& context, FloatView y, Round& round, Clustering& result) {
  result.confidence = graph_confidence(round.graph, round.labels, result.clusters);
  result.outliers =
      flag_outliers(distances_to_means(context, round, y, result.clusters), round.labels, result.clusters);
  result.labels = std::move(round.labels);
}

}  // namespace

Tuned cluster_tuned(const Context& context, const Parameters& p, FloatView y) {
  const std::size_t n = y.rows();
  Tuned tuned;
  Clustering& result = tuned.clustering;
  result.counts = count_clusters(context, p, y);
  const std::size_t C = p.clusters == Parameters::automatic ? result.counts.front().clusters : p.clusters;
  const std::size_t fine = finer_clusters(p, n, C);

  const FloatView start = y.col_range(p.poc_dims, y.cols());
  Round round;
  round.labels = cut_graph(context, reduce_graph(context, graph_params(p, n, C), start, C + 1), C, final_starts);
  for (std::size_t i = 0; i < p.tuning.rounds; ++i) round = whiten_and_cut(context, p, y, round.labels, C);
  if (fine > C) {
    const std::vector<Label> labels = cut_graph(context, round.graph, fine, final_starts);
    round.labels = merged_labels(labels, merge_order(round.graph, labels, fine), C);
  }
  round = whiten_and_cut(context, p, y, round.labels, C);

  result.clusters = C;
  result.eigenvalues = round.graph.eigenvalues;
  if (result.counts.empty()) result.counts = largest_gaps(result.eigenvalues, 3, p.k_least, p.k_most);
  const bool varied = round.whitening.variances.front() > 0;  // else each cluster is one image, repeated
  const std::size_t dims = p.refine == Refinement::full && varied ? gaussian_dims(p.tuning, n, y.cols(), C) : 0;
  if (dims > 0)
    finish_with_gaussians(context, p, y, dims, round.labels, result);
  else
    finish_with_graph(context, y, round, result);
  tuned.whitening = std::move(round.whitening);
  order_by_size(result);
  return tuned;
}

}  // namespace pssc
