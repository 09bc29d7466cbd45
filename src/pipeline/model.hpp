#pragma once

#include "rule.hpp"

#include <pssc/pipeline.hpp>

namespace pssc {

struct Model::Contents {
  // how images become features
  std::size_t size = 32, channels = 1;
  Frame frame = Frame::black;
  Features features = Features::scattering;
  std::size_t scales = 3, angles = 8, order = 2;
  std::size_t zoom = 1;
  Contrast contrast = Contrast::none;
  Ignored ignored;
  // how features become coordinates, and coordinates clusters
  Equaliser equaliser;
  Projection projection;
  ClusterRule rule;
  std::vector<std::string> names;  ///< of the clusters; empty, or one a cluster, of which some may be empty
};

}  // namespace pssc
