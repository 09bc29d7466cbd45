#pragma once

#include <pssc/core/context.hpp>
#include <pssc/core/matrix.hpp>
#include <pssc/images.hpp>
#include <pssc/pipeline.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pssc {

/// The directions in which the images of a class vary most: the leading eigenvectors of the covariance of their
/// features, each feature brought to mean 0 and variance 1 within the class. A feature that does not vary there counts
/// as 0.
struct ClassSubspace {
  std::size_t images = 0;
  Matrix<double> directions;   ///< [dims x D], orthonormal rows, by falling variance
  std::vector<double> shares;  ///< [dims], of the variance of all features
};

/// Of the features that `features` (and scales, angles, order) of the parameters name. A class of more images than a
/// quarter of the memory holds features of is sampled. `dims` are fewer where there are fewer images. Throws
/// Error(input) where fewer than two images can be read or all are the same.
ClassSubspace class_subspace(const Context& context, const Parameters& parameters, const ImageSet& images,
                             std::span<const std::size_t> members, std::size_t dims);

/// How two subspaces lie to each other, in degrees.
struct SubspaceAngles {
  std::vector<double> greedy;     ///< as the paper tabulates them; see greedy_angles
  std::vector<double> principal;  ///< the principal angles
  double greedy_affinity = 0;     ///< of each: sqrt(mean cos^2)
  double affinity = 0;
};

SubspaceAngles angles_between(const ClassSubspace& a, const ClassSubspace& b);

/// All eigenvalues of the covariance of the images' features, each feature brought to mean 0 and variance 1, divided by
/// their sum; falling. D^2 numbers of memory; of very many images those of a sample.
std::vector<double> feature_spectrum(const Context& context, const Parameters& parameters, const ImageSet& images);

}  // namespace pssc
