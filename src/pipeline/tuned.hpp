#pragma once

#include "nuisance.hpp"
#include "rule.hpp"

#include <pssc/pipeline.hpp>

namespace pssc {

struct Tuned {
  Clustering clustering;
  ClusterRule rule;
};

/// The default method on coordinates y [n x d]: cluster several times with the measured moves whitened, make one
/// clustering of them, and settle its borders by a ridge (docs/method.md).
/// `parameters.clusters` is a number.
Tuned cluster_tuned(const Context& context, const Parameters& parameters, FloatView y, const Nuisance& nuisance);

}  // namespace pssc
