#pragma once

#include "fitted.hpp"

#include <pssc/core/spread.hpp>

namespace pssc {

/// The images that this rank places: whole parts, so that it makes no difference how many ranks there are.
Part placed_here(const Context& context, std::size_t count);

/// Places every image by what was learned from some, in one more pass; a rank its part of them. `placed` are parts that
/// an earlier run has kept.
void place_all(const Context& context, const Fitted& fitted, std::size_t count, FeatureSource& source,
               std::vector<PlacedPart> placed, Checkpoints::State* kept, Run& run);

/// Now that all images are placed, the clusters are numbered by all of them.
void order_clusters(const Context& context, ClusterRule& rule, Clustering& clustering);

}  // namespace pssc
