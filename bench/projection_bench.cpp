// Principal components of scattering-sized features: the covariance, its eigenvectors, the projection.
#include "count.hpp"
#include "support/random_matrix.hpp"

#include <pssc/core/linalg.hpp>
#include <pssc/projection.hpp>

#include <benchmark/benchmark.h>

#include <cmath>

namespace pssc {
namespace {

constexpr std::size_t dimension = 3472;

void covariance(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::normal_matrix(4096, dimension, 1);
  const std::vector<float> origin = column_means(context, x);
  for (auto _ : state) {
    Moments moments(dimension, 10, 5000);
    moments.add(context, x, origin);
    benchmark::DoNotOptimize(moments.count());
  }
  count(state, 4096, 4096.0 * dimension * dimension);  // one triangle
}
BENCHMARK(covariance)->UseRealTime()->Unit(benchmark::kMillisecond);

void eigenvectors(benchmark::State& state) {
  const Context context;
  Moments moments(dimension, 10, 5000);
  moments.add(context, test::normal_matrix(5000, dimension, 1), std::vector<float>(dimension));
  Matrix<double> full = moments.covariance();  // of noise; a falling spectrum, as features have it, on top
  for (std::size_t i = 0; i < dimension; ++i)
    for (std::size_t j = 0; j < dimension; ++j) full(i, j) /= std::sqrt(static_cast<double>((i + 1) * (j + 1)));
  for (auto _ : state) {
    Matrix<double> copy = full.copy();
    const auto wanted = static_cast<std::size_t>(state.range(1));
    switch (state.range(0)) {
      case 0:
        benchmark::DoNotOptimize(leading_eigenpairs(copy, wanted));
        break;
      case 1:
        benchmark::DoNotOptimize(leading_eigenpairs(context, copy, wanted));
        break;
      default:
        benchmark::DoNotOptimize(leading_eigenpairs_single(copy, wanted));
    }
  }
}
BENCHMARK(eigenvectors)
    ->ArgNames({"method", "count"})  // 0: LAPACK, 1: Krylov where it pays, 2: LAPACK in single precision
    ->ArgsProduct({{0, 1, 2}, {20, 300, 1000}})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void components(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::normal_matrix(5000, dimension, 1);
  for (auto _ : state) benchmark::DoNotOptimize(fit_pca(context, x, 300));
  count(state, 5000, 5000.0 * dimension * dimension);
}
BENCHMARK(components)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

void logarithm(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::normal_matrix(4096, dimension, 1);
  const Equaliser equaliser{Equalisation::log, 16, std::vector<float>(dimension / 16, 1)};
  for (auto _ : state) {
    state.PauseTiming();
    FloatMatrix copy = x.copy();
    state.ResumeTiming();
    equalise(context, equaliser, copy);
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(logarithm)->UseRealTime()->Unit(benchmark::kMillisecond);

void projection(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::normal_matrix(4096, dimension, 1);
  const Projection to{std::vector<float>(dimension), test::normal_matrix(1000, dimension, 2), {}, 0};
  for (auto _ : state) benchmark::DoNotOptimize(project(context, to, x));
  count(state, 4096, 2.0 * 4096 * dimension * 1000);
}
BENCHMARK(projection)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pssc
