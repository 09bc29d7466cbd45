// Consensus, ridge, tree and outliers: the parts of the self-tuned method that belong to clustering.
#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/random.hpp>
#include <pssc/evaluation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace pssc {
namespace {

using test::blobs;
using test::remainders;

TEST(Tree, JoinsPiecesOfOneClusterBeforeTwoClusters) {
  const Context context(1);
  const ReducedGraph graph =
      reduce_graph(context, {.clusters = 3, .candidates = 900, .representatives = 150}, blobs(1500, 6, 3, 15, 1), 7);
  const std::vector<Label> fine = cut_graph(context, graph, 6, {.clusters = 6}).labels;
  const std::vector<Merge> merges = merge_tree(shared_weights(context, graph, fine, 6));
  ASSERT_EQ(merges.size(), 5);
  EXPECT_GT(merges[2].tie, 10 * merges[3].tie) << "the merge to three is easy, the next is not";
  for (std::size_t t = 1; t < merges.size(); ++t) EXPECT_LE(merges[t].tie, merges[t - 1].tie);
  const std::vector<std::size_t> group = cut_tree(merges, 3);
  std::vector<Label> joined;
  for (const Label l : fine) joined.push_back(static_cast<Label>(group[static_cast<std::size_t>(l)]));
  EXPECT_EQ(evaluate(joined, remainders(1500, 3)).accuracy, 1);
}

TEST(Tree, CutsIntoAnyNumberOfGroupsEachWithinTheNext) {
  Random random(3);
  Matrix<double> w(12, 12);
  for (std::size_t a = 0; a < 12; ++a)
    for (std::size_t b = 0; b <= a; ++b) w(a, b) = w(b, a) = random.uniform();
  const std::vector<Merge> merges = merge_tree(w);
  for (std::size_t k = 1; k < 12; ++k) {
    const std::vector<std::size_t> coarse = cut_tree(merges, k), finer = cut_tree(merges, k + 1);
    EXPECT_EQ(std::set<std::size_t>(coarse.begin(), coarse.end()).size(), k);
    for (std::size_t a = 0; a < 12; ++a)
      for (std::size_t b = 0; b < 12; ++b)
        if (finer[a] == finer[b]) {
          EXPECT_EQ(coarse[a], coarse[b]);
        }
  }
}

TEST(Tree, EmptyClustersAreNoTrouble) {
  const Context context(1);
  const ReducedGraph graph =
      reduce_graph(context, {.clusters = 2, .candidates = 200, .representatives = 50}, blobs(300, 4, 2, 15, 2), 3);
  std::vector<Label> labels = remainders(300, 2);
  for (Label& l : labels) l *= 3;  // 1 and 2 are empty
  for (const Merge& m : merge_tree(shared_weights(context, graph, labels, 4))) EXPECT_TRUE(std::isfinite(m.tie));
}

TEST(DisconnectedGraph, GivesItsPieces) {
  // Pieces so far apart that no weight is left between them, and representatives enough for the Krylov solver.
  const Context context(2);
  const FloatMatrix x = blobs(4000, 5, 4, 1000, 3);
  const ReducedGraph graph = reduce_graph(context, {.clusters = 4, .candidates = 3000, .representatives = 1000}, x, 10);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(graph.eigenvalues[i], 1, 1e-6);
  EXPECT_LT(graph.eigenvalues[4], 0.9999);
  EXPECT_EQ(evaluate(cut_graph(context, graph, 4, {.clusters = 4}).labels, remainders(4000, 4)).accuracy, 1);
}

TEST(Consensus, MendsClusteringsThatAreEachALittleWrong) {
  const std::vector<Label> truth = remainders(3000, 4);
  std::vector<std::vector<Label>> clusterings;
  Random random(4);
  for (Label turn = 0; turn < 7; ++turn) {  // each calls its clusters otherwise, and errs elsewhere
    std::vector<Label> one = truth;
    for (Label& l : one) l = (random.uniform() < 0.1 ? static_cast<Label>(random.below(4)) : l + turn) % 4;
    clusterings.push_back(one);
  }
  EXPECT_LT(evaluate(clusterings[0], truth).accuracy, 0.95);
  EXPECT_GT(evaluate(consensus(Context(2), clusterings, 4), truth).accuracy, 0.995);
}

TEST(Ridge, MendsLabelsThatAreALittleWrong) {
  const FloatMatrix x = blobs(3000, 8, 3, 6, 4);
  std::vector<Label> labels = remainders(3000, 3);
  for (std::size_t i = 0; i < 3000; i += 10) labels[i] = (labels[i] + 1) % 3;
  const RidgeResult result = RidgeRegression(Context(2), {.representatives = 300}, x, 3).refine(labels);
  EXPECT_GT(evaluate(result.labels, remainders(3000, 3)).accuracy, 0.995);
  EXPECT_GE(result.rounds, 1);
  for (std::size_t i = 0; i < result.values.size(); ++i) ASSERT_TRUE(std::isfinite(result.values.data()[i]));
}

TEST(Ridge, LeavesEachRowOutExactly) {
  // By the definition: the same regression without that row, its representatives and its width kept.
  constexpr std::size_t n = 60, p = 20, clusters = 3;
  const FloatMatrix x = blobs(n, 4, clusters, 2, 5);
  const std::vector<Label> labels = remainders(n, clusters);
  const RidgeResult result =
      RidgeRegression(Context(1), {.representatives = p, .rounds = 0}, x, clusters).refine(labels);
  const auto kernel = [&](std::span<const float> a, std::span<const float> b) {
    double squared = 0;
    for (std::size_t j = 0; j < a.size(); ++j) squared += double{a[j] - b[j]} * double{a[j] - b[j]};
    return std::exp(-squared / (2 * result.rule.width * result.rule.width));
  };
  const FloatMatrix& r = result.rule.representatives;
  std::vector<std::vector<double>> k(n, std::vector<double>(p));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < p; ++j) k[i][j] = kernel(x.row(i), r.row(j));
  for (const std::size_t left_out : {0UL, 7UL, 59UL}) {
    // (K^T K + 0.3 (K_rr + 1e-4 I)) w = K^T T, by elimination.
    std::vector<std::vector<double>> rows(p, std::vector<double>(p + clusters));
    for (std::size_t a = 0; a < p; ++a)
      for (std::size_t b = 0; b < p; ++b) rows[a][b] = 0.3 * (kernel(r.row(a), r.row(b)) + (a == b ? 1e-4 : 0));
    for (std::size_t i = 0; i < n; ++i) {
      if (i == left_out) continue;
      for (std::size_t a = 0; a < p; ++a) {
        for (std::size_t b = 0; b < p; ++b) rows[a][b] += k[i][a] * k[i][b];
        rows[a][p + static_cast<std::size_t>(labels[i])] += k[i][a];
      }
    }
    for (std::size_t a = 0; a < p; ++a)
      for (std::size_t b = 0; b < p; ++b) {
        if (a == b) continue;
        const double factor = rows[b][a] / rows[a][a];
        for (std::size_t j = a; j < p + clusters; ++j) rows[b][j] -= factor * rows[a][j];
      }
    for (std::size_t c = 0; c < clusters; ++c) {
      double expected = 0;
      for (std::size_t a = 0; a < p; ++a) expected += k[left_out][a] * rows[a][p + c] / rows[a][a];
      EXPECT_NEAR(result.values(left_out, c), expected, 2e-3);
    }
  }
}

