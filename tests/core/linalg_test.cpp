#include "support/random_matrix.hpp"

#include <pssc/core/linalg.hpp>

#include <cblas.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pssc {
namespace {

using test::normal_matrix;

TEST(Products, AgreeWithTheDefinitionAtOddSizes) {
  const Context context(3);
  for (const std::size_t n : {1, 3, 7, 8, 9, 513, 1025})
    for (const std::size_t d : {1, 5, 16, 33})
      for (const std::size_t m : {1, 4, 31}) {
        const FloatMatrix a = normal_matrix(n, d, 1), b = normal_matrix(m, d, 2), bt = normal_matrix(d, m, 3);
        FloatMatrix c(n, m), e(n, m);
        multiply_transposed(context, a, b, c);
        multiply(context, a, bt, e);
        for (const std::size_t i : {std::size_t{0}, n / 2, n - 1})
          for (std::size_t j = 0; j < m; ++j) {
            double ct = 0, et = 0;
            for (std::size_t k = 0; k < d; ++k) {
              ct += double{a(i, k)} * b(j, k);
              et += double{a(i, k)} * bt(k, j);
            }
            ASSERT_NEAR(c(i, j), ct, 1e-4);
            ASSERT_NEAR(e(i, j), et, 1e-4);
          }
      }
}

TEST(Products, OfFewRowsDoNotDependOnTheRowsBesideThem) {
  const Context context(2);
  const FloatMatrix a = normal_matrix(37, 13, 1), b = normal_matrix(5, 13, 2);
  FloatMatrix all(37, 5), one(1, 5);
  multiply_transposed(context, a, b, all);
  for (std::size_t i = 0; i < 37; ++i) {
    multiply_transposed(context, a.view().row_range(i, i + 1), b, one);
    for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(one(0, j), all(i, j));
  }
}

TEST(Blas, HasItsThreadsBackAfterTheLastContext) {
  openblas_set_num_threads(3);
  const int before = openblas_get_num_threads();  // as many as this build of it allows
  {
    const Context first(2);
    EXPECT_EQ(openblas_get_num_threads(), 1);
    { const Context second(1); }
    EXPECT_EQ(openblas_get_num_threads(), 1);
  }
  EXPECT_EQ(openblas_get_num_threads(), before);
}

TEST(SumsByLabel, FollowLabelsThatChangeExactly) {
  constexpr std::size_t n = 700, d = 130, labels = 5;
  const Context context(3);
  const FloatMatrix x = normal_matrix(n, d, 4);
  SumsByLabel followed(context, x, labels);
  Random random(5);
  std::vector<std::int32_t> of(n);
  for (int round = 0; round < 4; ++round) {
    for (auto& l : of) l = static_cast<std::int32_t>(random.below(labels)) - 1;  // -1: left out; 4: no row's
    followed.update(context, of);
    SumsByLabel anew(context, x, labels);
    anew.update(context, of);
    const Matrix<double> sums = followed.sums(context), fresh = anew.sums(context), means = followed.means(context);
    for (std::size_t c = 0; c < labels; ++c)
      for (std::size_t j = 0; j < d; ++j) {
        double sum = 0, count = 0;
        for (std::size_t i = 0; i < n; ++i)
          if (of[i] == static_cast<std::int32_t>(c)) sum += double{x(i, j)}, ++count;
        ASSERT_NEAR(sums(c, j), sum, 1e-9);
        ASSERT_NEAR(means(c, j), count > 0 ? sum / count : 0, 1e-9);
        ASSERT_EQ(sums(c, j), fresh(c, j));
      }
  }
}

TEST(Moments, AgreeWithTheDefinitionHoweverTheRowsArrive) {
  const Context context(2);
  const std::size_t n = 700, d = 37;
  FloatMatrix x = normal_matrix(n, d, 4);
  for (std::size_t i = 0; i < n; ++i) x(i, 3) = 100 + 2 * x(i, 0);
  const std::vector<float> origin = column_means(context, x.view().row_range(0, 10));
  Moments moments(d, 300, n);
  for (std::size_t begin = 0; begin < n; begin += 130)
    moments.add(context, x.view().row_range(begin, std::min(n, begin + 130)), origin);
  EXPECT_EQ(moments.count(), n);

  const std::vector<double> mean = moments.mean(origin);
  const Matrix<double> covariance = moments.covariance();
  for (std::size_t a = 0; a < d; ++a) {
    double expected_mean = 0;
    for (std::size_t i = 0; i < n; ++i) expected_mean += x(i, a) / double{n};
    ASSERT_NEAR(mean[a], expected_mean, 1e-5);
    for (std::size_t b = 0; b < d; ++b) {
      double expected = 0;
      for (std::size_t i = 0; i < n; ++i) expected += (x(i, a) - mean[a]) * (x(i, b) - mean[b]) / double{n - 1};
      ASSERT_NEAR(covariance(a, b), expected, 1e-4);
    }
  }
}

TEST(Eigenpairs, OfAKnownMatrix) {
  Matrix<double> m(2, 2);  // eigenvalues 3 along (1,1) and 1 along (1,-1)
  m(0, 0) = m(1, 1) = 2;
  m(0, 1) = m(1, 0) = 1;
  const Eigenpairs pairs = leading_eigenpairs(m, 1);
  ASSERT_EQ(pairs.values.size(), 1);
  EXPECT_NEAR(pairs.values[0], 3, 1e-12);
  EXPECT_NEAR(pairs.vectors(0, 0), std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(pairs.vectors(0, 1), std::sqrt(0.5), 1e-12);
}

TEST(Eigenpairs, SolveTheEquationAreOrthonormalAndFall) {
  for (const std::size_t n : {1, 2, 5, 40}) {
    Matrix<double> m(n, n);
    Random random(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i; j < n; ++j) m(i, j) = m(j, i) = random.normal();
    Matrix<double> copy(n, n);
    std::copy_n(m.data(), m.size(), copy.data());
    const std::size_t count = (n + 1) / 2;
    const Eigenpairs pairs = leading_eigenpairs(copy, count);
    for (std::size_t v = 0; v < count; ++v) {
      EXPECT_LE(pairs.values[v], pairs.values[v == 0 ? 0 : v - 1]);
      for (std::size_t i = 0; i < n; ++i) {
        double product = 0;
        for (std::size_t j = 0; j < n; ++j) product += m(i, j) * pairs.vectors(v, j);
        EXPECT_NEAR(product, pairs.values[v] * pairs.vectors(v, i), 1e-9);
      }
      for (std::size_t u = 0; u <= v; ++u) {
        double dot = 0;
        for (std::size_t j = 0; j < n; ++j) dot += pairs.vectors(u, j) * pairs.vectors(v, j);
        EXPECT_NEAR(dot, u == v ? 1 : 0, 1e-9);
      }
    }
  }
}

TEST(SquaredDistances, AreNeverNegative) {
  const FloatMatrix x = normal_matrix(9, 100, 1);
  FloatMatrix d(9, 9);
  squared_distances(x, x, squared_norms(x), d);
  for (std::size_t i = 0; i < 9; ++i)
    for (std::size_t j = 0; j < 9; ++j) {
      double expected = 0;
      for (std::size_t k = 0; k < 100; ++k) expected += (x(i, k) - x(j, k)) * (x(i, k) - x(j, k));
      EXPECT_GE(d(i, j), 0);
      EXPECT_NEAR(d(i, j), expected, 1e-3);
    }
}

}  // namespace
}  // namespace pssc
