#pragma once

#include "nuisance.hpp"
#include "rule.hpp"

#include <pssc/pipeline.hpp>

#include <optional>

namespace pssc {

struct Tuned {
  Clustering clustering;
  ClusterRule rule;
  std::optional<CountVerdict> verdict;  ///< where the number of clusters was to be found
  std::optional<ClusterTree> tree;      ///< there, and where it was asked for; known to the first rank alone
};

/// The default method on coordinates y [n x d]: cluster several times with the measured moves whitened, make one
/// clustering of them, and settle its borders by a ridge (docs/method.md).
/// `images` are the numbers of the images that the rows are of.
Tuned cluster_tuned(const Context& context, const Parameters& parameters, FloatView y,
                    const std::vector<std::size_t>& images, const Nuisance& nuisance);

}  // namespace pssc
