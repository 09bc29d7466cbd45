#pragma once

#include "nuisance.hpp"

#include <pssc/pipeline.hpp>

namespace pssc {

/// How images fall apart, and into how many clusters.
struct Counted {
  std::size_t clusters = 0;
  ClusterTree tree;  ///< known to the first rank alone
  CountVerdict verdict;
};

/// y [n x d] are coordinates, `images` the numbers of the images they are of.
///
/// Cut a few graphs into many pieces, join the pieces that are tied most strongly (averaged over all graphs), and read
/// off where the ties become weak: a number K is as likely as the share of thresholds around 0.09 that leave K groups.
Counted count_clusters(const Context& context, const Parameters& parameters, FloatView y,
                       const std::vector<std::size_t>& images, const Nuisance& nuisance);

}  // namespace pssc
