#include "clustering/spread_kmeans.hpp"
#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace pssc {
namespace {

using test::blobs;

/// Row i of `blobs` belongs to cluster i % clusters.
void expect_blobs_found(const std::vector<Label>& labels, std::size_t clusters) {
  for (std::size_t i = 0; i < labels.size(); ++i) ASSERT_EQ(labels[i], labels[i % clusters]) << "row " << i;
  EXPECT_EQ(std::set<Label>(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(clusters)).size(), clusters);
}

TEST(KMeans, FindsBlobsFromEitherStart) {
  for (const auto start : {KMeansParams::Start::plus_plus, KMeansParams::Start::sample}) {
    const KMeansResult r = kmeans(Context(2), {.clusters = 4, .starts = 20, .start = start}, blobs(2000, 7, 4, 30, 1));
    expect_blobs_found(r.labels, 4);
    EXPECT_NEAR(r.inertia / 2000, 7, 0.5);  // seven dimensions of unit variance
  }
}

TEST(KMeans, CentresFoundOnSomeRowsPlaceAll) {
  const FloatMatrix x = blobs(5000, 7, 4, 30, 1);
  const KMeansResult all = kmeans(Context(2), {.clusters = 4}, x);
  const KMeansResult some = kmeans(Context(2), {.clusters = 4, .images_each = 50}, x);
  expect_blobs_found(some.labels, 4);
  EXPECT_GT(some.inertia, all.inertia);
  EXPECT_LT(some.inertia, 1.05 * all.inertia);
  EXPECT_EQ(kmeans(Context(2), {.clusters = 4, .images_each = 1250}, x).inertia, all.inertia);  // that is all of them
}

TEST(DrawRow, DrawsInProportionToTheWeights) {
  const std::vector<float> weights{1, 0, 4, 2, 3};
  std::vector<int> hits(weights.size());
  const Context context;
  Random random(4);
  for (int i = 0; i < 20000; ++i) ++hits[draw_row(context, weights, {0, weights.size()}, random)];
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(hits[i], 2000 * weights[i], 300) << i;
}

TEST(DrawRow, ARoundingOfTheWeightsChangesNoDraw) {
  constexpr std::size_t n = 20000;
  Random noise(6);
  std::vector<float> weights(n), rounded(n);
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = static_cast<float>(noise.uniform());
    rounded[i] = weights[i] * static_cast<float>(1 + 1e-6 * noise.normal());
  }
  Random one(7), other(7);
  int equal = 0;
  for (int i = 0; i < 200; ++i)
    equal += draw_row(Context(), weights, {0, n}, one) == draw_row(Context(), rounded, {0, n}, other);
  EXPECT_EQ(equal, 200);  // two that arrive within 1e-6 of each other: one race in a million
}

TEST(DrawRow, OfNoWeightAnyRow) {
  Random random(8);
  std::set<std::size_t> drawn;
  for (int i = 0; i < 100; ++i) drawn.insert(draw_row(Context(), std::vector<float>(3), {0, 3}, random));
  EXPECT_EQ(drawn.size(), 3);
}

TEST(KMeans, LabelsAreTheNearestCentresAndCentresTheMeans) {
  const FloatMatrix x = test::normal_matrix(500, 3, 2);
  const KMeansResult r = kmeans(Context(1), {.clusters = 7, .starts = 1, .iterations = 1000}, x);
  Matrix<double> sums(7, 3);
  std::vector<double> counts(7);
  for (std::size_t i = 0; i < 500; ++i) {
    std::size_t best = 0;
    double best_distance = INFINITY;
    for (std::size_t c = 0; c < 7; ++c) {
      double d = 0;
      for (std::size_t j = 0; j < 3; ++j) d += std::pow(x(i, j) - r.centres(c, j), 2);
      if (d < best_distance - 1e-6) best = c, best_distance = d;
    }
    EXPECT_EQ(static_cast<std::size_t>(r.labels[i]), best);
    counts[best] += 1;
    for (std::size_t j = 0; j < 3; ++j) sums(best, j) += x(i, j);
  }
  for (std::size_t c = 0; c < 7; ++c)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(r.centres(c, j), sums(c, j) / counts[c], 1e-4);
}

/// Lloyd's algorithm as it stands in a textbook.
std::vector<Label> textbook(const FloatMatrix& x, FloatMatrix centres, std::size_t iterations) {
  const std::size_t n = x.rows(), d = x.cols(), k = centres.rows();
  std::vector<Label> labels(n);
  for (std::size_t iteration = 0;; ++iteration) {
    for (std::size_t i = 0; i < n; ++i) {
      double best = INFINITY;
      for (std::size_t c = 0; c < k; ++c) {
        double distance = 0;
        for (std::size_t j = 0; j < d; ++j) distance += std::pow(double{x(i, j)} - centres(c, j), 2);
        if (distance < best) best = distance, labels[i] = static_cast<Label>(c);
      }
    }
    if (iteration == iterations) return labels;
    for (std::size_t c = 0; c < k; ++c) {
      std::vector<double> sum(d);
      double count = 0;
      for (std::size_t i = 0; i < n; ++i)
        if (labels[i] == static_cast<Label>(c)) {
          ++count;
          for (std::size_t j = 0; j < d; ++j) sum[j] += x(i, j);
        }
      for (std::size_t j = 0; j < d && count > 0; ++j) centres(c, j) = static_cast<float>(sum[j] / count);
    }
  }
}

