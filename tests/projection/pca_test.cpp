#include "support/random_matrix.hpp"

#include <pssc/core/error.hpp>
#include <pssc/projection.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pssc {
namespace {

using test::normal_matrix;

/// Independent columns with standard deviations 10, 5, 2.5, ... and means 7.
FloatMatrix stretched(std::size_t n, std::size_t d, std::uint64_t seed) {
  FloatMatrix x = normal_matrix(n, d, seed);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) = 7 + x(i, j) * static_cast<float>(10 * std::pow(0.5, j));
  return x;
}

double column_variance(const FloatMatrix& y, std::size_t j) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < y.rows(); ++i) {
    sum += y(i, j);
    squares += double{y(i, j)} * y(i, j);
  }
  const auto n = static_cast<double>(y.rows());
  return (squares - sum * sum / n) / (n - 1);
}

void expect_orthonormal(const FloatMatrix& directions) {
  for (std::size_t a = 0; a < directions.rows(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      double dot = 0;
      for (std::size_t j = 0; j < directions.cols(); ++j) dot += double{directions(a, j)} * directions(b, j);
      ASSERT_NEAR(dot, a == b ? 1 : 0, 1e-4);
    }
}

TEST(Pca, FindsTheDirectionsAndTheirVariances) {
  const Context context(2);
  const FloatMatrix x = stretched(4000, 6, 1);
  const Projection pca = fit_pca(context, x, 3);
  ASSERT_EQ(pca.dimension(), 3);
  EXPECT_NEAR(std::abs(pca.directions(0, 0)), 1, 0.01);
  EXPECT_NEAR(std::abs(pca.directions(1, 1)), 1, 0.01);
  EXPECT_NEAR(pca.variances[0], 100, 6);
  EXPECT_NEAR(pca.mean[4], 7, 0.1);
  EXPECT_NEAR(pca.total_variance, 100 * 4.0 / 3, 8);

  const FloatMatrix y = project(context, pca, x);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(column_variance(y, j), pca.variances[j], 1e-3 * pca.variances[0]);
  expect_orthonormal(pca.directions);
}

TEST(Pca, ManyDimensionsGoByWayOfInnerProducts) {
  const Context context(2);
  const std::size_t n = 60, d = 6001;
  FloatMatrix x = normal_matrix(n, d, 3);
  for (std::size_t i = 0; i < n; ++i) x(i, 5) *= 300;
  const Projection pca = fit_pca(context, x, 10);
  ASSERT_EQ(pca.dimension(), 10);
  EXPECT_NEAR(std::abs(pca.directions(0, 5)), 1, 0.01);
  expect_orthonormal(pca.directions);
  const FloatMatrix y = project(context, pca, x);
  for (std::size_t j = 0; j < 10; ++j) EXPECT_NEAR(column_variance(y, j), pca.variances[j], 1e-3 * pca.variances[0]);
}

TEST(Pca, NoMoreDirectionsThanRowsAllow) {
  EXPECT_EQ(fit_pca(Context(1), normal_matrix(4, 10, 1), 100).dimension(), 3);
  EXPECT_EQ(fit_pca(Context(1), normal_matrix(50, 5, 1), 100).dimension(), 5);
}

TEST(Pca, RefusesIdenticalRowsAndASingleOne) {
  FloatMatrix same(5, 4);
  std::fill_n(same.data(), same.size(), 3.0F);
  for (const std::size_t rows : {5, 1}) try {
      fit_pca(Context(1), same.view().row_range(0, rows), 2);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
    }
}

TEST(Poc, DropsTheLeadingDirections) {
  const Context context(1);
  const FloatMatrix x = stretched(500, 6, 4);
  const Projection pca = fit_pca(context, x, 6), rest = orthogonal_complement(pca, 2);
  ASSERT_EQ(rest.dimension(), 4);
  const FloatMatrix all = project(context, pca, x), kept = project(context, rest, x);
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(kept(i, j), all(i, j + 2), 1e-4);
  EXPECT_EQ(rest.variances[0], pca.variances[2]);
  EXPECT_THROW(orthogonal_complement(pca, 6), Error);
}

TEST(Poc, PartsTwoElongatedClusters) {
  // The paper's toy: two long parallel clouds. Along the first direction they coincide; dropping it parts them.
  const Context context(1);
  FloatMatrix x = normal_matrix(400, 2, 5);
  for (std::size_t i = 0; i < 400; ++i) {
    x(i, 0) *= 20;
    x(i, 1) += i % 2 ? 6.0F : -6.0F;
  }
  const FloatMatrix y = project(context, orthogonal_complement(fit_pca(context, x, 2), 1), x);
  ASSERT_EQ(y.cols(), 1);
  for (std::size_t i = 0; i < 400; ++i) EXPECT_EQ(y(i, 0) > 0, (i % 2 == 1) == (y(1, 0) > 0));
}

TEST(Pca, ThreadsDoNotMatter) {
  const FloatMatrix x = stretched(3000, 40, 6);
  const Projection one = fit_pca(Context(1), x, 10), three = fit_pca(Context(3), x, 10);
  for (std::size_t i = 0; i < one.directions.size(); ++i)
    ASSERT_EQ(one.directions.data()[i], three.directions.data()[i]);
}

}  // namespace
}  // namespace pssc
