#include "cluster_count.hpp"

#include "fits.hpp"

#include <pssc/core/spread.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pssc {

namespace {

// The threshold was chosen on sixty data sets (docs/method.md). The more neighbours an image has, the stronger are
// ties.
constexpr std::size_t trees = 3, first_pieces = 40, most_pieces = 160, images_each = 4;
constexpr double small_piece = 0.2;  // of the mean size: joined to another at once
constexpr double threshold = 0.02;   // of ties, for each neighbour that an image has
constexpr double deviation = 0.4;    // of thresholds, on a logarithmic scale
constexpr double clear_share = 0.85, named_share = 0.8, least_share = 0.05;
constexpr double enough_inside = 0.2;  // of the shares, for what they say of the range to be more than chance
constexpr double full = 0.75;          // with more clusters than this share of the pieces, cut finer

struct Tree {
  std::vector<Label> pieces;  ///< [n]
  std::vector<std::size_t> sizes;
  std::vector<Merge> merges;
};

/// Joins pieces that are far smaller than the mean to the ones they are tied to most, the smallest first. Empty ones go
/// the same way.
void join_small(Matrix<double>& w, std::vector<std::size_t>& sizes, std::vector<Label>& name, double least) {
  const std::size_t m = sizes.size();
  std::vector<bool> gone(m);
  std::size_t left = m;
  while (left > 2) {
    std::size_t smallest = m;
    for (std::size_t a = 0; a < m; ++a)
      if (!gone[a] && static_cast<double>(sizes[a]) < least && (smallest == m || sizes[a] < sizes[smallest]))
        smallest = a;
    if (smallest == m) break;
    std::vector<double> volume(m, 1e-12);
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b) volume[a] += w(a, b);
    std::size_t into = m;
    double most = -1;
    for (std::size_t b = 0; b < m; ++b) {
      if (gone[b] || b == smallest) continue;
      const double tie = w(smallest, b) / std::min(volume[smallest], volume[b]);
      if (tie > most) most = tie, into = b;
    }
    for (std::size_t c = 0; c < m; ++c) w(into, c) += w(smallest, c), w(smallest, c) = 0;
    for (std::size_t c = 0; c < m; ++c) w(c, into) += w(c, smallest), w(c, smallest) = 0;
    sizes[into] += sizes[smallest];
    gone[smallest] = true;
    for (Label& l : name)
      if (l == static_cast<Label>(smallest)) l = static_cast<Label>(into);
    --left;
  }
  // Those that are left, numbered without gaps.
  std::vector<std::size_t> kept;
  std::vector<Label> number(m);
  for (std::size_t a = 0; a < m; ++a)
    if (!gone[a]) number[a] = static_cast<Label>(kept.size()), kept.push_back(a);
  Matrix<double> dense(kept.size(), kept.size());
  std::vector<std::size_t> dense_sizes;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    dense_sizes.push_back(sizes[kept[i]]);
    for (std::size_t j = 0; j < kept.size(); ++j) dense(i, j) = w(kept[i], kept[j]);
  }
  for (Label& l : name) l = number[static_cast<std::size_t>(l)];
  w = std::move(dense);
  sizes = std::move(dense_sizes);
}

Tree tree_of(const Context& context, const std::vector<ReducedGraph>& all, std::size_t which, std::size_t pieces) {
  Tree tree;
  tree.pieces = cut_graph(context_of_graph(context, which), all[which], std::min(pieces, least_eigenvectors),
                          {.clusters = pieces, .starts = 3, .images_each = 100})
                    .labels;
  Matrix<double> w(pieces, pieces);
  for (const ReducedGraph& graph : all) {
    const Matrix<double> own = shared_weights(context, graph, tree.pieces, pieces);
    for (std::size_t i = 0; i < w.size(); ++i) w.data()[i] += own.data()[i] / static_cast<double>(all.size());
  }
  std::vector<std::int64_t> sizes(pieces);
  for (const Label l : tree.pieces) ++sizes[static_cast<std::size_t>(l)];
  context.ranks().sum(sizes);
  tree.sizes.assign(sizes.begin(), sizes.end());
  const std::size_t n = std::accumulate(tree.sizes.begin(), tree.sizes.end(), std::size_t{0});
  std::vector<Label> name(pieces);
  std::iota(name.begin(), name.end(), 0);
  join_small(w, tree.sizes, name, small_piece * static_cast<double>(n) / static_cast<double>(pieces));
  for (Label& l : tree.pieces) l = name[static_cast<std::size_t>(l)];
  tree.merges = merge_tree(w);
  return tree;
}

