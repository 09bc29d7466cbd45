// The block Krylov method against LAPACK on the whole matrix.
#include <pssc/core/linalg.hpp>
#include <pssc/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pssc {
namespace {

/// Q diag(values) Q with Q a Householder reflection: any spectrum at all, dense.
Matrix<double> with_spectrum(const std::vector<double>& values) {
  const std::size_t n = values.size();
  Random random(n);
  std::vector<double> u(n);
  double norm = 0;
  for (double& x : u) norm += std::pow(x = random.normal(), 2);
  for (double& x : u) x /= std::sqrt(norm);
  Matrix<double> m(n, n);
  // (I - 2 u u^T) D (I - 2 u u^T)
  double uDu = 0;
  for (std::size_t k = 0; k < n; ++k) uDu += u[k] * values[k] * u[k];
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      m(i, j) = (i == j ? values[i] : 0) - 2 * u[i] * u[j] * (values[i] + values[j]) + 4 * uDu * u[i] * u[j];
  return m;
}

void expect_agrees(const std::vector<double>& spectrum, std::size_t count) {
  const Context context(2);
  const std::size_t n = spectrum.size();
  Matrix<double> fast = with_spectrum(spectrum), plain = with_spectrum(spectrum);
  const Matrix<double> m = with_spectrum(spectrum);
  const Eigenpairs krylov = leading_eigenpairs(context, fast, count), lapack = leading_eigenpairs(plain, count);
  for (std::size_t v = 0; v < count; ++v) {
    ASSERT_NEAR(krylov.values[v], lapack.values[v], 1e-8 * lapack.values[0]) << v;
    double residual = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double product = 0;
      for (std::size_t j = 0; j < n; ++j) product += m(i, j) * krylov.vectors(v, j);
      residual += std::pow(product - krylov.values[v] * krylov.vectors(v, i), 2);
    }
    ASSERT_LT(std::sqrt(residual), 1e-6 * lapack.values[0]) << v;
    for (std::size_t w = 0; w <= v; ++w) {
      double dot = 0;
      for (std::size_t j = 0; j < n; ++j) dot += krylov.vectors(v, j) * krylov.vectors(w, j);
      ASSERT_NEAR(dot, v == w ? 1 : 0, 1e-8);
    }
  }
}

TEST(Krylov, AgreesWithLapackOnAFallingSpectrum) {
  std::vector<double> spectrum(1000);
  for (std::size_t i = 0; i < 1000; ++i) spectrum[i] = std::pow(0.99, i);
  expect_agrees(spectrum, 5);
  expect_agrees(spectrum, 100);
}

TEST(Krylov, FindsALargestEigenvalueAsOftenAsItIsThere) {
  std::vector<double> spectrum(900, 0.3);
  for (std::size_t i = 0; i < 12; ++i) spectrum[i * 7] = 1;  // a graph in twelve pieces
  expect_agrees(spectrum, 15);
}

TEST(Krylov, SurvivesLowRank) {
  std::vector<double> spectrum(900, 0.0);
  for (std::size_t i = 0; i < 6; ++i) spectrum[i] = 10.0 - static_cast<double>(i);
  expect_agrees(spectrum, 10);
}

TEST(Krylov, SameForAnyThreads) {
  std::vector<double> spectrum(1000);
  for (std::size_t i = 0; i < 1000; ++i) spectrum[i] = 1 / static_cast<double>(i + 1);
  Matrix<double> a = with_spectrum(spectrum), b = with_spectrum(spectrum);
  const Eigenpairs one = leading_eigenpairs(Context(1), a, 20), three = leading_eigenpairs(Context(3), b, 20);
  for (std::size_t i = 0; i < one.vectors.size(); ++i) ASSERT_EQ(one.vectors.data()[i], three.vectors.data()[i]);
}

/// A ring of n points, each tied to the next few: as sparse as the graph of representatives.
SparseSymmetric ring(std::size_t n) {
  Random random(n);
  std::vector<SparseSymmetric::Entry> entries;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t step = 1; step < 6; ++step) {
      const auto a = static_cast<std::int32_t>(i), b = static_cast<std::int32_t>((i + step) % n);
      const auto w = static_cast<float>(random.uniform());
      for (const float half : {w / 2, w / 2}) {  // in two parts, to be added up
        entries.push_back({a, b, half});
        entries.push_back({b, a, half});
      }
    }
  return SparseSymmetric(n, std::move(entries));
}

TEST(SparseSymmetric, AddsUpAndScales) {
  SparseSymmetric m(3, {{0, 1, 2}, {1, 0, 2}, {2, 2, 1}, {0, 1, 3}, {1, 0, 3}});
  const std::vector<double> factors{1, 2, 10};
  m.scale(factors);
  const Matrix<double> dense = m.dense();
  const std::vector<double> expected{0, 10, 0, 10, 0, 0, 0, 0, 100};
  EXPECT_EQ(std::vector<double>(dense.data(), dense.data() + 9), expected);
  EXPECT_EQ(m.row_values(2).size(), 1);
}

TEST(Krylov, ASparseMatrixHasTheEigenpairsOfItsDenseForm) {
  for (const std::size_t n : {40, 1200}) {  // by LAPACK, and by the Krylov method
    const SparseSymmetric m = ring(n);
    Matrix<double> dense = m.dense();
    const Eigenpairs sparse = leading_eigenpairs(Context(2), m, 12), plain = leading_eigenpairs(dense, 12);
    for (std::size_t v = 0; v < 12; ++v) {
      EXPECT_NEAR(sparse.values[v], plain.values[v], 1e-8);
      double dot = 0;
      for (std::size_t i = 0; i < n; ++i) dot += sparse.vectors(v, i) * plain.vectors(v, i);
      EXPECT_NEAR(std::abs(dot), 1, 1e-4) << n << " " << v;
    }
  }
}

TEST(SinglePrecision, IsAsGoodAsItSays) {
  std::vector<double> spectrum(300);
  for (std::size_t i = 0; i < 300; ++i) spectrum[i] = std::pow(0.9, i);
  Matrix<double> m = with_spectrum(spectrum), copy = m.copy();
  const auto single = leading_eigenpairs_single(m, 20);
  ASSERT_TRUE(single.has_value());
  for (std::size_t i = 0; i < m.size(); ++i) ASSERT_EQ(m.data()[i], copy.data()[i]);
  const Eigenpairs plain = leading_eigenpairs(copy, 20);
  for (std::size_t v = 0; v < 20; ++v) {
    EXPECT_NEAR(single->values[v], plain.values[v], 2e-6);
    double dot = 0;
    for (std::size_t i = 0; i < 300; ++i) dot += single->vectors(v, i) * plain.vectors(v, i);
    EXPECT_NEAR(std::abs(dot), 1, 1e-4);
  }
}

}  // namespace
}  // namespace pssc
