#include "support/random_matrix.hpp"

#include <pssc/core/error.hpp>
#include <pssc/scattering.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pssc {
namespace {

using test::normal_matrix;

double energy(std::span<const float> x) {
  double sum = 0;
  for (const float v : x) sum += double{v} * v;
  return sum;
}

/// A smooth blob whose centre is at (row, col).
FloatMatrix blob(std::size_t size, double row, double col) {
  FloatMatrix x(1, size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      const double a = static_cast<double>(i) - row, b = static_cast<double>(j) - col;
      x(0, i * size + j) = static_cast<float>(255 * std::exp(-(a * a + b * b) / 4));
    }
  return x;
}

double relative_change(const FloatMatrix& a, const FloatMatrix& b) {
  double difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference += (double{a.data()[i]} - b.data()[i]) * (double{a.data()[i]} - b.data()[i]);
  return std::sqrt(difference / energy(a.row(0)));
}

TEST(Scattering, PathsAreThoseOfTheFormula) {
  const Scattering s({32, 32, 3, 8, 2});
  EXPECT_EQ(s.paths().size(), 1 + 3 * 8 + 8 * 8 * 3);
  EXPECT_EQ(s.dimension(), 3472);
  for (const ScatteringPath& path : s.paths()) EXPECT_TRUE(path.order < 2 || path.j2 > path.j1);
}

TEST(Scattering, LowerOrdersAreAPrefix) {
  const FloatMatrix x = normal_matrix(3, 24 * 20, 1);
  const FloatMatrix two = scatter(Context(1), {24, 20, 2, 4, 2}, x);
  for (const std::size_t order : {0, 1}) {
    const FloatMatrix lower = scatter(Context(1), {24, 20, 2, 4, order}, x);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < lower.cols(); ++k) ASSERT_EQ(lower(i, k), two(i, k));
  }
}

TEST(Scattering, EnergyDoesNotExceedTheImages) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const FloatMatrix x = normal_matrix(1, 32 * 32, seed);
    EXPECT_LE(energy(scatter(Context(1), {}, x).row(0)), energy(x.row(0)));
  }
  const FloatMatrix smooth = blob(32, 16, 16);
  EXPECT_LE(energy(scatter(Context(1), {}, smooth).row(0)), energy(smooth.row(0)));
}

TEST(Scattering, AShiftByOnePixelMovesItFarLessThanTheImage) {
  const FloatMatrix a = blob(32, 15.5, 15.5), b = blob(32, 16.5, 15.5);
  const double image = relative_change(a, b);
  const double features = relative_change(scatter(Context(1), {}, a), scatter(Context(1), {}, b));
  EXPECT_GT(image, 0.3);
  EXPECT_LT(features, image / 2);
}

TEST(Scattering, AFlatImageHasOnlyItsMean) {
  FloatMatrix x(1, 32 * 32);
  std::fill_n(x.data(), x.size(), 100.0F);
  const FloatMatrix s = scatter(Context(1), {}, x);
  for (std::size_t k = 0; k < 16; ++k) EXPECT_NEAR(s(0, k), 100, 0.1);
  for (std::size_t k = 16; k < s.cols(); ++k) EXPECT_NEAR(s(0, k), 0, 1e-3);
}

TEST(Scattering, IsHomogeneous) {
  const FloatMatrix x = normal_matrix(1, 32 * 32, 5);
  FloatMatrix twice = normal_matrix(1, 32 * 32, 5);
  for (std::size_t i = 0; i < twice.size(); ++i) twice.data()[i] *= 2;
  const FloatMatrix s = scatter(Context(1), {}, x), s2 = scatter(Context(1), {}, twice);
  for (std::size_t k = 0; k < s.cols(); ++k) EXPECT_NEAR(s2(0, k), 2 * s(0, k), 1e-5);
}

TEST(Scattering, BatchSizeAndThreadsChangeNothing) {
  const FloatMatrix x = normal_matrix(150, 16 * 16, 9);
  const ScatteringParams params{16, 16, 2, 4, 2};
  const FloatMatrix all = scatter(Context(1), params, x), threaded = scatter(Context(3), params, x);
  const Scattering one(params);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    FloatMatrix alone(1, one.dimension());
    one.transform(x.view().row_range(i, i + 1), alone);
    for (std::size_t k = 0; k < all.cols(); ++k) {
      ASSERT_EQ(all(i, k), threaded(i, k));
      ASSERT_EQ(all(i, k), alone(0, k));
    }
  }
}

TEST(Scattering, RefusesWhatCannotBe) {
  EXPECT_THROW(Scattering({7, 32, 3, 8, 2}), Error);  // 2^3 is larger than 7
  EXPECT_THROW(Scattering({32, 32, 0, 8, 2}), Error);
  EXPECT_THROW(Scattering({32, 32, 3, 0, 2}), Error);
  EXPECT_THROW(Scattering({32, 32, 3, 8, 3}), Error);
  try {
    Scattering({7, 7, 3, 8, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("7 x 7"), std::string::npos);
  }
}

}  // namespace
}  // namespace pssc
