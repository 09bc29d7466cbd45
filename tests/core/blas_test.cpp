#include <pssc/core/context.hpp>

#include <cblas.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

// OpenBLAS's own, by which its kernels are chosen again; not every build has it.
extern "C" __attribute__((weak)) void gotoblas_dynamic_init();

namespace pssc {
namespace {

TEST(Blas, AProcessorThatOpenBlasDoesNotKnowGetsKernelsAllTheSame) {
  if (std::getenv("OPENBLAS_CORETYPE")) GTEST_SKIP() << "skipped: OPENBLAS_CORETYPE says which";
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "skipped: an old processor";
  if (!gotoblas_dynamic_init) GTEST_SKIP() << "skipped: this BLAS's kernels cannot be chosen";
  const Context context;
  const std::set<std::string> old{"Prescott", "Nehalem", "Sandybridge"};
  EXPECT_FALSE(old.contains(openblas_get_corename())) << openblas_get_corename();
#endif
}

}  // namespace
}  // namespace pssc
