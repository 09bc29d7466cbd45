#pragma once

#include "projected.hpp"

#include <pssc/pipeline.hpp>

#include <vector>

namespace pssc {

/// How the default method does with some parameters on a sample of images, told without labels.
struct Trial {
  std::size_t clusters = 0;
  std::vector<Label> labels;             ///< of the first of the clusterings
  double stability = 0, confidence = 0;  ///< the means over the images, and over several clusterings
};

Trial try_clustering(const Context& context, const Parameters& parameters, const Projected& projected,
                     std::size_t repeats);

}  // namespace pssc
