#pragma once

#include "rule.hpp"

#include <pssc/pipeline.hpp>

namespace pssc {

struct Tuned {
  Clustering clustering;
  Whitening whitening;  ///< of the last round
  ClusterRule rule;
};

/// Self-tuned clustering of coordinates y [n x d], by falling variance: cluster, estimate what varies inside the
/// clusters, whiten it, cluster again; merge from a finer clustering; finish with Gaussians (docs/method.md).
Tuned cluster_tuned(const Context& context, const Parameters& parameters, FloatView y);

// The steps of it, shared with the search for the number of clusters.

constexpr std::size_t final_starts = 10;  ///< of the k-means on an embedding

struct Round {
  Whitening whitening;
  ReducedGraph graph;
  KMeansResult cut;
};

/// Representatives, candidates and neighbours as there can be among so many images.
USpecParams graph_params(const Parameters& parameters, std::size_t images, std::size_t clusters);

/// Clusters to merge from: `finer` times as many, as far as the images allow.
std::size_t finer_clusters(const Parameters& parameters, std::size_t images, std::size_t clusters);

/// U-SPEC on y without its leading components, which vary inside every class.
Round start_round(const Context& context, const Parameters& parameters, FloatView y, std::size_t clusters);

/// Whitens y by the clusters so far and clusters it again.
Round whitened_round(const Context& context, const Parameters& parameters, FloatView y,
                     const std::vector<Label>& labels, std::size_t clusters);

}  // namespace pssc
