#include "tuned.hpp"

#include "cluster_count.hpp"
#include "projected.hpp"

#include <pssc/core/spread.hpp>

#include <algorithm>
#include <limits>

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

namespace {

/// Eigenvectors for the finest cut there will be, and eigenvalues to show.
std::size_t eigenvectors_for(const Parameters& p, std::size_t images, std::size_t clusters) {
  return std::max(p.k_most, finer_clusters(p, images, clusters)) + 1;
}

}  // namespace

Round start_round(const Context& context, const Parameters& p, FloatView y, std::size_t clusters) {
  Round round;
  const USpecParams params = graph_params(p, sum_of_all(context, y.rows()), clusters);
  round.graph = reduce_graph(context, params, y.col_range(p.poc_dims, y.cols()), clusters + 1);
  round.cut = cut_graph(context, round.graph, clusters, final_starts);
  return round;
}

Round whitened_round(const Context& context, const Parameters& p, FloatView y, const std::vector<Label>& labels,
                     std::size_t clusters) {
  Round round;
  const std::size_t n = sum_of_all(context, y.rows());
  round.whitening = fit_whitening(context, y, labels, clusters, p.tuning.ridge);
  round.graph = reduce_graph(context, graph_params(p, n, clusters), whiten(context, round.whitening, y),
                             eigenvectors_for(p, n, clusters));
  round.cut = cut_graph(context, round.graph, clusters, final_starts);
  return round;
}

