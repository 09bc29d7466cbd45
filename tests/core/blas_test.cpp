#include <pssc/core/context.hpp>

#include <cblas.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace pssc {
namespace {

TEST(Blas, AProcessorThatOpenBlasDoesNotKnowGetsKernelsAllTheSame) {
  if (std::getenv("OPENBLAS_CORETYPE")) GTEST_SKIP() << "skipped: OPENBLAS_CORETYPE says which";
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "skipped: an old processor";
  const Context context;
  const std::set<std::string> old{"Prescott", "Nehalem", "Sandybridge"};
  EXPECT_FALSE(old.contains(openblas_get_corename())) << openblas_get_corename();
#endif
}

}  // namespace
}  // namespace pssc
