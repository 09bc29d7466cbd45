#pragma once

#include "feature_source.hpp"

#include <pssc/pipeline.hpp>

namespace pssc {

/// How coordinates move when images are changed slightly, kind by kind. It estimates the covariance inside the classes
/// without a clustering.
struct Nuisance {
  std::vector<Move> moves;                  ///< one per kind that was asked for
  std::vector<Matrix<double>> covariances;  ///< [d x d], trace 1, of the kinds that move anything
  bool empty() const { return covariances.empty(); }

  /// The sum of the covariances, each times its weight (1 where no weights are given).
  Matrix<double> covariance(std::span<const double> weights = {}) const;
};

/// The same for coordinates without the first `dropped`.
Nuisance without_leading(Nuisance nuisance, std::size_t dropped);

/// Rows and columns [begin, end) of a covariance.
Matrix<double> block_of(const Matrix<double>& covariance, std::size_t begin, std::size_t end);

/// Measured on at most `nuisance_images` of these images, by the coordinates that `projection` gives.
Nuisance measure_nuisance(const Context& context, const Parameters& parameters, FeatureSource& source,
                          const Projection& projection, const std::vector<std::size_t>& which);

}  // namespace pssc
