#pragma once

#include <pssc/core/context.hpp>
#include <pssc/core/device.hpp>
#include <pssc/core/matrix.hpp>

#include <gtest/gtest.h>

namespace pssc::test {

/// Tests of the GPU, skipped where there is none.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const Accelerator found = find_accelerator();
    if (!found.usable) GTEST_SKIP() << "skipped: " << found.reason;
  }
};

inline Context gpu(std::uint64_t seed = 0) {
  return Context(2, seed, Device::cuda);
}

inline FloatMatrix on_device(const FloatMatrix& x) {
  return copy_to(Place::device, x.view());
}

}  // namespace pssc::test
