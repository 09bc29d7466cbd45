#include "cases.hpp"
#include "support/npy.hpp"

#include <pssc/scattering.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pssc {
namespace {

using test::Golden;

class GoldenScattering : public ::testing::TestWithParam<Golden> {};

TEST_P(GoldenScattering, AgreesWithKymatio) {
  const Golden& golden = GetParam();
  const std::string base = std::string(PSSC_GOLDEN) + "/" + golden.name;
  const test::Npy<float> input(base + ".input.npy"), expected(base + ".scattering.npy");
  const std::size_t n = input.shape[0], height = input.shape[1], width = input.shape[2];
  const ScatteringParams params{height, width, golden.scales, golden.angles, golden.order};

  const Scattering scattering(params);
  EXPECT_EQ(scattering.paths().size(), expected.shape[1]);
  EXPECT_EQ(scattering.output_height(), expected.shape[2]);
  EXPECT_EQ(scattering.output_width(), expected.shape[3]);

  const FloatMatrix features = scatter(Context(2), params, {input.values.data(), n, height * width});
  ASSERT_EQ(features.size(), expected.values.size());
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    largest = std::max(largest, std::abs(double{expected.values[i]}));
    error = std::max(error, std::abs(double{features.data()[i]} - expected.values[i]));
  }
  EXPECT_LT(error, 1e-4 * largest);
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenScattering, ::testing::ValuesIn(test::golden_cases),
                         [](const auto& golden) { return std::string(golden.param.name); });

}  // namespace
}  // namespace pssc
