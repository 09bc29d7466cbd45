#pragma once

#include <pssc/pipeline.hpp>

namespace pssc {

/// A map for looking at, every cluster a disc of its own: discs lie as the clusters' means do, as far as a plane
/// allows, and do not overlap; inside a disc an image lies by the two directions in which its cluster varies most.
struct MapRule {
  FloatMatrix means;         ///< [clusters x d]
  FloatMatrix directions;    ///< [2 clusters x d], each divided by its standard deviation
  FloatMatrix centres;       ///< [clusters x 2], in the unit square
  std::vector<float> radii;  ///< [clusters]

  /// Writes the positions [n x 2] of points y [n x d]. What is in no cluster goes to the lower edge.
  void place(const Context& context, FloatView y, const std::vector<Label>& labels, MatrixView<float> positions) const;
};

MapRule fit_map(const Context& context, FloatView y, const std::vector<Label>& labels, std::size_t clusters);

}  // namespace pssc
