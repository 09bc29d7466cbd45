#pragma once

#include <pssc/core/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pssc {

/// How well a clustering agrees with the truth. All are 1 for the same partition, whatever its clusters are called.
struct Metrics {
  double accuracy = 0;  ///< share of images under the best one-to-one matching of clusters and classes (Hungarian)
  double purity = 0;    ///< share of images under each cluster's majority class
  double nmi = 0;       ///< normalised mutual information, arithmetic mean of the entropies
  double ari = 0;       ///< adjusted Rand index
};

/// counts[a][b]: images in cluster a and class b, both renumbered from 0 in the order of their values.
Matrix<std::int64_t> contingency(std::span<const std::int32_t> predicted, std::span<const std::int32_t> truth);

/// The one-to-one assignment of rows to columns with the largest total; result[row] is a column or -1. O(n^3).
std::vector<std::ptrdiff_t> best_assignment(const Matrix<std::int64_t>& gain);

/// By the counts of images in cluster a and class b; rows and columns without any are left out.
Metrics evaluate(const Matrix<std::int64_t>& counts);

/// Any label values, negative ones too. Throws Error(input) where the counts differ or are zero.
Metrics evaluate(std::span<const std::int32_t> predicted, std::span<const std::int32_t> truth);

// ---- angles between subspaces, in degrees, 0 to 90, rising ----------------------------------------------------------

/// The principal angles (Bjorck and Golub 1973) between the spans of the rows of p [a x D] and q [b x D]: the smallest
/// angle between a direction of one span and one of the other, then the smallest among directions orthogonal to those
/// two, and so on: min(a, b) of them.
std::vector<double> principal_angles(MatrixView<const double> p, MatrixView<const double> q);

/// What the paper's authors tabulate under that name: of all angles between a row of p and a row of q the smallest,
/// then the smallest without those two rows, and so on. It depends on the rows, not only on what they span; its
/// smallest is never below the smallest principal angle.
std::vector<double> greedy_angles(MatrixView<const double> p, MatrixView<const double> q);

/// sqrt(mean cos^2): 1 for the same subspace, 0 for orthogonal ones.
double subspace_affinity(std::span<const double> angles);

}  // namespace pssc
