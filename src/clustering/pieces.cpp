// The second cut of a graph: into many small pieces first, each within one cluster, which are then joined. k-means
// alone prefers round clusters of one size; the joining goes by the ties between pieces and has no preference.
#include <pssc/clustering.hpp>
#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>

namespace pssc {

namespace {

/// The centres of the pieces. A hundred images each tell where they lie as well as all do.
FloatMatrix piece_centres(const Context& context, FloatView u, std::size_t pieces) {
  constexpr std::uint64_t stream = 0x706965636573;
  constexpr std::size_t images_each = 100, starts = 3;
  const KMeansParams params{.clusters = pieces, .starts = starts};
  const std::size_t n = sum_of_all(context, u.rows());
  if (n <= images_each * pieces) return kmeans(context, params, u).centres;
  Random random(context.seed(), stream);
  std::vector<std::size_t> rows = random.choose(n, images_each * pieces);
  std::ranges::sort(rows);
  return kmeans(context, params, pick_rows(context, u, rows)).centres;
}

}  // namespace

std::size_t pieces_for(std::size_t clusters, std::size_t representatives, std::size_t images) {
  constexpr std::size_t each = 6, images_each = 3;
  return std::max(std::min({each * clusters, representatives, images / images_each}), clusters);
}

std::vector<Label> cut_by_pieces(const Context& context, const ReducedGraph& graph, std::size_t clusters) {
  const std::size_t n = sum_of_all(context, graph.indices.rows());
  const std::size_t pieces = pieces_for(clusters, graph.representatives.rows(), n);
  const FloatMatrix u =
      spectral_embedding(context, graph, graph.eigenvectors, std::min(pieces, graph.eigenvalues.size()));
  context.report("k-means", 0, 0);
  std::vector<Label> labels = place_by_centres(context, piece_centres(context, u, pieces), u).labels;
  const std::vector<std::size_t> group = join_pieces(shared_weights(context, graph, labels, pieces), clusters);
  for (Label& l : labels) l = static_cast<Label>(group[static_cast<std::size_t>(l)]);
  return labels;
}

}  // namespace pssc
