#include "tuned.hpp"

#include "cluster_count.hpp"

#include <pssc/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

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

/// Squared distances to the means of the own clusters, where what varies inside them has been whitened. Mahalanobis
/// distances to the Gaussians would not do: a stray image widens the Gaussian it is in.
std::vector<float> distances_to_means(const Context& context, const Whitening& whitening, FloatView y,
                                      const Clustering& clustering) {
  const FloatMatrix z = whiten(context, whitening, y);
  const Matrix<double> means = cluster_means(z, clustering.labels, clustering.clusters);
  std::vector<float> distances(y.rows());
  parallel_blocks(context, y.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto mean = means.row(static_cast<std::size_t>(clustering.labels[i]));
      for (std::size_t j = 0; j < mean.size(); ++j)
        distances[i] += static_cast<float>((z(i, j) - mean[j]) * (z(i, j) - mean[j]));
    }
  });
  return distances;
}

Tuned cluster_bulk(const Context& context, const Parameters& p, FloatView y) {
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
  if (dims > 0) {
    GaussianResult fitted = fit_gaussians(context, p.tuning.gaussians, y.col_range(0, dims), round.labels, C);
    result.labels = std::move(fitted.labels);
    result.confidence = std::move(fitted.confidence);
  } else {
    result.confidence = graph_confidence(round.graph, round.labels, C);
    result.labels = std::move(round.labels);
  }
  result.outliers = flag_outliers(distances_to_means(context, round.whitening, y, result), result.labels, C);
  tuned.whitening = std::move(round.whitening);
  order_by_size(result);
  return tuned;
}

/// Images that are unlike all others, told by their distance from the middle of all, each component in units of its own
/// spread. None where more than a hundredth would be: then they are no strays but part of a set of many kinds.
std::vector<std::uint8_t> find_strays(FloatView y, double ridge) {
  const std::size_t n = y.rows(), d = y.cols();
  std::vector<double> variances(d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) variances[j] += double{y(i, j)} * y(i, j) / static_cast<double>(n);
  const double added = ridge * std::accumulate(variances.begin(), variances.end(), 0.0) / static_cast<double>(d);
  std::vector<float> distances(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j)
      distances[i] += static_cast<float>(double{y(i, j)} * y(i, j) / std::max(variances[j] + added, 1e-30));
  std::vector<std::uint8_t> strays = flag_outliers(distances, std::vector<Label>(n), 1);
  if (100 * std::ranges::count(strays, 1) > static_cast<std::ptrdiff_t>(n)) std::ranges::fill(strays, 0);
  return strays;
}

/// Puts the strays back: each into the cluster whose mean is nearest, with no confidence, and flagged.
void add_strays(FloatView y, const std::vector<std::uint8_t>& strays, const std::vector<std::size_t>& bulk,
                Clustering& clustering) {
  Clustering all = clustering;
  all.labels.assign(y.rows(), noise_label);
  all.confidence.assign(y.rows(), 0);
  all.outliers = strays;
  for (std::size_t b = 0; b < bulk.size(); ++b) {
    all.labels[bulk[b]] = clustering.labels[b];
    all.confidence[bulk[b]] = clustering.confidence[b];
    all.outliers[bulk[b]] = clustering.outliers[b];
  }
  const Matrix<double> means = cluster_means(y, all.labels, all.clusters);
  for (std::size_t i = 0; i < y.rows(); ++i) {
    if (!strays[i]) continue;
    double nearest = INFINITY;
    for (std::size_t c = 0; c < all.clusters; ++c) {
      double distance = 0;
      for (std::size_t j = 0; j < y.cols(); ++j) distance += (y(i, j) - means(c, j)) * (y(i, j) - means(c, j));
      if (distance < nearest) {
        nearest = distance;
        all.labels[i] = static_cast<Label>(c);
      }
    }
  }
  clustering = std::move(all);
}

}  // namespace

Tuned cluster_tuned(const Context& context, const Parameters& p, FloatView y) {
  const std::vector<std::uint8_t> strays = find_strays(y, p.tuning.ridge);
  std::vector<std::size_t> bulk;
  for (std::size_t i = 0; i < y.rows(); ++i)
    if (!strays[i]) bulk.push_back(i);
  if (bulk.size() == y.rows() || (p.clusters != Parameters::automatic && bulk.size() < p.clusters))
    return cluster_bulk(context, p, y);
  Tuned tuned = cluster_bulk(context, p, gather_rows(y, bulk));
  add_strays(y, strays, bulk, tuned.clustering);
  return tuned;
}

}  // namespace pssc
