#include "scattering/fft-inl.hpp"

#include <pssc/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

namespace pssc {
namespace {

using HWY_NAMESPACE::Complex;
using HWY_NAMESPACE::Line;

std::vector<Complex<double>> random_points(std::size_t n) {
  Random random(n);
  std::vector<Complex<double>> x(n);
  for (auto& v : x) v = {random.normal(), random.normal()};
  return x;
}

std::complex<double> definition(const std::vector<Complex<double>>& x, std::size_t f, int sign) {
  std::complex<double> sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k)
    sum += std::complex<double>(x[k].re, x[k].im) *
           std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(f * k % x.size()) /
                               static_cast<double>(x.size()));
  return sum;
}

class Fft : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Fft, AgreesWithTheDefinitionForwardAndBack) {
  const std::size_t n = GetParam();
  const FftPlan<double> plan(n);
  const auto x = random_points(n);
  std::vector<Complex<double>> forward(n), back(n), scratch(2 * n);
  auto in = x;
  HWY_NAMESPACE::fft<false>(plan, Line<double>{in.data(), 1}, Line<double>{forward.data(), 1}, scratch.data());
  HWY_NAMESPACE::fft<true>(plan, Line<double>{in.data(), 1}, Line<double>{back.data(), 1}, scratch.data());
  for (std::size_t f = 0; f < n; ++f) {
    const auto expected = definition(x, f, -1), inverse = definition(x, f, 1);
    ASSERT_NEAR(forward[f].re, expected.real(), 1e-9);
    ASSERT_NEAR(forward[f].im, expected.imag(), 1e-9);
    ASSERT_NEAR(back[f].re, inverse.real(), 1e-9);
    ASSERT_NEAR(back[f].im, inverse.imag(), 1e-9);
  }
}

TEST_P(Fft, WorksInPlaceAndStrided) {
  const std::size_t n = GetParam(), stride = 3;
  const FftPlan<double> plan(n);
  const auto x = random_points(n);
  std::vector<Complex<double>> plain = x, spread(n * stride), scratch(2 * n);
  for (std::size_t i = 0; i < n; ++i) spread[i * stride] = x[i];
  HWY_NAMESPACE::fft<false>(plan, Line<double>{plain.data(), 1}, Line<double>{plain.data(), 1}, scratch.data());
  HWY_NAMESPACE::fft<false>(plan, Line<double>{spread.data(), stride}, Line<double>{spread.data(), stride},
                            scratch.data());
  for (std::size_t f = 0; f < n; ++f) {
    const auto expected = definition(x, f, -1);
    ASSERT_NEAR(plain[f].re, expected.real(), 1e-9);
    ASSERT_NEAR(plain[f].im, expected.imag(), 1e-9);
    ASSERT_EQ(plain[f].re, spread[f * stride].re);
  }
}

TEST_P(Fft, TheFastWayAgreesWithThePlainOne) {
  const std::size_t n = GetParam(), stride = 5;
  const FftPlan<double> plan(n);
  std::vector<Complex<double>> plain = random_points(n), fast(n * stride), scratch(2 * n);
  for (std::size_t i = 0; i < n; ++i) fast[i * stride] = plain[i];
  const Line<double> line{plain.data(), 1}, strided{fast.data(), stride};
  HWY_NAMESPACE::fft<false>(plan, line, line, scratch.data());
  HWY_NAMESPACE::fast_fft<false>(plan, strided, strided, scratch.data());
  for (std::size_t f = 0; f < n; ++f) {
    ASSERT_NEAR(plain[f].re, strided[f].re, 1e-10);
    ASSERT_NEAR(plain[f].im, strided[f].im, 1e-10);
  }
  HWY_NAMESPACE::fft<true>(plan, line, line, scratch.data());
  HWY_NAMESPACE::fast_fft<true>(plan, strided, strided, scratch.data());
  for (std::size_t f = 0; f < n; ++f) ASSERT_NEAR(plain[f].re, strided[f].re, 1e-9 * static_cast<double>(n));
}

// Powers of two, each radix alone, mixtures, primes beyond the radices, and the sizes that 28, 32 and 64 pixels pad to.
INSTANTIATE_TEST_SUITE_P(Sizes, Fft,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 20, 24, 25, 32, 36, 40,
                                           48, 49, 52, 64, 77, 80, 96, 97, 144, 160));

}  // namespace
}  // namespace pssc
