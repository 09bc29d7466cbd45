#include "cluster_count.hpp"

#include "projected.hpp"
#include "tuned.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pssc {

namespace {

constexpr std::size_t search_starts = 3;  // of k-means: ties hardly depend on the last per cent of a cut

/// sqrt(tie of the merge to K clusters) - sqrt(tie of the next merge). A ratio would favour few clusters, where all
/// ties are weak, a plain difference many, where all are strong; the root lies between.
double step_at(const std::vector<Merge>& merges, std::size_t K) {
  const std::size_t clusters = merges.size() + 1;
  return std::sqrt(merges[clusters - K - 1].tie) - std::sqrt(merges[clusters - K].tie);
}

/// Too many clusters tell as well as the right number what varies inside them: whitened by those, as a start.
Round over_clustered(const Context& context, const Parameters& p, FloatView y, std::size_t most) {
  Round round = start_round(context, p, y, most);
  for (std::size_t i = 0; i < p.tuning.rounds; ++i) round = whitened_round(context, p, y, round.cut.labels, most);
  return round;
}

}  // namespace

std::vector<ClusterCount> count_clusters(const Context& context, const Parameters& p, FloatView all) {
  if (p.clusters != Parameters::automatic) return {};
  constexpr std::size_t sample = 6000;  // ties between clusters need no more
  const FloatMatrix y = pick_rows(context, all, draw_images(context, sum_of_all(context, all.rows()), sample));
  const std::size_t n = sum_of_all(context, y.rows());
  const std::size_t most = std::min(p.k_most, n / (2 * p.tuning.finer));
  if (most <= p.k_least)
    throw input_error("too few images to find the number of clusters in " + std::to_string(p.k_least) + " to " +
                      std::to_string(p.k_most) + "; give it with -k or lower --k-range");
  // One more than is asked about, so that the last number has a merge before it.
  const Round start = over_clustered(context, p, y, most + 1);
  const std::vector<Merge> order = merge_order(context, start.graph, start.cut.labels, most + 1);

  const FloatMatrix representatives = unwhiten(context, start.whitening, start.graph.representatives);

  std::vector<ClusterCount> counts;
  for (std::size_t K = p.k_least; K <= most; ++K) {
    context.report("number of clusters", K - p.k_least, most - p.k_least + 1);
    const Whitening whitening = fit_whitening(context, y, merged_labels(start.cut.labels, order, K), K, p.tuning.ridge);
    const std::size_t fine = finer_clusters(p, n, K);
    const ReducedGraph graph = reduce_graph(context, graph_params(p, n, K), whiten(context, whitening, y),
                                            whiten(context, whitening, representatives), fine);
    const std::vector<Merge> merges =
        merge_order(context, graph, cut_graph(context, graph, fine, search_starts).labels, fine);
    counts.push_back({K, step_at(merges, K)});
  }
  std::ranges::stable_sort(counts, std::greater{}, &ClusterCount::score);
  counts.resize(std::min<std::size_t>(3, counts.size()));
  return counts;
}

}  // namespace pssc