TEST(Ridge, PlacesTheRowsOfItsFitAlikeAndRowsStandForThemselves) {
  const FloatMatrix x = blobs(2000, 20, 5, 3, 8);
  const RidgeResult result = RidgeRegression(Context(), {.representatives = 200}, x, 5).refine(remainders(2000, 5));
  const Placed all = result.rule.place(Context(2), x),
               some = result.rule.place(Context(3), x.view().row_range(123, 456));
  EXPECT_GE(evaluate(all.labels, result.labels).accuracy, 0.999);
  for (std::size_t i = 0; i < 333; ++i) ASSERT_NEAR(some.confidence[i], all.confidence[123 + i], 1e-4) << i;
}

TEST(Ridge, ConfidenceIsLowBetweenClusters) {
  const FloatMatrix x = blobs(1000, 2, 2, 8, 5);
  RidgeResult result = RidgeRegression(Context(1), {.representatives = 100}, x, 2).refine(remainders(1000, 2));
  result.rule.temperature = 0.1;
  FloatMatrix between(1, 2);
  for (std::size_t i = 0; i < 1000; ++i)
    for (std::size_t j = 0; j < 2; ++j) between(0, j) += x(i, j) / 1000;
  EXPECT_LT(result.rule.place(Context(1), between).confidence[0], 0.95);
  EXPECT_GT(result.rule.place(Context(1), x).confidence[0], 0.99);
}

