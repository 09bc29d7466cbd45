#include <pssc/core/grid.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pssc {
namespace {

TEST(Grid, SumsDoNotDependOnTheOrder) {
  Random random(1);
  std::vector<double> values(100000);
  for (double& v : values) v = random.normal() * std::exp(random.uniform(-20, 3));
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  const Grid grid(largest, values.size());
  const auto sum = [&] {
    std::int64_t steps = 0;
    for (const double v : values) steps += grid(v);
    return steps;
  };
  const std::int64_t before = sum();
  const double plain = std::accumulate(values.begin(), values.end(), 0.0);
  EXPECT_NEAR(grid.value(before), plain, 1e-9 * largest);
  std::ranges::sort(values);
  EXPECT_EQ(sum(), before);
}

TEST(Grid, HoldsAsManyOfTheLargestAsWereAskedFor) {
  for (const double largest : {1e-30, 0.3, 1.0, 255.0, 1e30}) {
    const Grid grid(largest, 1000);
    std::int64_t up = 0, down = 0;
    for (int i = 0; i < 1000; ++i) up += grid(largest), down += grid(-largest);
    EXPECT_NEAR(grid.value(up) / largest, 1000, 1e-9);
    EXPECT_EQ(up, -down);
  }
}

TEST(LargestSize, IsThatOfAnyNumberWhateverItsSign) {
  const Context context(2);
  FloatMatrix x(600, 7);
  EXPECT_EQ(largest_size(context, x), 0);
  x(599, 6) = -0.25F;
  EXPECT_EQ(largest_size(context, x), 0.25);
  x(0, 3) = 1e-40F;
  x(300, 0) = 3;
  EXPECT_EQ(largest_size(context, x), 3);
  for (const float wrong : {INFINITY, -INFINITY, NAN, -NAN}) {
    x(310, 2) = wrong;
    EXPECT_EQ(largest_size(context, x), INFINITY);
  }
  EXPECT_EQ(largest_size(context, FloatMatrix(0, 4)), 0);
}

TEST(Grid, OfNothingIsNothing) {
  const Grid grid(0, 5);
  EXPECT_EQ(grid.value(grid(0)), 0);
}

TEST(Grid, WhatIsNotFiniteStaysSo) {
  EXPECT_TRUE(std::isnan(Grid(INFINITY, 5).value(3)));
  EXPECT_TRUE(std::isnan(Grid(NAN, 5).value(3)));
}

TEST(Parts, AreWholeBlocksAndMissNothing) {
  for (const std::size_t total : {0UL, 1UL, 1023UL, 1024UL, 5000UL, 100000UL})
    for (const std::size_t ranks : {1UL, 2UL, 3UL, 7UL, 200UL}) {
      std::size_t end = 0, least = total, most = 0;
      for (std::size_t r = 0; r < ranks; ++r) {
        const Part part = part_of(total, row_unit, r, ranks);
        EXPECT_EQ(part.begin, end);
        EXPECT_TRUE(part.begin % row_unit == 0 || part.begin == total);
        end = part.end;
        least = std::min(least, part.end - part.begin);
        most = std::max(most, part.end - part.begin);
      }
      EXPECT_EQ(end, total);
      EXPECT_LE(most - least, 2 * row_unit);
    }
}

}  // namespace
}  // namespace pssc
