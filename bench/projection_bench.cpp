// Principal components of scattering-sized features: the covariance, its eigenvectors, the projection.
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
    Moments moments(dimension);
    moments.add(context, x, origin);
    benchmark::DoNotOptimize(moments.count());
  }
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(covariance)->UseRealTime()->Unit(benchmark::kMillisecond);

void eigenvectors(benchmark::State& state) {
  const Context context;
  Moments moments(dimension);
  moments.add(context, test::normal_matrix(5000, dimension, 1), std::vector<float>(dimension));
  Matrix<double> full = moments.covariance();  // of noise; a falling spectrum, as features have it, on top
  for (std::size_t i = 0; i < dimension; ++i)
    for (std::size_t j = 0; j < dimension; ++j) full(i, j) /= std::sqrt(static_cast<double>((i + 1) * (j + 1)));
  for (auto _ : state) {
    Matrix<double> copy(dimension, dimension);
    std::copy_n(full.data(), full.size(), copy.data());
    const auto count = static_cast<std::size_t>(state.range(1));
    benchmark::DoNotOptimize(state.range(0) ? leading_eigenpairs(context, copy, count)
                                            : leading_eigenpairs(copy, count));
  }
}
BENCHMARK(eigenvectors)
    ->ArgNames({"krylov", "count"})
    ->ArgsProduct({{0, 1}, {20, 300}})
    ->Args({0, 1000})
    ->Iterations(1)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void projection(benchmark::State& state) {
  const Context context;
  const FloatMatrix x = test::normal_matrix(4096, dimension, 1);
  const Projection to{std::vector<float>(dimension), test::normal_matrix(1000, dimension, 2), {}, 0};
  for (auto _ : state) benchmark::DoNotOptimize(project(context, to, x));
  state.SetItemsProcessed(state.iterations() * 4096);
}
BENCHMARK(projection)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pssc
