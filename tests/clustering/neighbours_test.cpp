#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pssc {
namespace {

using test::blobs;
using test::normal_matrix;

TEST(ExactNeighbours, AgreeWithSortingAllDistances) {
  for (const std::size_t n : {1, 7, 257})
    for (const std::size_t m : {1, 5, 40})
      for (const std::size_t k : {std::size_t{1}, std::min<std::size_t>(5, m)}) {
        const FloatMatrix x = normal_matrix(n, 9, 1), points = normal_matrix(m, 9, 2);
        const Neighbours found = nearest(Context(2), Search::exact, k, x, points);
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<std::pair<double, std::int32_t>> all;
          for (std::size_t j = 0; j < m; ++j) {
            double d = 0;
            for (std::size_t c = 0; c < 9; ++c) d += std::pow(x(i, c) - points(j, c), 2);
            all.emplace_back(d, static_cast<std::int32_t>(j));
          }
          std::ranges::sort(all);
          for (std::size_t j = 0; j < k; ++j) {
            ASSERT_EQ(found.indices(i, j), all[j].second);
            ASSERT_NEAR(found.distances(i, j), all[j].first, 1e-3);
          }
        }
      }
}

TEST(ExactNeighbours, TiesGoToTheLowerIndex) {
  FloatMatrix x(1, 2), points(3, 2);
  points(0, 0) = 1;
  points(1, 0) = -1;
  points(2, 1) = 1;
  const Neighbours found = nearest(Context(1), Search::exact, 3, x, points);
  EXPECT_EQ(found.indices(0, 0), 0);
  EXPECT_EQ(found.indices(0, 1), 1);
  EXPECT_EQ(found.indices(0, 2), 2);
}

double recall(const FloatMatrix& x, const FloatMatrix& points, std::size_t k) {
  const Context context(2);
  const Neighbours exact = nearest(context, Search::exact, k, x, points);
  const Neighbours found = nearest(context, Search::hnsw, k, x, points);
  std::size_t hits = 0;
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (const std::int32_t j : found.indices.row(i)) hits += std::ranges::count(exact.indices.row(i), j);
  return static_cast<double>(hits) / static_cast<double>(x.rows() * k);
}

TEST(HnswNeighbours, RecallAtItsDefaultsIsAtLeast99Percent) {
  EXPECT_GE(recall(blobs(2000, 60, 10, 8, 1), blobs(1000, 60, 10, 8, 2), 5), 0.99);
  EXPECT_GE(recall(blobs(1000, 300, 10, 8, 3), blobs(2000, 300, 10, 8, 4), 5), 0.99);
  EXPECT_GE(recall(normal_matrix(1000, 20, 5), normal_matrix(2000, 20, 6), 10), 0.99);
}

TEST(HnswNeighbours, SameForAnyThreads) {
  const FloatMatrix x = normal_matrix(900, 16, 1), points = normal_matrix(300, 16, 2);
  const Neighbours one = nearest(Context(1), Search::hnsw, 5, x, points);
  const Neighbours three = nearest(Context(3), Search::hnsw, 5, x, points);
  for (std::size_t i = 0; i < one.indices.size(); ++i) ASSERT_EQ(one.indices.data()[i], three.indices.data()[i]);
}

TEST(Neighbours, RefusesMoreThanThereAre) {
  const FloatMatrix x = normal_matrix(3, 2, 1);
  EXPECT_THROW(nearest(Context(1), Search::exact, 4, x, x), Error);
  EXPECT_THROW(nearest(Context(1), Search::exact, 0, x, x), Error);
}

}  // namespace
}  // namespace pssc