TEST(Ridge, KeepsClustersThatWouldRunEmpty) {
  const FloatMatrix x = blobs(200, 5, 2, 10, 6);
  std::vector<Label> labels = remainders(200, 2);
  labels[0] = 2;  // one image among a hundred others
  const RidgeResult result = RidgeRegression(Context(1), {.representatives = 40}, x, 3).refine(labels);
  EXPECT_EQ(std::set<Label>(result.labels.begin(), result.labels.end()).size(), 3);
}

TEST(Ridge, MoreRepresentativesOrClustersThanRowsAndIdenticalRowsStayFinite) {
  const FloatMatrix few = blobs(5, 3, 5, 10, 7);
  EXPECT_EQ(RidgeRegression(Context(1), {.representatives = 100}, few, 5).refine({0, 1, 2, 3, 4}).labels.size(), 5);
  const FloatMatrix same(50, 4);
  const RidgeResult result = RidgeRegression(Context(1), {.representatives = 10}, same, 2).refine(remainders(50, 2));
  for (std::size_t i = 0; i < result.values.size(); ++i) ASSERT_TRUE(std::isfinite(result.values.data()[i]));
}

TEST(Ridge, TheSameForAnyNumberOfThreads) {
  const FloatMatrix x = blobs(3000, 12, 4, 3, 9);
  const RidgeResult one = RidgeRegression(Context(1), {.representatives = 300}, x, 4).refine(remainders(3000, 4));
  const RidgeResult three = RidgeRegression(Context(3), {.representatives = 300}, x, 4).refine(remainders(3000, 4));
  EXPECT_EQ(one.labels, three.labels);
  EXPECT_TRUE(std::equal(one.values.data(), one.values.data() + one.values.size(), three.values.data()));
}

TEST(Temperature, MakesProbabilitiesAgreeWithVotes) {
  // Margins of 0.2, and four votes in five for the first: softmax(0.2 / t) = 0.8 at t = 0.2 / log 4.
  FloatMatrix values(1000, 2), votes(1000, 2);
  for (std::size_t i = 0; i < 1000; ++i) {
    values(i, 0) = 0.6F, values(i, 1) = 0.4F;
    votes(i, 0) = 0.8F, votes(i, 1) = 0.2F;
  }
  EXPECT_NEAR(fit_temperature(Context(2), values, votes), 0.2 / std::log(4), 0.002);
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

TEST(Placing, CentresAgreeWithTheirFit) {
  const FloatMatrix x = blobs(900, 5, 3, 6, 9);
  KMeansRule rule;
  const Clustering clustering = cluster_kmeans(Context(2), {.clusters = 3}, x, rule);
  const Placed by_centres = place_by_centres(Context(1), rule.centres, x);
  for (std::size_t i = 0; i < 900; ++i)
    ASSERT_EQ(rule.renamed[static_cast<std::size_t>(by_centres.labels[i])], clustering.labels[i]);
}

}  // namespace
}  // namespace pssc
