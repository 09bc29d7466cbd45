// Images a second through the scattering transform: by threads, and how the cost grows with size, scales and angles.
#include "count.hpp"
#include "support/random_matrix.hpp"

#include <pssc/core/parallel.hpp>
#include <pssc/scattering.hpp>

#include <benchmark/benchmark.h>

namespace pssc {
namespace {

constexpr double operations_of_32_3_8 = 4.4e6;  // an image of 32 x 32, J = 3, L = 8: the least that was found on paper

void scattering(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0)), scales = static_cast<std::size_t>(state.range(1));
  const auto angles = static_cast<std::size_t>(state.range(2));
  const Context context(static_cast<unsigned>(state.range(3)));
  const Scattering transform({size, size, scales, angles, 2});
  const std::size_t images = 64 * 1024 / (size * size / 64) / 16 * 16;  // a whole number of lanes, some tens of ms
  const FloatMatrix pixels = test::normal_matrix(images, size * size, 1);
  FloatMatrix features(images, transform.dimension());
  for (auto _ : state)
    parallel_blocks(context, images, 16, [&](std::size_t begin, std::size_t end) {
      transform.transform(pixels.view().row_range(begin, end), features.view().row_range(begin, end));
    });
  const bool counted = size == 32 && scales == 3 && angles == 8;
  count(state, images, counted ? operations_of_32_3_8 * static_cast<double>(images) : 0);
}
BENCHMARK(scattering)
    ->ArgNames({"size", "scales", "angles", "threads"})
    ->Args({32, 3, 8, 1})
    ->Args({32, 3, 8, 0})
    ->Args({8, 1, 8, 0})  // scales as they are chosen for the size
    ->Args({16, 2, 8, 0})
    ->Args({64, 4, 8, 0})
    ->Args({128, 5, 8, 0})
    ->Args({32, 1, 8, 0})  // scales
    ->Args({32, 2, 8, 0})
    ->Args({32, 4, 8, 0})
    ->Args({32, 3, 4, 0})  // angles
    ->Args({32, 3, 16, 0})
    ->Args({28, 2, 8, 0})  // a length without a transform of its own: 36 points
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pssc
