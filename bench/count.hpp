#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>

namespace pssc {

/// Images and arithmetic operations of one iteration.
inline void count(benchmark::State& state, std::size_t images, double operations) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(images));
  state.counters["flops"] = benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace pssc
