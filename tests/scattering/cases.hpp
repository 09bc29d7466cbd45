#pragma once

#include <pssc/scattering.hpp>

#include <vector>

namespace pssc::test {

/// The files of golden/ and what they were made with; every back end is held to them.
struct Golden {
  const char* name;
  std::size_t scales, angles, order;
};

inline const std::vector<Golden> golden_cases = {{"mnist_32x32_J3_L8_o2", 3, 8, 2}, {"fashion_32x32_J3_L8_o2", 3, 8, 2},
                                                 {"noise_16x16_J1_L8_o2", 1, 8, 2}, {"noise_32x32_J2_L6_o2", 2, 6, 2},
                                                 {"noise_33x47_J2_L4_o2", 2, 4, 2}, {"noise_64x40_J3_L8_o1", 3, 8, 1}};

/// Odd sizes, and all scales, angles and orders.
inline std::vector<ScatteringParams> shape_cases() {
  std::vector<ScatteringParams> cases;
  for (const std::size_t J : {1, 2, 3, 4})
    for (const std::size_t L : {1, 3, 8})
      for (const std::size_t order : {0, 1, 2})
        for (const auto& [h, w] : {std::pair<std::size_t, std::size_t>{16, 16}, {17, 31}, {40, 23}})
          cases.push_back({h, w, J, L, order});
  return cases;
}

}  // namespace pssc::test