double mean_neighbours(const std::vector<ReducedGraph>& graphs) {
  double sum = 0;
  for (const ReducedGraph& graph : graphs) sum += static_cast<double>(graph.indices.cols());
  return sum / static_cast<double>(graphs.size());
}

/// The share of thresholds around `middle` that leave 1, 2, ... groups, averaged over the trees: [K - 1].
std::vector<double> shares_of(const std::vector<Tree>& all, double middle) {
  std::size_t most = 0;
  for (const Tree& tree : all) most = std::max(most, tree.merges.size() + 1);
  std::vector<double> shares(most);
  const auto below = [&](double tie) {  // of the thresholds
    return std::erfc(-std::log(std::max(tie, 1e-9) / middle) / deviation / std::sqrt(2.0)) / 2;
  };
  for (const Tree& tree : all) {
    double before = 0;
    for (std::size_t k = 1; k <= tree.merges.size() + 1; ++k) {
      // The k-th weakest tie: thresholds above it cut k + 1 groups apart.
      const double at = k <= tree.merges.size() ? below(tree.merges[tree.merges.size() - k].tie) : 1;
      shares[k - 1] += (at - before) / static_cast<double>(all.size());
      before = at;
    }
  }
  return shares;
}

std::size_t median_of(const std::vector<double>& shares) {
  double sum = 0;
  for (std::size_t k = 1; k <= shares.size(); ++k)
    if ((sum += shares[k - 1]) >= 0.5) return k;
  return shares.size();
}

/// The shares with what lies outside of the range set to 0, and the number to take. Where hardly anything is left, what
/// is left is chance, and the end of the range is taken that lies nearest to the median of all.
std::size_t choose_within(std::vector<double>& shares, std::size_t least, std::size_t most) {
  const std::size_t unrestricted = median_of(shares);
  shares.resize(std::max(shares.size(), least));
  double inside = 0;
  for (std::size_t k = 1; k <= shares.size(); ++k) {
    if (k < least || k > most) shares[k - 1] = 0;
    inside += shares[k - 1];
  }
  if (inside < enough_inside) return std::clamp(unrestricted, least, std::min(most, shares.size()));
  for (double& s : shares) s /= inside;
  return median_of(shares);
}

CountVerdict verdict_of(const std::vector<double>& shares, std::size_t taken, bool may_be_clear) {
  constexpr std::size_t most_named = 4;
  CountVerdict verdict;
  verdict.clear = may_be_clear && shares[taken - 1] >= clear_share;
  verdict.counts.push_back({taken, shares[taken - 1]});
  if (verdict.clear) return verdict;
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), 1);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t k) { return shares[k - 1]; });
  double named = shares[taken - 1];
  for (const std::size_t k : order) {
    if (verdict.counts.size() >= most_named || (verdict.counts.size() >= 2 && named >= named_share)) break;
    if (shares[k - 1] < least_share) break;
    if (k == taken) continue;
    verdict.counts.push_back({k, shares[k - 1]});
    named += shares[k - 1];
  }
  return verdict;
}

