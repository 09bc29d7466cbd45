#include <pssc/core/random.hpp>
#include <pssc/evaluation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace pssc {
namespace {

using Gains = Matrix<std::int64_t>;

Gains table(std::initializer_list<std::initializer_list<std::int64_t>> rows) {
  Gains gain(rows.size(), rows.begin()->size());
  std::size_t i = 0;
  for (const auto& row : rows) std::ranges::copy(row, gain.row(i++).begin());
  return gain;
}

Gains random_table(std::size_t rows, std::size_t cols, std::int64_t low, std::int64_t high, Random& random) {
  Gains gain(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      gain(i, j) = low + static_cast<std::int64_t>(random.below(static_cast<std::size_t>(high - low + 1)));
  return gain;
}

Gains transposed(const Gains& gain) {
  Gains result(gain.cols(), gain.rows());
  for (std::size_t i = 0; i < gain.rows(); ++i)
    for (std::size_t j = 0; j < gain.cols(); ++j) result(j, i) = gain(i, j);
  return result;
}

/// Sums what was assigned, and checks on the way that it is one-to-one and as large as the table allows.
std::int64_t total(const Gains& gain, const std::vector<std::ptrdiff_t>& assignment) {
  EXPECT_EQ(assignment.size(), gain.rows());
  std::set<std::ptrdiff_t> taken;
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    if (assignment[i] < 0) continue;
    EXPECT_LT(assignment[i], static_cast<std::ptrdiff_t>(gain.cols()));
    EXPECT_TRUE(taken.insert(assignment[i]).second) << "column " << assignment[i] << " was given twice";
    sum += gain(i, static_cast<std::size_t>(assignment[i]));
  }
  EXPECT_EQ(taken.size(), std::min(gain.rows(), gain.cols()));
  return sum;
}

/// Every way of giving the rows different columns; rows <= cols.
std::int64_t best_by_trying_all(const Gains& gain) {
  std::vector<std::size_t> order(gain.cols());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto best = std::numeric_limits<std::int64_t>::min();
  do {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < gain.rows(); ++i) sum += gain(i, order[i]);
    best = std::max(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(Assignment, GivesUpTheLargestEntryWhereThatPays) {
  // 5 + 0 with the largest entry, 4 + 4 without it.
  EXPECT_EQ(best_assignment(table({{5, 4}, {4, 0}})), (std::vector<std::ptrdiff_t>{1, 0}));
}

TEST(Assignment, FollowsAChainOfSecondBests) {
  // The diagonal has 7 + 6 + 1 = 14; shifting every row by one gives 6 + 5 + 5 = 16.
  EXPECT_EQ(best_assignment(table({{7, 6, 0}, {0, 6, 5}, {5, 0, 1}})), (std::vector<std::ptrdiff_t>{1, 2, 0}));
}

TEST(Assignment, LeavesTheRowsThatFindNoColumn) {
  EXPECT_EQ(best_assignment(table({{1}, {3}, {2}})), (std::vector<std::ptrdiff_t>{-1, 0, -1}));
  EXPECT_EQ(best_assignment(table({{1, 3, 2}})), (std::vector<std::ptrdiff_t>{1}));
}

TEST(Assignment, TakesAnEmptyTable) {
  EXPECT_TRUE(best_assignment(Gains()).empty());
  EXPECT_EQ(best_assignment(Gains(2, 0)), (std::vector<std::ptrdiff_t>{-1, -1}));
}

TEST(Assignment, FindsWhatTryingAllPermutationsFinds) {
  Random random(1);
  for (std::size_t rows = 1; rows <= 7; ++rows) {
    for (std::size_t cols = rows; cols <= 7; ++cols) {
      // The narrow range is full of ties; the other has negative gains, which must not be left unassigned.
      for (const auto& [low, high] : {std::pair{0, 3}, std::pair{-1000, 1000}}) {
        for (int repeat = 0; repeat < 4; ++repeat) {
          const Gains gain = random_table(rows, cols, low, high, random);
          const Gains turned = transposed(gain);
          const std::int64_t best = best_by_trying_all(gain);
          EXPECT_EQ(total(gain, best_assignment(gain)), best) << rows << " x " << cols;
          EXPECT_EQ(total(turned, best_assignment(turned)), best) << cols << " x " << rows;
        }
      }
    }
  }
}

TEST(Assignment, IsQuickWhereOnlyOneSideIsLong) {
  Random random(2);
  const Gains gain = random_table(20000, 10, 0, 1000, random);
  // Among 20,000 random rows every column finds one of its own with the largest gain there is.
  EXPECT_EQ(total(gain, best_assignment(gain)), 10 * 1000);
}

}  // namespace
}  // namespace pssc
