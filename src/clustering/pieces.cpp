// The second cut of a graph: into many small pieces first, each within one cluster, which are then joined. k-means
// alone prefers round clusters of one size; the joining goes by the ties between pieces and has no preference.
#include <pssc/clustering.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>

namespace pssc {

std::size_t pieces_for(std::size_t clusters, std::size_t representatives, std::size_t images) {
  constexpr std::size_t each = 6, images_each = 3;
  return std::max(std::min({each * clusters, representatives, images / images_each}), clusters);
}

std::vector<Label> cut_by_pieces(const Context& context, const ReducedGraph& graph, std::size_t clusters,
                                 std::size_t dims) {
  const std::size_t n = sum_of_all(context, graph.indices.rows());
  const std::size_t pieces = pieces_for(clusters, graph.representatives.rows(), n);
  std::vector<Label> labels =
      cut_graph(context, graph, std::min(dims, pieces), {.clusters = pieces, .starts = 3, .images_each = 100}).labels;
  const std::vector<std::size_t> group = join_pieces(shared_weights(context, graph, labels, pieces), clusters);
  for (Label& l : labels) l = static_cast<Label>(group[static_cast<std::size_t>(l)]);
  return labels;
}

}  // namespace pssc