/// The pieces with their most typical images: those that lie nearest to their representatives.
ClusterTree described(const Context& context, const Tree& tree, const ReducedGraph& graph,
                      const std::vector<std::size_t>& images) {
  constexpr std::size_t shown = 12;
  const std::vector<Label> pieces = gather_at_first(context, tree.pieces);
  const std::vector<float> distances = gather_at_first(context, graph.distances);
  ClusterTree result;
  for (const std::size_t size : tree.sizes) result.pieces.push_back({size, {}});
  for (const Merge& m : tree.merges) result.joins.push_back({m.one, m.other, m.tie});
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return distances[i]; });
  for (const std::size_t i : order)
    if (auto& piece = result.pieces[static_cast<std::size_t>(pieces[i])]; piece.images.size() < shown)
      piece.images.push_back(images[i]);
  return result;
}

/// "10, 12 or 14 fit about equally", or "10 (41 %), 12 (33 %) or 14 (9 %)" where they do not.
std::string list_of(const std::vector<ClusterCount>& counts) {
  const auto [least, most] = std::ranges::minmax(counts, {}, &ClusterCount::score);
  const bool equally = 2 * least.score >= most.score;
  std::string list;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    list += fmt::format("{}{}", i == 0 ? "" : i + 1 < counts.size() ? ", " : " or ", counts[i].clusters);
    if (!equally) list += fmt::format(" ({:.0f} %)", 100 * counts[i].score);
  }
  return list + (equally ? " fit about equally" : "");
}

}  // namespace

Counted count_clusters(const Context& context, const Parameters& p, const std::vector<ReducedGraph>& graphs,
                       const std::vector<std::size_t>& images) {
  const std::size_t n = sum_of_all(context, graphs[0].indices.rows());
  const std::size_t cut = std::min(trees, graphs.size());
  std::size_t finest = std::min(most_pieces, n / images_each);
  for (std::size_t t = 0; t < cut; ++t) finest = std::min(finest, graphs[t].representatives.rows() / 2);
  finest = std::max<std::size_t>(finest, 2);

  std::vector<Tree> found;
  std::vector<double> shares;
  Counted counted;
  bool may_be_clear = true;
  std::size_t unrestricted = 1;
  for (std::size_t pieces = std::min(first_pieces, finest);;) {
    found.clear();
    for (std::size_t t = 0; t < cut; ++t) {
      context.report("number of clusters", t, cut);
      found.push_back(tree_of(context, graphs, t, pieces));
    }
    shares = shares_of(found, threshold * mean_neighbours(graphs));
    unrestricted = median_of(shares);
    counted.clusters = choose_within(shares, std::max<std::size_t>(2, p.k_least), p.k_most);
    may_be_clear = unrestricted >= p.k_least && unrestricted <= p.k_most;
    std::size_t fewest = pieces;
    for (const Tree& tree : found) fewest = std::min(fewest, tree.merges.size() + 1);
    if (static_cast<double>(counted.clusters) <= full * static_cast<double>(fewest)) break;
    if (2 * pieces > finest) {
      may_be_clear = may_be_clear && counted.clusters <= 2 && fewest <= 3;
      break;
    }
    pieces *= 2;
  }
  counted.clusters = std::min(counted.clusters, n);
  if (counted.clusters > shares.size()) shares.resize(counted.clusters);
  counted.verdict = verdict_of(shares, counted.clusters, may_be_clear);
  counted.verdict.unrestricted = unrestricted;
  counted.tree = described(context, found[0], graphs[0], images);
  return counted;
}

std::string words_of(const CountVerdict& verdict, const Parameters& p) {
  std::string text = verdict.unrestricted < 2 ? "nothing clearly parts these images" : "no clear number of clusters";
  if (verdict.counts.size() > 1) text += ": " + list_of(verdict.counts);
  text += fmt::format("; {} is used", verdict.counts[0].clusters);
  if (verdict.unrestricted > p.k_most) text += fmt::format("; there may be more than {}: raise --k-range", p.k_most);
  if (verdict.unrestricted >= 2 && verdict.unrestricted < p.k_least)
    text += fmt::format("; there may be fewer than {}: lower --k-range", p.k_least);
  return text;
}

}  // namespace pssc
