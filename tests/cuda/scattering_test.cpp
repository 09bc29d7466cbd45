#include "on_device.hpp"
#include "scattering/cases.hpp"
#include "support/npy.hpp"
#include "support/random_matrix.hpp"

#include <pssc/scattering.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

namespace pssc {
namespace {

using test::gpu;
using CudaScattering = test::OnDevice;

/// Where the tests were taken to a machine that has the GPU but not the sources, PSSC_GOLDEN_FOLDER says where they
/// lie.
std::string golden_folder() {
  const char* folder = std::getenv("PSSC_GOLDEN_FOLDER");
  return folder ? folder : PSSC_GOLDEN;
}

struct Difference {
  double error = 0, largest = 0;
};

Difference difference(const FloatMatrix& a, const float* b) {
  Difference d;
  for (std::size_t i = 0; i < a.size(); ++i) {
    d.error = std::max(d.error, std::abs(double{a.data()[i]} - double{b[i]}));
    if (std::isnan(a.data()[i])) d.error = INFINITY;
    d.largest = std::max(d.largest, std::abs(double{b[i]}));
  }
  return d;
}

FloatMatrix noise(std::size_t n, const ScatteringParams& p) {
  FloatMatrix x = test::normal_matrix(n, p.height * p.width, p.height + 100 * p.width);
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::abs(x.data()[i]) * 60;
  return x;
}

void expect_as_on_the_processor(const ScatteringParams& p, std::size_t n) {
  const FloatMatrix x = noise(n, p);
  const FloatMatrix expected = scatter(Context(2), p, x);
  const Difference d = difference(to_host(scatter(gpu(), p, x)), expected.data());
  EXPECT_LT(d.error, 3e-6 * d.largest) << p.height << " x " << p.width << ", J " << p.scales << ", L " << p.angles
                                       << ", order " << p.order << ", " << n << " images";
}

TEST_F(CudaScattering, AgreesWithKymatio) {
  for (const test::Golden& golden : test::golden_cases) {
    const std::string base = golden_folder() + "/" + golden.name;
    const test::Npy<float> input(base + ".input.npy"), expected(base + ".scattering.npy");
    const std::size_t n = input.shape[0], height = input.shape[1], width = input.shape[2];
    const FloatMatrix found = to_host(scatter(gpu(), {height, width, golden.scales, golden.angles, golden.order},
                                              {input.values.data(), n, height * width}));
    ASSERT_EQ(found.size(), expected.values.size());
    const Difference d = difference(found, expected.values.data());
    EXPECT_LT(d.error, 1e-4 * d.largest) << golden.name;
  }
}

TEST_F(CudaScattering, EveryShapeOfTheCaseTable) {
  for (const ScatteringParams& p : test::shape_cases()) expect_as_on_the_processor(p, 2);
}

TEST_F(CudaScattering, EveryShapeOfTheFusedKernel) {
  for (const std::size_t L : {1, 3, 6, 8, 16})
    for (const std::size_t order : {0, 1, 2}) {
      expect_as_on_the_processor({32, 32, 3, L, order}, 5);
      expect_as_on_the_processor({38, 36, 3, L, order}, 3);
      expect_as_on_the_processor({16, 16, 2, L, order}, 5);
      expect_as_on_the_processor({8, 8, 1, L, order}, 5);
    }
}

TEST_F(CudaScattering, AnyNumberOfImages) {
  for (const std::size_t n : {1, 2, 131, 1024, 1025, 3000}) expect_as_on_the_processor({32, 32, 3, 8, 2}, n);
}

TEST_F(CudaScattering, TheSameTwice) {
  const FloatMatrix x = noise(2000, {});
  const FloatMatrix one = to_host(scatter(gpu(), {}, x)), two = to_host(scatter(gpu(), {}, x));
  for (std::size_t i = 0; i < one.size(); ++i) ASSERT_EQ(one.data()[i], two.data()[i]);
}

}  // namespace
}  // namespace pssc
