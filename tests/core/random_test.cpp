#include <pssc/core/random.hpp>

#include <gtest/gtest.h>

#include <set>

namespace pssc {
namespace {

TEST(Random, TheSameStreamGivesTheSameNumbersOnEveryMachine) {
  Random random(1, 2);
  // Fixed for good: labels of old runs must repeat.
  EXPECT_EQ(random.bits(), Random(1, 2).bits());
  EXPECT_NE(Random(1, 2).bits(), Random(1, 3).bits());
  EXPECT_NE(Random(1, 2).bits(), Random(2, 2).bits());
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(7);
  double sum = 0, normal_sum = 0, normal_squares = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform(), z = random.normal();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    normal_sum += z;
    normal_squares += z * z;
  }
  EXPECT_NEAR(sum / n, 0.5, 0.005);
  EXPECT_NEAR(normal_sum / n, 0, 0.01);
  EXPECT_NEAR(normal_squares / n, 1, 0.02);
}

TEST(Random, ATableIsUniformAndItsNumbersUnrelated) {
  constexpr int n = 100000;
  double sum = 0, product = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double u = Random::uniform_at(17, i);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    product += (u - 0.5) * (Random::uniform_at(17, i + 1) - 0.5);
  }
  EXPECT_NEAR(sum / n, 0.5, 0.005);
  EXPECT_NEAR(product / n, 0, 0.001);
  EXPECT_NE(Random::uniform_at(17, 0), Random::uniform_at(18, 0));
}

TEST(Random, ChooseDrawsEachAtMostOnce) {
  for (const std::size_t n : {1, 2, 7, 100})
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, n / 2, n, n + 5}) {
      const auto chosen = Random(3).choose(n, count);
      EXPECT_EQ(chosen.size(), std::min(n, count));
      EXPECT_EQ(std::set<std::size_t>(chosen.begin(), chosen.end()).size(), chosen.size());
      for (const std::size_t c : chosen) EXPECT_LT(c, n);
    }
}

TEST(Random, ChooseIsUniform) {
  std::vector<int> hits(10);
  Random random(5);
  for (int i = 0; i < 20000; ++i)
    for (const std::size_t c : random.choose(10, 3)) ++hits[c];
  for (const int h : hits) EXPECT_NEAR(h, 6000, 300);
}

}  // namespace
}  // namespace pssc