namespace {

/// As many dimensions as the images of a cluster can support; 0: too few for Gaussians.
std::size_t gaussian_dims(const TuningParams& t, std::size_t n, std::size_t d, std::size_t clusters) {
  const std::size_t dims = std::min({t.most_dims, d, n / (t.images_per_dim * clusters)});
  return dims >= std::min(t.least_dims, d) ? dims : 0;
}

/// What the last round starts from.
struct Rough {
  Whitening whitening;
  FloatMatrix representatives;  ///< whitened
};

/// The rounds before the last, on a sample: what varies inside the clusters, and where representatives lie, needs no
/// more images.
Rough rough_rounds(const Context& context, const Parameters& p, FloatView y, std::size_t clusters) {
  const std::size_t n = sum_of_all(context, y.rows());
  Round round = start_round(context, p, y, clusters);
  for (std::size_t i = 0; i < p.tuning.rounds; ++i) round = whitened_round(context, p, y, round.cut.labels, clusters);
  std::vector<Label> labels = std::move(round.cut.labels);
  if (const std::size_t fine = finer_clusters(p, n, clusters); fine > clusters) {
    const std::vector<Label> pieces = cut_graph(context, round.graph, fine, final_starts).labels;
    labels = merged_labels(pieces, merge_order(context, round.graph, pieces, fine), clusters);
  }
  Rough rough{fit_whitening(context, y, labels, clusters, p.tuning.ridge), {}};
  rough.representatives =
      choose_representatives(context, graph_params(p, n, clusters), whiten(context, rough.whitening, y));
  return rough;
}

Tuned cluster_bulk(const Context& context, const Parameters& p, FloatView y) {
  const std::size_t n = sum_of_all(context, y.rows());
  Tuned tuned;
  Clustering& result = tuned.clustering;
  ClusterRule& rule = tuned.rule;
  result.counts = count_clusters(context, p, y);
  const std::size_t C = p.clusters == Parameters::automatic ? result.counts.front().clusters : p.clusters;

  const std::vector<std::size_t> sampled = draw_images(context, n, std::max(p.candidates, C));
  Rough rough = sampled.size() == n ? rough_rounds(context, p, y, C)
                                    : rough_rounds(context, p, pick_rows(context, y, sampled), C);
  // The last round sees every image.
  const FloatMatrix z = whiten(context, rough.whitening, y);
  const USpecParams params = graph_params(p, n, C);
  const ReducedGraph graph =
      reduce_graph(context, params, z, std::move(rough.representatives), eigenvectors_for(p, n, C));
  const KMeansResult cut = cut_graph(context, graph, C, final_starts);
  rule.graph = graph_rule(context, params, graph, cut);

  result.clusters = C;
  result.eigenvalues = graph.eigenvalues;
  if (result.counts.empty()) result.counts = largest_gaps(result.eigenvalues, 3, p.k_least, p.k_most);
  const bool varied = rough.whitening.variances.front() > 0;  // else each cluster is one image, repeated
  rule.gaussian_dims = p.refine == Refinement::full && varied ? gaussian_dims(p.tuning, n, y.cols(), C) : 0;
  if (rule.gaussian_dims > 0) {
    GaussianResult fitted =
        fit_gaussians(context, p.tuning.gaussians, y.col_range(0, rule.gaussian_dims), cut.labels, C);
    result.labels = std::move(fitted.labels);
    result.confidence = std::move(fitted.confidence);
    rule.gaussians = std::move(fitted.rule);
  } else {
    result.labels = cut.labels;
    result.confidence = graph_confidence(graph, rule.graph->shares, cut.labels);
  }
  // Where what varies inside the clusters has been whitened, by the distance to their means. Mahalanobis distances to
  // the Gaussians would not do: a stray image widens the Gaussian it is in.
  rule.means = cluster_means(context, z, result.labels, C);
  result.distances = distances_to_means(context, z, result.labels, rule.means);
  rule.limits = outlier_limits(context, result.distances, result.labels, C);
  result.outliers = beyond_limits(result.distances, result.labels, rule.limits);
  rule.whitening = rough.whitening.map.copy();
  tuned.whitening = std::move(rough.whitening);
  return tuned;
}

/// Brings results back to the ranks that hold the rows, and makes room for the rows that were set aside; they are filed
/// afterwards.
void spread(const Context& context, Clustering& clustering, const std::vector<std::size_t>& rows, std::size_t n) {
  clustering.labels = spread_values(context, clustering.labels, rows.size());
  clustering.confidence = spread_values(context, clustering.confidence, rows.size());
  clustering.outliers = spread_values(context, clustering.outliers, rows.size());
  clustering.distances = spread_values(context, clustering.distances, rows.size());
  Clustering all = clustering;
  all.labels.assign(n, noise_label);
  all.confidence.assign(n, 0);
  all.outliers.assign(n, 0);
  all.distances.assign(n, std::numeric_limits<float>::max());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    all.labels[rows[r]] = clustering.labels[r];
    all.confidence[rows[r]] = clustering.confidence[r];
    all.outliers[rows[r]] = clustering.outliers[r];
    all.distances[rows[r]] = clustering.distances[r];
  }
  clustering = std::move(all);
}

}  // namespace

Tuned cluster_tuned(const Context& context, const Parameters& p, FloatView y) {
  StrayRule rule = fit_strays(context, y, p.tuning.ridge);
  const std::vector<std::uint8_t> strays = rule.find(y);
  std::vector<std::size_t> bulk;
  for (std::size_t i = 0; i < y.rows(); ++i)
    if (!strays[i]) bulk.push_back(i);
  const std::size_t bulk_size = sum_of_all(context, bulk.size());
  const bool set_aside =
      bulk_size < sum_of_all(context, y.rows()) && (p.clusters == Parameters::automatic || bulk_size >= p.clusters);
  Tuned tuned =
      set_aside ? cluster_bulk(context, p, spread_evenly(context, gather_rows(y, bulk))) : cluster_bulk(context, p, y);
  if (set_aside) {
    spread(context, tuned.clustering, bulk, y.rows());
    rule.means = cluster_means(context, y, tuned.clustering.labels, tuned.clustering.clusters);
    rule.file(y, strays, tuned.clustering);
    tuned.rule.strays = std::move(rule);
  }
  tuned.rule.renamed = order_by_size(context, tuned.clustering);
  tuned.rule.clusters = tuned.clustering.clusters;
  return tuned;
}

}  // namespace pssc
