#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/error.hpp>
#include <pssc/evaluation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pssc {
namespace {

using test::blobs;
using test::remainders;

TEST(Spectral, FindsBlobs) {
  const Clustering c = spectral(Context(2), {.clusters = 4}, blobs(800, 6, 4, 12, 1));
  EXPECT_GT(evaluate(c.labels, remainders(800, 4)).accuracy, 0.995);
  EXPECT_EQ(c.eigenvalues.size(), 4);
  EXPECT_NEAR(c.eigenvalues[0], 1, 1e-5);
}

TEST(Spectral, SameForAnyThreads) {
  const FloatMatrix x = test::normal_matrix(600, 4, 2);
  EXPECT_EQ(spectral(Context(1, 3), {.clusters = 5}, x).labels, spectral(Context(3, 3), {.clusters = 5}, x).labels);
}

TEST(Spectral, RefusesWhatDoesNotFitAndSaysHowMuchItNeeds) {
  Context context(1);
  context.memory = 1 << 20;
  try {
    spectral(context, {.clusters = 4}, blobs(2000, 6, 4, 12, 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("GiB"), std::string::npos);
  }
}

/// Points on two rings, one inside the other, by turns.
FloatMatrix rings(std::size_t n) {
  FloatMatrix x(n, 2);
  Random random(6);
  for (std::size_t i = 0; i < n; ++i) {
    const double radius = i % 2 ? 1 : 3, angle = random.uniform(0, 2 * std::numbers::pi);
    x(i, 0) = static_cast<float>(radius * std::cos(angle) + 0.1 * random.normal());
    x(i, 1) = static_cast<float>(radius * std::sin(angle) + 0.1 * random.normal());
  }
  return x;
}

TEST(SpectralOfNeighbours, PartsRingsThatKMeansCannot) {
  const FloatMatrix x = rings(1000);
  const Clustering c = spectral_of_neighbours(Context(2), {.clusters = 2, .neighbours = 12}, x);
  EXPECT_EQ(evaluate(c.labels, remainders(1000, 2)).accuracy, 1);
  EXPECT_LT(evaluate(cluster_kmeans(Context(2), {.clusters = 2}, x).labels, remainders(1000, 2)).accuracy, 0.7);
  EXPECT_NEAR(c.eigenvalues[0], 1, 1e-9);
  EXPECT_NEAR(c.eigenvalues[1], 1, 1e-9);  // two pieces
  EXPECT_EQ(c.labels, spectral_of_neighbours(Context(1), {.clusters = 2, .neighbours = 12}, x).labels);
}

TEST(SpectralOfNeighbours, RefusesTooFewImages) {
  EXPECT_THROW(spectral_of_neighbours(Context(1), {.clusters = 10}, blobs(9, 2, 3, 4, 1)), Error);
}

TEST(Dbscan, FindsBlobsAndLeavesTheStrayOut) {
  FloatMatrix x = blobs(601, 2, 3, 40, 3);
  x(600, 0) = x(600, 1) = 500;
  const Clustering c = dbscan(Context(2), {.radius = 2.5, .min_points = 5}, x);
  EXPECT_EQ(c.clusters, 3);
  EXPECT_EQ(c.labels[600], noise_label);
  EXPECT_EQ(c.outliers[600], 1);
  std::vector<Label> blobs_only(c.labels.begin(), c.labels.end() - 1);
  EXPECT_GT(evaluate(blobs_only, remainders(600, 3)).accuracy, 0.98);
}

TEST(Dbscan, HandWorkedLine) {
  // Points 0 1 2 3 are a chain with reach 1; 10 and 11 are too few for a core of 3; 4.05 is out of reach of 3.
  FloatMatrix x(7, 1);
  const float values[] = {0, 1, 2, 3, 10, 11, 4.05F};
  std::copy_n(values, 7, x.data());
  const Clustering c = dbscan(Context(1), {.radius = 1.001, .min_points = 3}, x);
  EXPECT_EQ(c.clusters, 1);
  EXPECT_EQ(c.labels, (std::vector<Label>{0, 0, 0, 0, -1, -1, -1}));
  EXPECT_EQ(c.confidence[1], 1);     // core: 0, 1, 2 in reach
  EXPECT_EQ(c.confidence[0], 0.5F);  // border
}

TEST(Dbscan, SameForAnyThreadsAndFindsARadiusItself) {
  const FloatMatrix x = blobs(900, 3, 3, 30, 4);
  const Clustering one = dbscan(Context(1), {}, x), three = dbscan(Context(3), {}, x);
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_GE(one.clusters, 3);
}

TEST(KMeansClusterer, ConfidenceFallsTowardsTheBorder) {
  FloatMatrix x = blobs(401, 2, 2, 20, 5);
  x(400, 0) = 10;
  x(400, 1) = 10;
  const Clustering c = cluster_kmeans(Context(1), {.clusters = 2}, x);
  EXPECT_LT(c.confidence[400], 0.5);
  EXPECT_GT(c.confidence[0], 0.8);
}

}  // namespace
}  // namespace pssc
