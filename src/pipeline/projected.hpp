#pragma once

#include "checkpoints.hpp"
#include "feature_source.hpp"
#include "nuisance.hpp"
#include "timer.hpp"

#include <pssc/pipeline.hpp>

#include <string>
#include <vector>

namespace pssc {

/// What turns features into points in the space of their leading principal components, learned from a sample, and the
/// points of the images that the clustering is fitted to.
struct Projected {
  Projection projection;
  std::vector<std::size_t> images;  ///< whose points these are, rising; broken ones are not among them
  FloatMatrix coordinates;          ///< [images x pca_dims], before POC
  Nuisance nuisance;                ///< how coordinates move under small changes
  std::vector<std::string> notes;
};

/// Images drawn at random, rising: `most` of all, or all of them.
std::vector<std::size_t> draw_images(const Context& context, std::size_t count, std::size_t most);

/// Learns equalisation and components from `parameters.sample_images` of the named images (fewer where their features
/// would take more than a quarter of the memory), then projects all of the named ones, never holding more features than
/// the sample's. Throws Error(input) where none can be read. With `kept`, keeps both, or continues after them.
Projected project_images(const Context& context, const Parameters& parameters, FeatureSource& source,
                         const std::vector<std::size_t>& which, StageTimer& timer, Checkpoints::State* kept);

/// Learns the equalisation alone, from the same sample: afterwards rows come equalised.
void equalise_features(const Context& context, const Parameters& parameters, FeatureSource& source,
                       const std::vector<std::size_t>& which);

}  // namespace pssc
