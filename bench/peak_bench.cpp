// What the machine can do at most: a large single-precision product, cut into blocks over the threads as all stages
// are. Every other benchmark counts its operations, so that its share of this can be told.
#include "support/random_matrix.hpp"

#include <pssc/core/linalg.hpp>

#include <benchmark/benchmark.h>

namespace pssc {
namespace {

void peak(benchmark::State& state) {
  constexpr std::size_t n = 4096;
  const Context context(static_cast<unsigned>(state.range(0)));
  const FloatMatrix a = test::normal_matrix(n, n, 1), b = test::normal_matrix(n, n, 2);
  FloatMatrix c(n, n);
  for (auto _ : state) multiply_transposed(context, a, b, c);
  state.counters["flops"] =
      benchmark::Counter(2.0 * n * n * n, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}
BENCHMARK(peak)->ArgName("threads")->Arg(1)->Arg(0)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pssc
