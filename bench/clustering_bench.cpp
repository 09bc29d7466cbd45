// The steps of U-SPEC on 20,000 rows of 1,000 numbers, and exact against approximate neighbours as p grows.
#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>

#include <benchmark/benchmark.h>

namespace pssc {
namespace {

void neighbours(benchmark::State& state) {
  const Context context;
  const auto search = state.range(0) == 0 ? Search::exact : Search::hnsw;
  const FloatMatrix x = test::blobs(5000, 300, 10, 8, 1);
  const FloatMatrix points = test::blobs(static_cast<std::size_t>(state.range(1)), 300, 10, 8, 2);
  for (auto _ : state) benchmark::DoNotOptimize(nearest(context, search, 5, x, points));
  state.SetItemsProcessed(state.iterations() * 5000);
}
BENCHMARK(neighbours)
    ->ArgNames({"hnsw", "points"})
    ->ArgsProduct({{0, 1}, {1000, 4000, 16000}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void representatives(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::blobs(9000, 998, 10, 8, 1);
  const KMeansParams params{.clusters = 1000, .starts = 1, .iterations = 15, .start = KMeansParams::Start::sample};
  for (auto _ : state) benchmark::DoNotOptimize(kmeans(context, params, x));
}
BENCHMARK(representatives)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

void whole_uspec(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::blobs(20000, 998, 10, 8, 1);
  for (auto _ : state) benchmark::DoNotOptimize(uspec(context, {.clusters = 10}, x));
  state.SetItemsProcessed(state.iterations() * 20000);
}
BENCHMARK(whole_uspec)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pssc
