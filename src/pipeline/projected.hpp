#pragma once

#include "feature_source.hpp"
#include "timer.hpp"

#include <pssc/pipeline.hpp>

#include <functional>
#include <string>
#include <vector>

namespace pssc {

/// Images as points in the space of their leading principal components.
struct Projected {
  Projection projection;
  FloatMatrix coordinates;  ///< [images x pca_dims], before POC
  std::vector<std::string> notes;
};

/// First pass: features, and how to equalise them. Later passes: components, coordinates. `after_first_pass` may throw
/// to refuse the input before more work is done.
Projected project_features(const Context& context, const Parameters& parameters, FeatureSource& source,
                           StageTimer& timer, const std::function<void()>& after_first_pass);

/// The first pass alone: afterwards rows come equalised.
void equalise_features(const Context& context, const Parameters& parameters, FeatureSource& source);

}  // namespace pssc
