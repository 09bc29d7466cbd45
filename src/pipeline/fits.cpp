#include "fits.hpp"

#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {

namespace {

double power(Random& random, double base, double low, double high) {
  return std::pow(base, random.uniform(low, high));
}

std::size_t scaled(std::size_t value, double factor) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(static_cast<double>(value) * factor)));
}

/// Representatives and neighbours of one fit, drawn likewise. Where several graphs correct each other, a quarter of the
/// representatives that one graph alone would need is enough.
USpecParams drawn_graph(std::uint64_t seed, const Parameters& p, std::size_t images, std::size_t clusters) {
  constexpr std::uint64_t stream = 0x6772617068;
  constexpr double share = 0.25;
  Random random(seed, stream);
  Parameters own = p;
  own.representatives = scaled(p.representatives, share * power(random, 2, -1, 0.5));
  own.neighbours = std::max(std::min<std::size_t>(p.neighbours, 2), scaled(p.neighbours, power(random, 1.6, -1, 1)));
  return graph_params(own, images, clusters);
}

std::size_t cut_dims(std::size_t clusters) {
  return clusters + (clusters + 1) / 2;
}

/// counts(a, b): rows of all ranks in cluster a of one clustering and b of the other.
Matrix<std::int64_t> overlaps(const Context& context, const std::vector<Label>& one, const std::vector<Label>& other,
                              std::size_t clusters) {
  Matrix<std::int64_t> counts(clusters, clusters);
  for (std::size_t i = 0; i < one.size(); ++i)
    ++counts(static_cast<std::size_t>(one[i]), static_cast<std::size_t>(other[i]));
  context.ranks().sum({counts.data(), counts.size()});
  return counts;
}

}  // namespace

FitView::FitView(std::uint64_t seed, std::size_t all, const Nuisance& nuisance) {
  constexpr std::uint64_t stream = 0x76696577;
  Random random(seed, stream);
  dims = scaled(all, power(random, 2, -1, 0));
  ridge *= power(random, 3, -1, 1);
  for (std::size_t k = 0; k < nuisance.covariances.size(); ++k) weights.push_back(-std::log(1 - random.uniform()));
}

FloatMatrix fit_view(const Context& context, FloatView y, const Nuisance& nuisance, const FitView& view) {
  const FloatView leading = y.col_range(0, view.dims);
  if (nuisance.empty()) return copy_to(y.place(), leading);
  return whiten(context, whitening_of(context, block_of(nuisance.covariance(view.weights), 0, view.dims), view.ridge),
                leading);
}

USpecParams graph_params(const Parameters& p, std::size_t images, std::size_t clusters) {
  constexpr std::size_t images_each = 5, per_cluster = 10, candidates_each = 5;
  const std::size_t wanted = std::max(std::min(p.representatives, images / images_each), per_cluster * clusters);
  USpecParams params{.clusters = clusters, .search = p.search, .lloyd_iterations = 8};
  params.representatives = std::max(std::min(wanted, images / 2), std::min(clusters, images));
  // Not all images: each fit is to see others.
  params.candidates = std::clamp(candidates_each * params.representatives, params.representatives,
                                 std::max(params.representatives, images * 4 / 5));
  params.neighbours = std::min(p.neighbours, params.representatives);
  return params;
}

Context context_of_graph(const Context& context, std::size_t graph) {
  constexpr std::uint64_t stream = 0x66697473;
  return context.reseeded(stream + graph);
}

void draw_graphs(const Context& context, const Parameters& p, FloatView y, const Nuisance& nuisance,
                 std::size_t clusters, std::vector<ReducedGraph>& graphs) {
  const std::size_t n = sum_of_all(context, y.rows());
  graphs.resize(p.tuning.fits);
  for (std::size_t f = 0; f < graphs.size(); ++f) {
    context.report("graphs", f, graphs.size());
    const Context own = context_of_graph(context, f);
    const USpecParams params = drawn_graph(own.seed(), p, n, clusters);
    const std::size_t shown = f == 0 ? std::max(p.k_most, clusters) + 1 : 0;  // of the eigenvalues
    const std::size_t eigenvectors =
        std::min(std::max({least_eigenvectors, cut_dims(clusters), shown}), params.representatives);
    const ReducedGraph& there = graphs[f];
    if (there.representatives.rows() == params.representatives && there.eigenvalues.size() >= eigenvectors) continue;
    const FloatMatrix seen = fit_view(own, y, nuisance, FitView(own.seed(), y.cols(), nuisance));
    graphs[f] = reduce_graph(own, params, seen, eigenvectors);
  }
}

Cuts cut_twice(const Context& context, const std::vector<ReducedGraph>& graphs, std::size_t clusters) {
  const std::size_t dims = cut_dims(clusters);
  const KMeansParams by_kmeans{.clusters = clusters, .starts = 5, .images_each = 1000};
  Cuts cuts;
  for (std::size_t f = 0; f < graphs.size(); ++f) {
    context.report("clusterings", f, graphs.size());
    const Context own = context_of_graph(context, f);
    cuts.push_back({cut_graph(own, graphs[f], dims, by_kmeans).labels, cut_by_pieces(own, graphs[f], clusters, dims)});
  }
  return cuts;
}

std::vector<std::vector<Label>> all_cuts(const Cuts& cuts) {
  std::vector<std::vector<Label>> all;
  for (const std::vector<std::vector<Label>>& of_graph : cuts) all.insert(all.end(), of_graph.begin(), of_graph.end());
  return all;
}

void rename_clusters(const Context& context, std::vector<Label>& labels, const std::vector<Label>& like,
                     std::size_t clusters) {
  const std::vector<std::ptrdiff_t> match = best_assignment(overlaps(context, labels, like, clusters));
  for (Label& l : labels) l = static_cast<Label>(match[static_cast<std::size_t>(l)]);
}

FloatMatrix shares_of(const std::vector<std::vector<Label>>& votes, std::size_t clusters) {
  FloatMatrix shares(votes.front().size(), clusters);
  const float one = 1 / static_cast<float>(votes.size());
  for (const std::vector<Label>& vote : votes)
    for (std::size_t i = 0; i < vote.size(); ++i) shares(i, static_cast<std::size_t>(vote[i])) += one;
  return shares;
}

std::vector<double> stability_of(const Context& context, const std::vector<std::vector<Label>>& votes,
                                 const std::vector<Label>& labels, std::size_t clusters) {
  std::vector<double> stability(clusters);
  for (const std::vector<Label>& vote : votes) {
    const Matrix<std::int64_t> counts = overlaps(context, labels, vote, clusters);
    std::vector<std::int64_t> rows(clusters), cols(clusters);
    for (std::size_t a = 0; a < clusters; ++a)
      for (std::size_t b = 0; b < clusters; ++b) rows[a] += counts(a, b), cols[b] += counts(a, b);
    for (std::size_t a = 0; a < clusters; ++a) {
      double best = 0;
      for (std::size_t b = 0; b < clusters; ++b)
        if (counts(a, b) > 0)
          best =
              std::max(best, static_cast<double>(counts(a, b)) / static_cast<double>(rows[a] + cols[b] - counts(a, b)));
      stability[a] += best / static_cast<double>(votes.size());
    }
  }
  return stability;
}

}  // namespace pssc
