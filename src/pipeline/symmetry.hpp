#pragma once

#include "feature_source.hpp"

#include <pssc/pipeline.hpp>

#include <span>

namespace pssc {

/// The images of a sample mirrored and turned, among the others as they are.
struct TurnedImages {
  Symmetry symmetry;
  std::vector<std::int32_t> mirrored, half_turned, quarter_turned;  ///< [n]: which other image each is nearest to then
};

/// Measured among the coordinates that `projection` gives of these images, all of which can be read.
TurnedImages turn_images(const Context& context, FeatureSource& source, const Projection& projection,
                         std::span<const std::size_t> which);

/// The share of the images that are in clusters most of whose images are nearest to another cluster's when they are
/// turned so: in b and d a mirror moves all images, in o and x none.
double share_moved(std::span<const Label> labels, std::span<const std::int32_t> nearest, std::size_t clusters);

}  // namespace pssc
