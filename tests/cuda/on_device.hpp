#pragma once

#include <pssc/core/context.hpp>
#include <pssc/core/cuda.hpp>
#include <pssc/core/device.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/matrix.hpp>

#include <gtest/gtest.h>

#include <vector>

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

/// Takes the device's memory, as far as it goes, but for so many bytes.
inline std::vector<cuda::Array<char>> all_memory_but(std::size_t bytes) {
  constexpr std::size_t largest = std::size_t{1} << 34, smallest = std::size_t{1} << 23;
  std::vector<cuda::Array<char>> taken;
  for (std::size_t piece = largest; piece >= smallest;) {
    try {
      while (free_device_memory() >= bytes + piece) taken.emplace_back(piece);
    } catch (const Error&) {  // what is free lies in smaller pieces
    }
    piece /= 2;
  }
  return taken;
}

inline FloatMatrix on_device(const FloatMatrix& x) {
  return copy_to(Place::device, x.view());
}

}  // namespace pssc::test
