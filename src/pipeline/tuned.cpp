#include "tuned.hpp"

#include "cluster_count.hpp"
#include "fits.hpp"
#include "projected.hpp"

#include <pssc/core/spread.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace pssc {

namespace {

/// S_w + share (tr S_w / tr S_n) S_n: what varies inside the clusters, and what the small changes do.
Matrix<double> mixed_covariance(const Context& context, FloatView y, const std::vector<Label>& labels,
                                std::size_t clusters, const Nuisance& nuisance, double share) {
  Matrix<double> mixed = within_covariance(context, y, labels, clusters);
  if (nuisance.empty()) return mixed;
  const Matrix<double> moves = nuisance.covariance();
  double within_trace = 0, moves_trace = 0;
  for (std::size_t j = 0; j < mixed.rows(); ++j) within_trace += mixed(j, j), moves_trace += moves(j, j);
  for (std::size_t i = 0; i < mixed.size(); ++i)
    mixed.data()[i] += share * within_trace / moves_trace * moves.data()[i];
  return mixed;
}

/// Numbers of the rows that are not unlike all others, of all ranks, rising. Two or three such strays can claim a
/// cluster of their own and force two real ones together, so nothing is learned from them. A row is one where its
/// distance from the middle of all, moves whitened, stands far out; where more than a hundredth would be, none is.
std::vector<std::size_t> ordinary_rows(const Context& context, const Parameters& p, FloatView y,
                                       const Nuisance& nuisance, std::size_t clusters) {
  const RowShare share = share_of_rows(context, y.rows());
  std::vector<std::size_t> all(share.total);
  std::iota(all.begin(), all.end(), 0);
  if (nuisance.empty()) return all;
  const FloatMatrix z = whiten(context, whitening_of(context, nuisance.covariance(), p.tuning.whitening_ridge), y);
  const std::vector<Label> together(y.rows());
  const std::vector<float> distances = distances_to_means(context, z, together, cluster_means(context, z, together, 1));
  const std::vector<std::uint8_t> far = flag_outliers(context, distances, together, 1);
  std::vector<std::size_t> strays;
  for (std::size_t i = 0; i < far.size(); ++i)
    if (far[i]) strays.push_back(share.first + i);
  strays = gather(context, strays);
  if (100 * strays.size() > share.total || share.total < strays.size() + clusters) return all;
  std::vector<std::size_t> rest;
  std::ranges::set_difference(all, strays, std::back_inserter(rest));
  return rest;
}

/// Representatives of the ridge, and images it is fitted to, as the memory allows: a sixth of it for the features of
/// the rows, a sixth for five square matrices of double precision.
struct RidgeRoom {
  std::size_t representatives = 0, images = 0;
  RidgeRoom(const Context& context, const Parameters& p) {
    const std::size_t share = context.memory / 6;
    const auto most = static_cast<std::size_t>(std::sqrt(static_cast<double>(share / (5 * sizeof(double)))));
    representatives = std::clamp<std::size_t>(p.tuning.ridge.representatives, 1, std::max<std::size_t>(most, 1000));
    images = std::max<std::size_t>(share / (representatives * sizeof(float)), 1000);
  }
};

/// The images that the ridge was fitted to know their own labels; their confidence is that of a model that has not seen
/// them. `values` are those of the sampled rows, spread evenly.
void judge_without_own(const Context& context, FloatMatrix& values, const std::vector<std::size_t>& sampled,
                       double temperature, Clustering& clustering) {
  to_probabilities(context, values, temperature);
  const RowShare share = share_of_rows(context, clustering.labels.size());
  const auto begin = std::ranges::lower_bound(sampled, share.first);
  const auto end = std::ranges::lower_bound(sampled, share.first + clustering.labels.size());
  const FloatMatrix own = spread_rows(context, values, static_cast<std::size_t>(end - begin));
  for (auto at = begin; at != end; ++at) {
    const std::size_t row = *at - share.first;
    clustering.confidence[row] =
        own(static_cast<std::size_t>(at - begin), static_cast<std::size_t>(clustering.labels[row]));
  }
}

/// The numbers of the images at the sampled places among those of all ranks, on the first rank.
std::vector<std::size_t> named(const Context& context, const std::vector<std::size_t>& images,
                               const std::vector<std::size_t>& sampled) {
  const std::vector<std::size_t> all = gather_at_first(context, images);
  std::vector<std::size_t> result;
  if (!all.empty())
    for (const std::size_t i : sampled) result.push_back(all[i]);
  return result;
}

/// Clusterings of the same rows, and how many clusters they have.
struct Fits {
  Cuts cuts;
  std::size_t clusters = 0;
  std::vector<double> eigenvalues;  ///< of the first graph
};

/// How many clusters the graphs are made for while that is to be found out. It matters to sets of a thousand images or
/// fewer, whose graphs have ten representatives for each.
std::size_t expected_clusters(const Parameters& p) {
  return p.clusters == Parameters::automatic ? std::clamp<std::size_t>(16, p.k_least, p.k_most) : p.clusters;
}

/// Draws the graphs, finds the number of clusters on them where it is not given, and cuts them. `images` are the
/// numbers of the images that the rows of all ranks are of, known to the first.
Fits fit_several(const Context& context, const Parameters& p, FloatView y, const std::vector<std::size_t>& images,
                 const Nuisance& nuisance, Tuned& tuned) {
  Fits fits{.clusters = expected_clusters(p)};
  std::vector<ReducedGraph> graphs;
  draw_graphs(context, p, y, nuisance, fits.clusters, graphs);
  if (p.clusters == Parameters::automatic || p.tree) {
    Counted counted = count_clusters(context, p, graphs, images);
    if (context.ranks().rank() == 0) tuned.tree = std::move(counted.tree);
    if (p.clusters == Parameters::automatic) {
      fits.clusters = counted.clusters;
      tuned.verdict = std::move(counted.verdict);
      draw_graphs(context, p, y, nuisance, fits.clusters, graphs);
    }
  }
  fits.cuts = cut_twice(context, graphs, fits.clusters);
  fits.eigenvalues = graphs[0].eigenvalues;
  fits.eigenvalues.resize(std::min(std::max(p.k_most, fits.clusters) + 1, fits.eigenvalues.size()));
  return fits;
}

/// The ridge on the consensus of the fits, and how well each of its clusters comes back in them.
struct Refined {
  RidgeResult ridge;
  std::vector<double> stability;
};

Refined refine(const Context& context, const RidgeParams& params, FloatView z, const Fits& fits,
               std::vector<Label> labels) {
  const std::size_t clusters = fits.clusters;
  RidgeRegression regression(context, params, z, clusters);
  Refined refined{regression.refine(std::move(labels)), {}};
  // Each graph has one vote, made as the result was: the consensus of its cuts, relabelled by the ridge. An
  // error of one cut that the whole does not share then casts no doubt.
  std::vector<std::vector<Label>> votes;
  for (const std::vector<std::vector<Label>>& cuts : fits.cuts) {
    std::vector<Label> vote = consensus(context, cuts, clusters);
    rename_clusters(context, vote, refined.ridge.labels, clusters);
    votes.push_back(regression.relabelled(vote));
  }
  refined.ridge.rule.temperature = fit_temperature(context, refined.ridge.values, shares_of(votes, clusters));
  refined.stability = stability_of(context, votes, refined.ridge.labels, clusters);
  return refined;
}

void flag_unstable(Clustering& clustering) {
  for (std::size_t c = 0; c < clustering.clusters && c < clustering.stability.size(); ++c)
    if (clustering.stability[c] < unstable_below)
      clustering.notes.push_back(fmt::format("cluster {} is not stable: repeated clusterings find {:.0f} % of it again",
                                             c, 100 * clustering.stability[c]));
}

}  // namespace

