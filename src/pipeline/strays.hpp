#pragma once

#include <pssc/pipeline.hpp>

namespace pssc {

/// Tells images that are unlike all others by their distance from the middle of all, each component in units of its own
/// spread. Two or three such can claim a cluster and force two real ones together, so they are set aside.
struct StrayRule {
  std::vector<float> inverse_variances;  ///< [d]; empty: there are no strays
  float limit = 0;                       ///< squared distance from which on an image is one
  Matrix<double> means;                  ///< [clusters x d], by which strays are filed nevertheless

  std::vector<std::uint8_t> find(FloatView y) const;
  /// Files each stray under the nearest mean, with no confidence, and flags it.
  void file(FloatView y, const std::vector<std::uint8_t>& strays, Clustering& clustering) const;
};

/// The rule for y [n x d]. No image is a stray where more than a hundredth would be: then they are part of a set of
/// many kinds.
StrayRule fit_strays(const Context& context, FloatView y, double ridge);

}  // namespace pssc