TEST(KMeans, SkippingCentresAtRestChangesNothing) {
  // Many clusters of few rows: most centres come to rest long before the last.
  const FloatMatrix x = test::normal_matrix(1500, 6, 11);
  const KMeansParams params{.clusters = 300, .starts = 1, .iterations = 0, .start = KMeansParams::Start::sample};
  for (const std::size_t iterations : {3, 8, 20}) {
    KMeansParams longer = params;
    longer.iterations = iterations;
    // No iteration leaves the starting centres as they were drawn.
    EXPECT_EQ(kmeans(Context(2), longer, x).labels, textbook(x, kmeans(Context(1), params, x).centres, iterations));
  }
}

TEST(KMeans, BoundsChangeNothing) {
  // Few clusters of long rows; of 8 blobs some start with two centres, so that centres move for many rounds.
  const FloatMatrix x = blobs(1500, 120, 8, 4, 12);
  const KMeansParams params{.clusters = 8, .starts = 1, .iterations = 0, .start = KMeansParams::Start::sample};
  for (const std::size_t iterations : {1, 2, 5, 12, 60}) {
    KMeansParams longer = params;
    longer.iterations = iterations;
    const auto labels = kmeans(Context(2, 3), longer, x).labels;
    EXPECT_EQ(labels, textbook(x, kmeans(Context(1, 3), params, x).centres, iterations)) << iterations;
    EXPECT_EQ(labels, kmeans(Context(1, 3), longer, x).labels);
  }
}

TEST(KMeans, ToleranceEndsItEarly) {
  for (const std::size_t cols : {6, 120}) {
    const FloatMatrix x = test::normal_matrix(600, cols, 13);
    KMeansParams params{.clusters = 9, .starts = 1, .iterations = 1, .start = KMeansParams::Start::sample};
    const auto one = kmeans(Context(1), params, x).labels;
    params.iterations = 200;
    EXPECT_NE(kmeans(Context(1), params, x).labels, one);
    params.tolerance = 1e9;
    EXPECT_EQ(kmeans(Context(1), params, x).labels, one);
    params.tolerance = 1e-12;
    KMeansParams exact = params;
    exact.tolerance = 0;
    EXPECT_EQ(kmeans(Context(1), params, x).labels, kmeans(Context(1), exact, x).labels);
  }
}

TEST(KMeans, SameSeedSameLabelsForAnyThreads) {
  const FloatMatrix x = test::normal_matrix(3000, 5, 3);
  const auto one = kmeans(Context(1, 7), {.clusters = 12, .starts = 3}, x).labels;
  EXPECT_EQ(one, kmeans(Context(3, 7), {.clusters = 12, .starts = 3}, x).labels);
  EXPECT_EQ(one, kmeans(Context(1, 7), {.clusters = 12, .starts = 3}, x).labels);
}

TEST(KMeans, FewerDifferentRowsThanClustersEndsSoundly) {
  FloatMatrix x(20, 2);
  for (std::size_t i = 0; i < 20; ++i) x(i, 0) = i % 2 ? 5.0F : 0.0F;
  const KMeansResult r = kmeans(Context(1), {.clusters = 4}, x);
  EXPECT_EQ(r.inertia, 0);
  for (std::size_t i = 0; i < r.centres.size(); ++i) EXPECT_TRUE(std::isfinite(r.centres.data()[i]));
}

TEST(KMeans, OneClusterAndOneRowACluster) {
  const FloatMatrix x = test::normal_matrix(9, 4, 4);
  EXPECT_EQ(kmeans(Context(1), {.clusters = 1}, x).labels, std::vector<Label>(9, 0));
  const auto all = kmeans(Context(1), {.clusters = 9}, x).labels;
  EXPECT_EQ(std::set<Label>(all.begin(), all.end()).size(), 9);
}

TEST(KMeans, RefusesMoreClustersThanRows) {
  EXPECT_THROW(kmeans(Context(1), {.clusters = 10}, test::normal_matrix(9, 4, 4)), Error);
  EXPECT_THROW(kmeans(Context(1), {.clusters = 0}, test::normal_matrix(9, 4, 4)), Error);
}

TEST(OrderBySize, LargestFirstTiesByFirstImageNoiseStays) {
  Clustering c{.labels = {2, 0, 0, 1, 1, -1, 0}, .clusters = 3};
  order_by_size(Context(1), c);
  EXPECT_EQ(c.labels, (std::vector<Label>{2, 0, 0, 1, 1, -1, 0}));
  c.labels = {0, 1, 2, 2};
  order_by_size(Context(1), c);
  EXPECT_EQ(c.labels, (std::vector<Label>{1, 2, 0, 0}));
}

}  // namespace
}  // namespace pssc
