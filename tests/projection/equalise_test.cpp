#include "support/random_matrix.hpp"

#include <pssc/core/error.hpp>
#include <pssc/projection.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pssc {
namespace {

FloatMatrix two_paths() {
  FloatMatrix x(2, 4);  // two images, two paths of two numbers
  const float values[] = {3, 4, 0, 1, 6, 8, 0, 2};
  std::copy_n(values, 8, x.data());
  return x;
}

TEST(Equalise, MaxnormDividesAPathByItsLargestNormOverAllImages) {
  FloatMatrix x = two_paths();
  const Context context(1);
  const Equaliser e = fit_equaliser(context, Equalisation::maxnorm, x, 2);
  EXPECT_FLOAT_EQ(e.scale[0], 10);  // |(6, 8)|
  EXPECT_FLOAT_EQ(e.scale[1], 2);   // |(0, 2)|
  equalise(context, e, x);
  EXPECT_FLOAT_EQ(x(0, 0), 0.3F);
  EXPECT_FLOAT_EQ(x(1, 1), 0.8F);
  EXPECT_FLOAT_EQ(x(0, 3), 0.5F);
}

TEST(Equalise, TheLogarithmIsThatOfTheStandardLibrary) {
  for (const std::size_t length : {1, 7, 16, 33}) {  // around the number of lanes
    FloatMatrix x(200, length);
    Random random(length);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(std::exp(random.uniform(-20, 12)));
    x(0, 0) = -1e-6F;  // rounding below zero counts as zero
    const Equaliser e{Equalisation::log, length, {2.5F}};
    const FloatMatrix before = x.copy();
    e.apply(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = std::log1p(std::max(0.0, double{before.data()[i]}) / 2.5);
      ASSERT_NEAR(x.data()[i], expected, 5e-7 * expected + 1e-12) << before.data()[i];
    }
  }
}

TEST(Equalise, LogUsesTheMeanOfThePath) {
  FloatMatrix x = two_paths();
  const Context context(1);
  const Equaliser e = fit_equaliser(context, Equalisation::log, x, 2);
  EXPECT_FLOAT_EQ(e.scale[0], 21.0F / 4);
  EXPECT_FLOAT_EQ(e.scale[1], 3.0F / 4);
  equalise(context, e, x);
  EXPECT_FLOAT_EQ(x(0, 1), std::log1p(4 / 5.25F));
  EXPECT_FLOAT_EQ(x(1, 2), 0);
}

TEST(Equalise, NegativeNumbersAndZeroPathsStayFinite) {
  const Context context(1);
  for (const Equalisation kind : {Equalisation::maxnorm, Equalisation::log, Equalisation::none}) {
    FloatMatrix x(3, 4);
    x(1, 0) = -2;
    equalise(context, fit_equaliser(context, kind, x, 2), x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(std::isfinite(x.data()[i]));
  }
}

TEST(Equalise, ThreadsDoNotMatter) {
  const FloatMatrix x = test::normal_matrix(3000, 60, 1);
  for (const Equalisation kind : {Equalisation::maxnorm, Equalisation::log})
    EXPECT_EQ(fit_equaliser(Context(1), kind, x, 4).scale, fit_equaliser(Context(3), kind, x, 4).scale);
}

TEST(Equalise, RefusesPathsThatDoNotDivide) {
  EXPECT_THROW(fit_equaliser(Context(1), Equalisation::log, two_paths(), 3), Error);
}

}  // namespace
}  // namespace pssc
