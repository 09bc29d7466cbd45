#include <pssc/clustering.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

namespace pssc {
namespace {

using Groups = std::vector<std::size_t>;

Matrix<double> weights(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix<double> w(rows.size(), rows.size());
  std::size_t i = 0;
  for (const auto& row : rows) std::copy(row.begin(), row.end(), w.row(i++).begin());
  return w;
}

/// Groups renumbered by their first pieces.
Groups in_order(const Groups& groups) {
  Groups names, result;
  for (const std::size_t g : groups) {
    const auto found = std::find(names.begin(), names.end(), g);
    result.push_back(static_cast<std::size_t>(found - names.begin()));
    if (found == names.end()) names.push_back(g);
  }
  return result;
}

Matrix<double> of_groups(const Matrix<double>& w, const Groups& groups) {
  Matrix<double> sums(*std::ranges::max_element(groups) + 1, *std::ranges::max_element(groups) + 1);
  for (std::size_t i = 0; i < w.rows(); ++i)
    for (std::size_t j = 0; j < w.cols(); ++j) sums(groups[i], groups[j]) += w(i, j);
  return sums;
}

TEST(MutualInformation, IsThatOfItsDefinition) {
  EXPECT_NEAR(mutual_information(weights({{1, 1}, {1, 1}})), 0, 1e-15);
  EXPECT_NEAR(mutual_information(weights({{3, 0}, {0, 3}})), std::log(2.0), 1e-15);
  // p = 3/8 twice and 1/8 twice, both margins 1/2: sum p log (p / (1/4)).
  EXPECT_NEAR(mutual_information(weights({{3, 1}, {1, 3}})), .75 * std::log(1.5) + .25 * std::log(.5), 1e-15);
  EXPECT_EQ(mutual_information(weights({{0, 0}, {0, 0}})), 0);
}

/// golden/joined.py computes every information from scratch.
TEST(JoinPieces, GivesWhatTheDefinitionGives) {
  std::ifstream file(PSSC_GOLDEN_JOINED);
  ASSERT_TRUE(file);
  std::size_t cases = 0, moved = 0;
  for (std::size_t pieces = 0, groups = 0; file >> pieces >> groups; ++cases) {
    Matrix<double> w(pieces, pieces);
    for (std::size_t i = 0; i < w.size(); ++i) file >> w.data()[i];
    Groups joined(pieces), expected(pieces);
    for (std::size_t& g : joined) file >> g;
    for (std::size_t& g : expected) file >> g;
    double information = 0;
    file >> information;
    const Groups found = join_pieces(w, groups);
    EXPECT_EQ(in_order(found), in_order(expected)) << pieces << " pieces, " << groups << " groups";
    EXPECT_NEAR(mutual_information(of_groups(w, found)), information, 1e-9);
    moved += joined != expected;
  }
  EXPECT_EQ(cases, 7u);
  EXPECT_GT(moved, 0u);  // some cases are not right by joining alone
}

TEST(JoinPieces, OfBlocksGivesTheBlocks) {
  constexpr std::size_t pieces = 60, blocks = 7;
  Matrix<double> w(pieces, pieces);
  for (std::size_t i = 0; i < pieces; ++i)
    for (std::size_t j = 0; j < pieces; ++j) w(i, j) = i % blocks == j % blocks ? 1.0 + 0.1 * double(i + j) : 0.01;
  const Groups found = in_order(join_pieces(w, blocks));
  for (std::size_t i = 0; i < pieces; ++i) EXPECT_EQ(found[i], found[i % blocks]) << i;
  EXPECT_EQ(*std::ranges::max_element(found), blocks - 1);
}

TEST(JoinPieces, FewerPiecesThanGroupsStayApart) {
  EXPECT_EQ(join_pieces(weights({{2, 1}, {1, 2}}), 5), (Groups{0, 1}));
  EXPECT_EQ(join_pieces(weights({{2, 1}, {1, 2}}), 2), (Groups{0, 1}));
  EXPECT_EQ(join_pieces(weights({{2, 1}, {1, 2}}), 1), (Groups{0, 0}));
  EXPECT_EQ(join_pieces(weights({{2}}), 1), (Groups{0}));
}

TEST(JoinPieces, EmptyPiecesAndPartsWithoutTiesDoNoHarm) {
  // Two parts that nothing ties, and an empty piece.
  const Matrix<double> w =
      weights({{4, 2, 0, 0, 0}, {2, 4, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 4, 2}, {0, 0, 0, 2, 4}});
  const Groups found = join_pieces(w, 2);
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[3], found[4]);
  EXPECT_NE(found[0], found[3]);
  for (const std::size_t g : join_pieces(Matrix<double>(6, 6), 2)) EXPECT_LT(g, 2u);  // no weight at all
}

TEST(JoinPieces, AnIsolatedPieceIsNotLost) {
  Groups groups = join_pieces(weights({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), 2);
  std::ranges::sort(groups);
  EXPECT_EQ(groups.front(), 0u);
  EXPECT_EQ(groups.back(), 1u);
}

}  // namespace
}  // namespace pssc
