// Images a second through the scattering transform, on one thread and on all.
#include "support/random_matrix.hpp"

#include <pssc/scattering.hpp>

#include <benchmark/benchmark.h>

namespace pssc {
namespace {

void scattering(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const ScatteringParams params{size, size, static_cast<std::size_t>(state.range(1)), 8, 2};
  const Context context(static_cast<unsigned>(state.range(2)));
  const FloatMatrix pixels = test::normal_matrix(1024, size * size, 1);
  for (auto _ : state) benchmark::DoNotOptimize(scatter(context, params, pixels));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(pixels.rows()));
}
BENCHMARK(scattering)
    ->ArgNames({"size", "scales", "threads"})
    ->Args({32, 3, 1})
    ->Args({32, 3, 0})
    ->Args({16, 2, 0})
    ->Args({64, 3, 0})
    ->Args({33, 3, 0})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pssc
