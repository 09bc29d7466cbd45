// Merging, Gaussians and outliers: the parts of the self-tuned method that belong to clustering.
#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>
#include <pssc/evaluation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace pssc {
namespace {

using test::blobs;
using test::remainders;

TEST(Merging, JoinsPiecesOfOneClusterBeforeTwoClusters) {
  const Context context(1);
  const ReducedGraph graph =
      reduce_graph(context, {.clusters = 3, .candidates = 900, .representatives = 150}, blobs(1500, 6, 3, 15, 1), 7);
  const std::vector<Label> fine = cut_graph(context, graph, 6, 10).labels;
  const std::vector<Merge> merges = merge_order(Context(1), graph, fine, 6);
  ASSERT_EQ(merges.size(), 5);
  EXPECT_GT(merges[2].tie, 10 * merges[3].tie) << "the merge to three is easy, the next is not";
  const std::vector<Label> joined = merged_labels(fine, merges, 3);
  EXPECT_EQ(evaluate(joined, remainders(1500, 3)).accuracy, 1);
}

TEST(Merging, EmptyClustersAreNoTrouble) {
  const Context context(1);
  const ReducedGraph graph =
      reduce_graph(context, {.clusters = 2, .candidates = 200, .representatives = 50}, blobs(300, 4, 2, 15, 2), 3);
  std::vector<Label> labels = remainders(300, 2);
  for (Label& l : labels) l *= 3;  // 1 and 2 are empty
  for (const Merge& m : merge_order(Context(1), graph, labels, 4)) EXPECT_TRUE(std::isfinite(m.tie));
}

TEST(DisconnectedGraph, GivesItsPieces) {
  // Pieces so far apart that no weight is left between them, and representatives enough for the Krylov solver.
  const Context context(2);
  const FloatMatrix x = blobs(4000, 5, 4, 1000, 3);
  const ReducedGraph graph = reduce_graph(context, {.clusters = 4, .candidates = 3000, .representatives = 1000}, x, 10);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(graph.eigenvalues[i], 1, 1e-6);
  EXPECT_LT(graph.eigenvalues[4], 0.9999);
  EXPECT_EQ(evaluate(cut_graph(context, graph, 4, 10).labels, remainders(4000, 4)).accuracy, 1);
}

TEST(Gaussians, MendLabelsThatAreALittleWrong) {
  const FloatMatrix x = blobs(3000, 8, 3, 6, 4);
  std::vector<Label> labels = remainders(3000, 3);
  for (std::size_t i = 0; i < 3000; i += 10) labels[i] = (labels[i] + 1) % 3;
  const GaussianResult result = fit_gaussians(Context(2), {}, x, labels, 3);
  EXPECT_GT(evaluate(result.labels, remainders(3000, 3)).accuracy, 0.995);
  EXPECT_GT(result.rounds, 1);
  for (std::size_t i = 0; i < 3000; ++i) {
    ASSERT_GE(result.confidence[i], 1.0 / 3 - 1e-6);
    ASSERT_LE(result.confidence[i], 1);
    ASSERT_TRUE(std::isfinite(result.distances[i]));
  }
}

TEST(Gaussians, ConfidenceIsLowBetweenClusters) {
  FloatMatrix x = blobs(1001, 2, 2, 8, 5);
  x(1000, 0) = x(1000, 1) = 4;
  std::vector<Label> labels = remainders(1001, 2);
  const GaussianResult result = fit_gaussians(Context(1), {.temperature = 1}, x, labels, 2);
  EXPECT_LT(result.confidence[1000], 0.95);
  EXPECT_GT(result.confidence[0], 0.99);
}

TEST(Gaussians, ThoseOutOfTheQuestionNeedNotBeFinished) {
  // More dimensions than are looked at first; near and far clusters.
  for (const float apart : {1.0F, 3.0F, 30.0F}) {
    const FloatMatrix x = blobs(3000, 200, 6, apart, 8);
    const GaussianRule rule = fit_gaussians(Context(), {.rounds = 1}, x, remainders(3000, 6), 6).rule;
    const Placed placed = rule.place(Context(2), x);
    const FloatMatrix all = rule.probabilities(Context(1), x);
    for (std::size_t i = 0; i < 3000; ++i) {
      const auto row = all.row(i);
      const auto best = std::ranges::max_element(row);
      ASSERT_EQ(placed.labels[i], best - row.begin());
      ASSERT_NEAR(placed.confidence[i], *best, 1e-6);
    }
  }
}

TEST(Gaussians, AStreamIsPlacedAlikeAndRowsStandForThemselves) {
  for (const std::size_t d : {20UL, 64UL, 150UL}) {
    const FloatMatrix x = blobs(2000, d, 5, 3, 8);
    const GaussianRule rule = fit_gaussians(Context(), {.rounds = 1}, x, remainders(2000, 5), 5).rule;
    const GaussianPlacer placer(rule);
    const Placed plain = rule.place(Context(), x), streamed = placer.place(Context(), x);
    EXPECT_GE(evaluate(streamed.labels, plain.labels).accuracy, 0.997);
    double off = 0;
    for (std::size_t i = 0; i < 2000; ++i) {
      ASSERT_NEAR(streamed.distances[i], plain.distances[i], 0.01 * plain.distances[i]);
      ASSERT_NEAR(streamed.confidence[i], plain.confidence[i], 0.02);
      off += std::abs(streamed.distances[i] - plain.distances[i]) / plain.distances[i];
    }
    EXPECT_LT(off / 2000, 0.002);
    const Placed some = placer.place(Context(3), x.view().row_range(123, 456));
    for (std::size_t i = 0; i < 333; ++i) ASSERT_NEAR(some.distances[i], streamed.distances[123 + i], 1e-6) << i;
  }
}

TEST(Gaussians, ClustersOfOneImageAndNoneStayFinite) {
  const FloatMatrix x = blobs(200, 5, 2, 10, 6);
  std::vector<Label> labels = remainders(200, 2);
  labels[0] = 2;  // one image; 3 is empty
  const GaussianResult result = fit_gaussians(Context(1), {}, x, labels, 4);
  for (std::size_t i = 0; i < 200; ++i) {
    ASSERT_TRUE(std::isfinite(result.confidence[i]) && std::isfinite(result.distances[i]));
    ASSERT_TRUE(result.labels[i] >= 0 && result.labels[i] < 4);
  }
}

TEST(Gaussians, ASingularCovarianceStaysFinite) {
  FloatMatrix x = blobs(300, 4, 2, 10, 7);
  for (std::size_t i = 0; i < 300; ++i) x(i, 3) = 0;
  const GaussianResult result = fit_gaussians(Context(1), {}, x, remainders(300, 2), 2);
  EXPECT_EQ(evaluate(result.labels, remainders(300, 2)).accuracy, 1);
}

TEST(Outliers, AreTheFarOnesOfTheirCluster) {
  std::vector<float> distances;
  std::vector<Label> labels;
  Random random(8);
  for (std::size_t i = 0; i < 1000; ++i) {
    labels.push_back(static_cast<Label>(i % 2));
    distances.push_back(static_cast<float>((i % 2 ? 100 : 1) * (1 + 0.1 * random.normal())));
  }
  distances[10] = 90;  // ordinary in cluster 1, but it lies in cluster 0
  const auto outliers = flag_outliers(Context(1), distances, labels, 2);
  EXPECT_EQ(outliers[10], 1);
  EXPECT_LE(std::count(outliers.begin(), outliers.end(), 1), 3);
}

TEST(Outliers, IdenticalDistancesAreNone) {
  EXPECT_EQ(flag_outliers(Context(1), {0, 0, 0}, {0, 0, 0}, 2), (std::vector<std::uint8_t>{0, 0, 0}));
}

TEST(Placing, PutsTheImagesOfAGraphWhereItsCutPutThem) {
  const Context context(2);
  for (const Search search : {Search::exact, Search::hnsw}) {
    const USpecParams params{.clusters = 5, .candidates = 900, .representatives = 200, .search = search};
    const FloatMatrix x = blobs(1500, 8, 5, 5, 7);
    USpecRule rule;
    const Clustering clustering = uspec(context, params, x, rule);
    const Placed placed = GraphPlacer(rule.graph).place(context, x);
    const auto outliers = beyond_limits(placed.distances, placed.labels, rule.limits);
    for (std::size_t i = 0; i < x.rows(); ++i) {
      ASSERT_EQ(rule.renamed[static_cast<std::size_t>(placed.labels[i])], clustering.labels[i]) << i;
      ASSERT_NEAR(placed.confidence[i], clustering.confidence[i], 1e-6) << i;
    }
    EXPECT_EQ(outliers, clustering.outliers);
  }
}

TEST(Placing, PutsFurtherImagesIntoTheClustersOfTheirKind) {
  const Context context(2);
  const FloatMatrix all = blobs(3000, 8, 5, 6, 8);
  USpecRule rule;
  uspec(context, {.clusters = 5, .candidates = 900, .representatives = 200}, all.view().row_range(0, 1000), rule);
  const Placed placed = GraphPlacer(rule.graph).place(context, all.view().row_range(1000, 3000));
  EXPECT_GT(evaluate(placed.labels, remainders(2000, 5)).accuracy, 0.99);
}

TEST(Placing, GaussiansAndCentresAgreeWithTheirFit) {
  const FloatMatrix x = blobs(900, 5, 3, 6, 9);
  const GaussianResult fitted = fit_gaussians(Context(2), {}, x, remainders(900, 3), 3);
  const Placed by_gaussians = fitted.rule.place(Context(1), x);
  EXPECT_EQ(by_gaussians.labels, fitted.labels);
  EXPECT_EQ(by_gaussians.confidence, fitted.confidence);
  KMeansRule rule;
  const Clustering clustering = cluster_kmeans(Context(2), {.clusters = 3}, x, rule);
  const Placed by_centres = place_by_centres(Context(1), rule.centres, x);
  for (std::size_t i = 0; i < 900; ++i)
    ASSERT_EQ(rule.renamed[static_cast<std::size_t>(by_centres.labels[i])], clustering.labels[i]);
}

}  // namespace
}  // namespace pssc
