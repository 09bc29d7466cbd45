#pragma once

#include "checkpoints.hpp"
#include "feature_source.hpp"
#include "map.hpp"
#include "model.hpp"
#include "timer.hpp"

#include <pssc/pipeline.hpp>

#include <memory>
#include <vector>

namespace pssc {

/// All that is known once the clusters are found: what goes on to place images, and the run so far.
struct Fitted {
  std::shared_ptr<Model::Contents> learned = std::make_shared<Model::Contents>();
  MapRule map;
  std::vector<std::size_t> images;  ///< that the clusters were found among; this rank's
};

/// Kept for a later run of the same, with any number of ranks.
void save_fitted(const Context& context, Checkpoints::State& kept, const FeatureSource& source, const StageTimer& timer,
                 Fitted& fitted, Run& run);

/// Whether they were there; what the source and the timer have seen is as it was.
bool load_fitted(const Context& context, Checkpoints::State& kept, FeatureSource& source, StageTimer& timer,
                 Fitted& fitted, Run& run);

}  // namespace pssc
