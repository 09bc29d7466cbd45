#pragma once

#include "feature_source.hpp"
#include "projected.hpp"

#include <pssc/pipeline.hpp>

#include <span>

namespace pssc {

/// From such a share of images on that are at home when they are turned so, the pose may mean nothing.
constexpr double at_home = 0.4;

/// The images of a sample mirrored and turned, among the others as they are.
struct TurnedImages {
  Symmetry symmetry;
  std::vector<std::int32_t> mirrored, half_turned, quarter_turned;  ///< [n]: which other image each is nearest to then
};

/// Measured among the coordinates that `projection` gives of these images, all of which can be read.
TurnedImages turn_images(const Context& context, FeatureSource& source, const Projection& projection,
                         std::span<const std::size_t> which);

/// A quick look at a few of the images that a run has projected. All ranks take part, and know the result. Nothing
/// where there are too few images, or where one of them can no longer be read.
std::optional<Symmetry> look_for_symmetry(const Context& context, FeatureSource& source, const Projected& projected);

/// The share of the images that are in clusters most of whose images are nearest to another cluster's when they are
/// turned so: in b and d a mirror moves all images, in o and x none.
double share_moved(std::span<const Label> labels, std::span<const std::int32_t> nearest, std::size_t clusters);

}  // namespace pssc
