// clang-format off: foreach_target includes this file again for each instruction set, and must come first
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "logarithm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "logarithm.hpp"

#include <hwy/contrib/math/math-inl.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace pssc::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void LogOfOnePlus(float* values, std::size_t count, float factor) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto f = hn::Set(d, factor), zero = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Log1p(d, hn::Mul(hn::Max(hn::LoadU(d, values + i), zero), f)), d, values + i);
  if (i == count) return;
  HWY_ALIGN float rest[hn::MaxLanes(d)] = {};  // the same arithmetic for the last few: no number depends on its place
  for (std::size_t k = i; k < count; ++k) rest[k - i] = values[k];
  hn::Store(hn::Log1p(d, hn::Mul(hn::Max(hn::Load(d, rest), zero), f)), d, rest);
  for (std::size_t k = i; k < count; ++k) values[k] = rest[k - i];
}

}  // namespace pssc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pssc {

HWY_EXPORT(LogOfOnePlus);

void log_of_one_plus(std::span<float> values, float factor) {
  HWY_DYNAMIC_DISPATCH(LogOfOnePlus)(values.data(), values.size(), factor);
}

}  // namespace pssc
#endif
