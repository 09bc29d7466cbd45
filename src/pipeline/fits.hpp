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

/// Several clusterings of the same rows. Each of several graphs has settings drawn at random: how many coordinates it
/// sees, how much each kind of change counts, how strongly it whitens, how many representatives and neighbours it
/// takes. What they agree on does not depend on any of these. Each graph is cut twice, in ways that fail differently:
/// on half as many eigenvectors again as clusters, by k-means and into pieces that are then joined.
struct Fits {
  std::vector<std::vector<std::vector<Label>>> cuts;  ///< [graphs][2][n], 0 .. clusters-1
  std::vector<double> eigenvalues;                    ///< of the first graph
};
Fits fit_several(const Context& context, const Parameters& parameters, FloatView y, const Nuisance& nuisance,
                 std::size_t clusters);

std::vector<std::vector<Label>> all_cuts(const Fits& fits);

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
