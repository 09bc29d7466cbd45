#pragma once

#include "nuisance.hpp"

#include <pssc/pipeline.hpp>

namespace pssc {

/// U-SPEC's parameters as they can be among so many images. There are as many representatives as were asked for, but
/// no more than one in five images, unless that leaves fewer than ten per cluster, and never more than one in two.
USpecParams graph_params(const Parameters& parameters, std::size_t images, std::size_t clusters);

/// What one fit sees of the coordinates: how many of them, how much each kind of change counts, how strongly it
/// whitens.
struct FitView {
  std::size_t dims = 0;
  double ridge = 0.1;           ///< of the whitening
  std::vector<double> weights;  ///< of the kinds of change; empty: all alike

  explicit FitView(std::size_t all) : dims(all) {}
  /// Drawn at random, a factor of two or three around values that do well on their own.
  FitView(std::uint64_t seed, std::size_t all, const Nuisance& nuisance);
};

/// The leading coordinates, whitened: [n x dims].
FloatMatrix fit_view(const Context& context, FloatView y, const Nuisance& nuisance, const FitView& view);

/// Eigenvectors that every graph has at least: what the number of clusters is looked for on.
constexpr std::size_t least_eigenvectors = 40;

/// Several graphs of the same rows, each with settings drawn at random: how many coordinates it sees, how much each
/// kind of change counts, how strongly it whitens, how many representatives and neighbours it takes. What they agree on
/// does not depend on any of these. A graph that is already there stays, unless so many clusters need another
/// size.
void draw_graphs(const Context& context, const Parameters& parameters, FloatView y, const Nuisance& nuisance,
                 std::size_t clusters, std::vector<ReducedGraph>& graphs);

/// Each graph is cut twice, in ways that fail differently: on half as many eigenvectors again as clusters, by k-means
/// and into pieces that are then joined. [graphs][2][n], 0 .. clusters-1
using Cuts = std::vector<std::vector<std::vector<Label>>>;
Cuts cut_twice(const Context& context, const std::vector<ReducedGraph>& graphs, std::size_t clusters);

/// The context that a graph was drawn in, and is cut in.
Context context_of_graph(const Context& context, std::size_t graph);

std::vector<std::vector<Label>> all_cuts(const Cuts& cuts);

/// Gives clusters the numbers of those of `like` that they match best, one to one.
void rename_clusters(const Context& context, std::vector<Label>& labels, const std::vector<Label>& like,
                     std::size_t clusters);

/// The share of the votes that puts each row into each cluster: [n x clusters].
FloatMatrix shares_of(const std::vector<std::vector<Label>>& votes, std::size_t clusters);

/// How well each cluster of `labels` comes back in other clusterings: the mean over them of its largest overlap with
/// any of theirs, as intersection over union (Hennig 2007, who takes clusters below 0.6 for unstable).
std::vector<double> stability_of(const Context& context, const std::vector<std::vector<Label>>& votes,
                                 const std::vector<Label>& labels, std::size_t clusters);

}  // namespace pssc
