#include "reference.hpp"

#include "cases.hpp"
#include "support/random_matrix.hpp"

#include <pssc/core/error.hpp>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>

namespace pssc {
namespace {

FloatMatrix noise(std::size_t n, const ScatteringParams& p) {
  FloatMatrix x = test::normal_matrix(n, p.height * p.width, p.height + 100 * p.width);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::abs(x.data()[i]) * 60;
  return x;
}

/// The largest difference to the definition, as a share of the largest coefficient.
double error_of(const ScatteringParams& p, std::size_t n) {
  const FloatMatrix x = noise(n, p);
  const FloatMatrix fast = scatter(Context(1), p, x);
  const Matrix<double> exact = test::scatter_by_definition(p, x);
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error = std::max(error, std::abs(fast.data()[i] - exact.data()[i]));
    largest = std::max(largest, std::abs(exact.data()[i]));
  }
  return error / largest;
}

TEST(ScatteringAgainstDefinition, OddSizesAndAllScalesAnglesAndOrders) {
  for (const ScatteringParams& p : test::shape_cases())
    EXPECT_LT(error_of(p, 2), 2e-6) << p.height << " x " << p.width << ", J " << p.scales << ", L " << p.angles
                                    << ", order " << p.order;
}

TEST(ScatteringAgainstDefinition, TheSmallestImageOfEachScale) {
  for (const std::size_t J : {1, 2, 3, 4}) {
    const std::size_t size = std::size_t{1} << J;
    EXPECT_LT(error_of({size, size, J, 4, 2}, 1), 2e-6) << "J " << J;
  }
}

TEST(ScatteringAgainstDefinition, EveryNumberOfImagesAroundALaneCount) {
  for (const std::size_t n : {1, 3, 7, 8, 9, 15, 16, 17, 33}) EXPECT_LT(error_of({12, 12, 2, 4, 2}, n), 2e-6) << n;
}

TEST(ScatteringAgainstDefinition, OnEveryInstructionSetOfThisMachine) {
  const auto all = static_cast<std::uint64_t>(hwy::SupportedTargets());
  std::vector<std::string> tested;
  for (std::uint64_t rest = all; rest != 0; rest &= rest - 1) {
    const auto one = static_cast<std::int64_t>(rest & (~rest + 1));
    hwy::SetSupportedTargetsForTest(one);
    hwy::GetChosenTarget().DeInit();
    if (scattering_simd() != hwy::TargetName(one)) continue;  // a set the kernel is not compiled for
    EXPECT_LT(error_of({20, 20, 2, 4, 2}, 5), 2e-6) << hwy::TargetName(one);
    tested.push_back(hwy::TargetName(one));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
  EXPECT_GE(tested.size(), 2) << "the best set here and at least one that is older";
  EXPECT_EQ(tested.front(), scattering_simd());
}

}  // namespace
}  // namespace pssc