Tuned cluster_tuned(const Context& context, const Parameters& p, FloatView y, const std::vector<std::size_t>& images,
                    const Nuisance& nuisance) {
  const std::size_t n = sum_of_all(context, y.rows()), expected = expected_clusters(p);
  Tuned tuned;
  Clustering& result = tuned.clustering;
  ClusterRule& rule = tuned.rule;

  // What is learned needs no more images than these.
  const std::vector<std::size_t> ordinary = ordinary_rows(context, p, y, nuisance, expected);
  const RidgeRoom room(context, p);
  std::vector<std::size_t> sampled =
      draw_images(context, ordinary.size(), std::max(std::min(p.candidates, room.images), expected));
  for (std::size_t& i : sampled) i = ordinary[i];
  FloatMatrix picked;
  if (sampled.size() < n) picked = pick_rows(context, y, sampled);
  const FloatView sample = sampled.size() < n ? FloatView(picked) : y;

  const Fits fits = fit_several(context, p, sample, named(context, images, sampled), nuisance, tuned);
  const std::size_t C = fits.clusters;
  std::vector<Label> labels = consensus(context, all_cuts(fits.cuts), C);

  const Whitening whitening =
      whitening_of(context, mixed_covariance(context, sample, labels, C, nuisance, p.tuning.nuisance_share),
                   p.tuning.whitening_ridge);
  RidgeParams params = p.tuning.ridge;
  params.representatives = std::max<std::size_t>(1, std::min(room.representatives, sampled.size() / 2));
  if (p.refine == Refinement::consensus) params.rounds = 0;
  auto [ridge, stability] = refine(context, params, whiten(context, whitening, sample), fits, std::move(labels));

  rule.whitening = whitening.map.copy();
  rule.ridge = std::move(ridge.rule);
  const FloatMatrix z = whiten(context, whitening, y);
  Placed placed = rule.ridge->place(context, z);
  result.clusters = C;
  result.labels = std::move(placed.labels);
  result.confidence = std::move(placed.confidence);
  judge_without_own(context, ridge.values, sampled, rule.ridge->temperature, result);
  result.eigenvalues = fits.eigenvalues;
  result.counts = largest_gaps(result.eigenvalues, 3, p.k_least, p.k_most);
  rule.means = cluster_means(context, z, result.labels, C);
  result.distances = distances_to_means(context, z, result.labels, rule.means);
  rule.limits = outlier_limits(context, result.distances, result.labels, C);
  result.outliers = beyond_limits(result.distances, result.labels, rule.limits);
  rule.renamed = order_by_size(context, result);
  result.stability.resize(C);
  for (std::size_t c = 0; c < C; ++c) result.stability[static_cast<std::size_t>(rule.renamed[c])] = stability[c];
  result.stability.resize(result.clusters);
  flag_unstable(result);
  rule.clusters = result.clusters;
  return tuned;
}

}  // namespace pssc
