#include "support/random_matrix.hpp"

#include <pssc/core/error.hpp>
#include <pssc/evaluation.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pssc {
namespace {

constexpr double radians = std::numbers::pi / 180;

Matrix<double> rows(std::initializer_list<std::initializer_list<double>> values) {
  Matrix<double> m(values.size(), values.begin()->size());
  std::size_t i = 0;
  for (const auto& row : values) std::copy(row.begin(), row.end(), m.row(i++).begin());
  return m;
}

Matrix<double> random_rows(std::size_t n, std::size_t d, std::uint64_t seed) {
  const FloatMatrix f = test::normal_matrix(n, d, seed);
  Matrix<double> m(n, d);
  std::copy_n(f.data(), f.size(), m.data());
  return m;
}

TEST(PrincipalAngles, OfPlanesThatShareALine) {
  const double a = 30 * radians;
  const Matrix<double> floor = rows({{1, 0, 0}, {0, 1, 0}}), ramp = rows({{1, 0, 0}, {0, std::cos(a), std::sin(a)}});
  const auto angles = principal_angles(floor, ramp);
  ASSERT_EQ(angles.size(), 2);
  EXPECT_NEAR(angles[0], 0, 1e-10);
  EXPECT_NEAR(angles[1], 30, 1e-10);
  EXPECT_NEAR(subspace_affinity(angles), std::sqrt((1 + 0.75) / 2), 1e-12);
}

TEST(PrincipalAngles, DependOnTheSpansAlone) {
  const Matrix<double> p = random_rows(4, 30, 1), q = random_rows(4, 30, 2);
  Matrix<double> mixed(4, 30);  // other vectors, neither orthogonal nor of length 1, of the same span
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 30; ++j) mixed(i, j) = 3 * p(i, j) + p((i + 1) % 4, j) - 0.5 * p((i + 2) % 4, j);
  const auto angles = principal_angles(p, q), same = principal_angles(mixed, q), other_way = principal_angles(q, p);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(angles[i], same[i], 1e-9);
    EXPECT_NEAR(angles[i], other_way[i], 1e-9);
  }
  for (const double a : principal_angles(p, mixed)) EXPECT_NEAR(a, 0, 1e-9);
}

TEST(PrincipalAngles, SmallOnesAreExact) {
  const double a = 1e-6;  // degrees; its cosine is 1 but for 1e-16
  const auto angles = principal_angles(rows({{1, 0}}), rows({{std::cos(a * radians), std::sin(a * radians)}}));
  EXPECT_NEAR(angles[0], a, 1e-13);
}

TEST(PrincipalAngles, OfSubspacesOfDifferentDimension) {
  const double a = 50 * radians;
  const Matrix<double> line = rows({{std::cos(a), 0, std::sin(a)}}), floor = rows({{1, 0, 0}, {0, 1, 0}});
  ASSERT_EQ(principal_angles(line, floor).size(), 1);
  EXPECT_NEAR(principal_angles(line, floor)[0], 50, 1e-10);
  EXPECT_NEAR(principal_angles(floor, line)[0], 50, 1e-10);
}

TEST(GreedyAngles, TakeTheClosestPairThenTheClosestOfTheRest) {
  // Cosines: row 0 with (.6, .8), row 1 with (.8, -.6): the .8 of row 0 and column 1, then row 1 and column 0.
  const Matrix<double> p = rows({{1, 0}, {0, 1}}), q = rows({{.6, .8}, {.8, -.6}});
  const auto angles = greedy_angles(p, q);
  ASSERT_EQ(angles.size(), 2);
  for (const double a : angles) EXPECT_NEAR(a, std::acos(.8) / radians, 1e-10);
  for (const double a : principal_angles(p, q)) EXPECT_NEAR(a, 0, 1e-6);  // both span the plane
}

TEST(GreedyAngles, HaveNoSmallestBelowThePrincipalOne) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Matrix<double> p = random_rows(5, 12, 10 + seed), q = random_rows(5, 12, 100 + seed);
    EXPECT_GE(greedy_angles(p, q)[0] + 1e-9, principal_angles(p, q)[0]);
  }
}

TEST(GreedyAngles, RefuseSpacesThatDiffer) {
  EXPECT_THROW(greedy_angles(random_rows(2, 5, 1), random_rows(2, 6, 1)), Error);
  EXPECT_THROW(principal_angles(random_rows(2, 5, 1), random_rows(2, 6, 1)), Error);
}

}  // namespace
}  // namespace pssc
