// The steps of the clustering on features of 300 dimensions, and exact against approximate neighbours as p grows.
#include "count.hpp"
#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>

#include <benchmark/benchmark.h>

namespace pssc {
namespace {

constexpr std::size_t dims = 300;

void neighbours(benchmark::State& state) {
  const Context context;
  const auto search = state.range(0) == 0 ? Search::exact : Search::hnsw;
  const auto p = static_cast<std::size_t>(state.range(1));
  const FloatMatrix x = test::blobs(5000, dims, 10, 8, 1), points = test::blobs(p, dims, 10, 8, 2);
  for (auto _ : state) benchmark::DoNotOptimize(nearest(context, search, 5, x, points));
  count(state, 5000, search == Search::exact ? 2.0 * 5000 * dims * static_cast<double>(p) : 0);
}
BENCHMARK(neighbours)
    ->ArgNames({"hnsw", "points"})
    ->ArgsProduct({{0, 1}, {1000, 4000, 16000}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void representatives(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::blobs(20000, dims, 10, 8, 1);
  const KMeansParams params{.clusters = 4000, .starts = 1, .iterations = 15, .start = KMeansParams::Start::sample};
  for (auto _ : state) benchmark::DoNotOptimize(kmeans(context, params, x));
  count(state, 20000, 16 * 2.0 * 20000 * 4000 * dims);  // as if no centre ever rested: the share may exceed 1
}
BENCHMARK(representatives)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

void transfer_cut(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::blobs(20000, dims, 10, 8, 1), points = test::blobs(4000, dims, 10, 8, 2);
  for (auto _ : state) benchmark::DoNotOptimize(reduce_graph(context, {}, x, points.copy(), 31));
  state.SetItemsProcessed(state.iterations() * 20000);
}
BENCHMARK(transfer_cut)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

void ridge_fit(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::blobs(20000, dims, 10, 3, 1);
  for (auto _ : state)
    benchmark::DoNotOptimize(RidgeRegression(context, {}, x, 10).refine(test::remainders(20000, 10)));
  count(state, 20000, 20000.0 * 2 * 2000 * (dims + 2.5 * 2000));
}
BENCHMARK(ridge_fit)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

void ridge_placing(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::blobs(20000, dims, 10, 3, 1);
  const RidgeRule rule = RidgeRegression(context, {.rounds = 1}, x, 10).refine(test::remainders(20000, 10)).rule;
  for (auto _ : state) benchmark::DoNotOptimize(rule.place(context, x));
  count(state, 20000, 20000.0 * 2 * 2000 * (dims + 10));
}
BENCHMARK(ridge_placing)->UseRealTime()->Unit(benchmark::kMillisecond);

void whole_uspec(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::blobs(5000, dims, 10, 8, 1);
  for (auto _ : state) benchmark::DoNotOptimize(uspec(context, {.clusters = 10}, x));
  state.SetItemsProcessed(state.iterations() * 5000);
}
BENCHMARK(whole_uspec)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pssc
