#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/error.hpp>
#include <pssc/evaluation.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

namespace pssc {
namespace {

using test::blobs;
using test::remainders;

/// Two rings around one centre: what k-means cannot part and a graph can. Row i lies on ring i % 2.
FloatMatrix rings(std::size_t n, std::uint64_t seed) {
  FloatMatrix x(n, 2);
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    const double radius = (i % 2 ? 10 : 4) + 0.3 * random.normal(), angle = 2 * std::numbers::pi * random.uniform();
    x(i, 0) = static_cast<float>(radius * std::cos(angle));
    x(i, 1) = static_cast<float>(radius * std::sin(angle));
  }
  return x;
}

USpecParams small(std::size_t clusters) {
  return {.clusters = clusters, .candidates = 1000, .representatives = 200};
}

TEST(USpec, PartsRingsThatKMeansCannot) {
  const FloatMatrix x = rings(3000, 1);
  const auto truth = remainders(3000, 2);
  EXPECT_LT(evaluate(cluster_kmeans(Context(2), {.clusters = 2}, x).labels, truth).accuracy, 0.7);
  for (const Search search : {Search::exact, Search::hnsw}) {
    USpecParams params = small(2);
    params.search = search;
    EXPECT_GT(evaluate(uspec(Context(2), params, x).labels, truth).accuracy, 0.999);
  }
}

TEST(USpec, AsThePublishedCodeFindsBlobsToo) {
  USpecParams params = small(5);
  params.as_published_code = true;
  const Clustering c = uspec(Context(2), params, blobs(2000, 20, 5, 12, 2));
  EXPECT_GT(evaluate(c.labels, remainders(2000, 5)).accuracy, 0.99);
}

TEST(USpec, SameSeedSameLabelsForAnyThreads) {
  const FloatMatrix x = test::normal_matrix(2000, 10, 3);  // no structure: any difference would show
  const Clustering one = uspec(Context(1, 5), small(6), x);
  for (const unsigned threads : {1, 2, 3}) {
    const Clustering other = uspec(Context(threads, 5), small(6), x);
    EXPECT_EQ(one.labels, other.labels);
    EXPECT_EQ(one.confidence, other.confidence);
  }
}

double quantisation(const FloatMatrix& x, const FloatMatrix& points) {
  const Neighbours found = nearest(Context(2), Search::exact, 1, x, points);
  double sum = 0;
  for (std::size_t i = 0; i < x.rows(); ++i) sum += double{found.distances(i, 0)};
  return sum / static_cast<double>(x.rows());
}

TEST(Representatives, AsThePublishedCodeStandForTheImages) {
  const FloatMatrix x = blobs(3000, 6, 5, 9, 21);
  USpecParams params{.clusters = 5, .candidates = 2000, .representatives = 150, .as_published_code = true};
  const FloatMatrix found = choose_representatives(Context(2, 4), params, x);
  ASSERT_EQ(found.rows(), 150);
  const FloatMatrix drawn = gather_rows(x.view(), Random(5).choose(3000, 150));
  params.as_published_code = false;
  const double lloyd = quantisation(x, choose_representatives(Context(2, 4), params, x));
  EXPECT_LT(quantisation(x, found), 0.85 * quantisation(x, drawn));  // far better than images drawn at random,
  EXPECT_LT(quantisation(x, found), 1.25 * lloyd);                   // little worse than Lloyd's iterations
  params.as_published_code = true;
  const FloatMatrix again = choose_representatives(Context(1, 4), params, x);
  EXPECT_TRUE(std::equal(found.data(), found.data() + found.size(), again.data()));
}

TEST(Representatives, AsThePublishedCodeOfFewOrIdenticalImages) {
  USpecParams params{.clusters = 2, .as_published_code = true};
  EXPECT_EQ(uspec(Context(1), params, blobs(40, 5, 2, 20, 8)).labels.size(), 40);
  EXPECT_EQ(uspec(Context(1), params, blobs(2, 3, 2, 20, 9)).labels.size(), 2);
  FloatMatrix same(300, 4);
  for (std::size_t i = 0; i < 300; ++i) same(i, 0) = i % 3 ? 1.0F : 0.0F;
  for (const float f : uspec(Context(1), params, same).confidence) EXPECT_TRUE(std::isfinite(f));
}

TEST(ReducedGraph, RowsSumToOneAndTheSpectrumIsThatOfAWalk) {
  const ReducedGraph graph = reduce_graph(Context(2), small(4), blobs(1500, 8, 4, 10, 4), 10);
  for (std::size_t i = 0; i < graph.weights.rows(); ++i) {
    double sum = 0;
    for (const float w : graph.weights.row(i)) sum += w;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  EXPECT_NEAR(graph.eigenvalues[0], 1, 1e-6);
  EXPECT_GT(graph.eigenvalues[3], 0.99);  // four clusters, hardly tied
  EXPECT_LT(graph.eigenvalues[4], 0.98);
  for (const double v : graph.eigenvalues) EXPECT_LE(v, 1 + 1e-9);
}

TEST(ReducedGraph, EmbeddingHasUnitRows) {
  const ReducedGraph graph = reduce_graph(Context(1), small(4), blobs(500, 8, 4, 10, 5), 4);
  const FloatMatrix u = spectral_embedding(Context(1), graph, graph.eigenvectors, 4);
  for (std::size_t i = 0; i < u.rows(); ++i) {
    double norm = 0;
    for (const float v : u.row(i)) norm += v * v;
    EXPECT_NEAR(norm, 1, 1e-4);
  }
}

TEST(USpec, FindsTheNumberOfClusters) {
  for (const std::size_t clusters : {3, 6}) {
    USpecParams params = small(0);
    const Clustering c = uspec(Context(2), params, blobs(2000, 12, clusters, 14, 6));
    EXPECT_EQ(c.clusters, clusters);
    ASSERT_EQ(c.counts.size(), 3);
    EXPECT_EQ(c.counts[0].clusters, clusters);
    EXPECT_GE(c.counts[0].score, c.counts[1].score);
  }
}

TEST(USpec, ConfidenceIsHighInsideAndLowBetweenClusters) {
  FloatMatrix x = blobs(2001, 2, 2, 8, 7);
  x(2000, 0) = x(2000, 1) = 4;  // half-way
  const Clustering c = uspec(Context(1), small(2), x);
  double sum = 0;
  for (std::size_t i = 0; i < 2000; ++i) {
    EXPECT_GE(c.confidence[i], 0);
    EXPECT_LE(c.confidence[i], 1);
    sum += c.confidence[i];
  }
  EXPECT_GT(sum / 2000, 0.98);
}

TEST(USpec, FewImagesLowerTheRepresentativesAndSaySo) {
  const Clustering c = uspec(Context(1), {.clusters = 3}, blobs(40, 5, 3, 20, 8));
  ASSERT_EQ(c.notes.size(), 1);
  EXPECT_NE(c.notes[0].find("1000 to 20"), std::string::npos) << c.notes[0];
  EXPECT_EQ(std::set<Label>(c.labels.begin(), c.labels.end()).size(), 3);
}

TEST(USpec, SmallestInputs) {
  EXPECT_EQ(uspec(Context(1), {.clusters = 2}, blobs(2, 3, 2, 20, 9)).labels.size(), 2);
  EXPECT_EQ(uspec(Context(1), {.clusters = 3}, blobs(3, 3, 3, 20, 9)).labels.size(), 3);
  EXPECT_THROW(uspec(Context(1), {.clusters = 4}, blobs(3, 3, 3, 20, 9)), Error);
}

TEST(USpec, IdenticalImagesEndInASoundResult) {
  FloatMatrix x(300, 4);
  for (std::size_t i = 0; i < 300; ++i) x(i, 0) = i % 3 ? 1.0F : 0.0F;
  const Clustering c = uspec(Context(1), {.clusters = 2}, x);
  for (const float f : c.confidence) EXPECT_TRUE(std::isfinite(f));
  for (const double v : c.eigenvalues) EXPECT_TRUE(std::isfinite(v));
}

}  // namespace
}  // namespace pssc
