#include <pssc/core/parallel.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace pssc {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const unsigned threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> runs(count);
      pool.run(count, [&](std::size_t i) { ++runs[i]; });
      for (const auto& r : runs) EXPECT_EQ(r, 1);
    }
  }
}

TEST(ThreadPool, HandsTheExceptionOfATaskToTheCallerAndGoesOn) {
  ThreadPool pool(3);
  for (int repeat = 0; repeat < 20; ++repeat) {
    EXPECT_THROW(pool.run(100,
                          [](std::size_t i) {
                            if (i == 17) throw std::runtime_error("17");
                          }),
                 std::runtime_error);
    std::atomic<int> runs{0};
    pool.run(10, [&](std::size_t) { ++runs; });
    EXPECT_EQ(runs, 10);
  }
}

TEST(ParallelBlocks, CutDoesNotDependOnTheThreads) {
  for (const unsigned threads : {1, 2, 5}) {
    const Context context(threads);
    std::vector<int> seen(103);
    std::atomic<int> blocks{0};
    parallel_blocks(context, seen.size(), 10, [&](std::size_t begin, std::size_t end) {
      EXPECT_EQ(begin % 10, 0);
      ++blocks;
      for (std::size_t i = begin; i < end; ++i) ++seen[i];
    });
    EXPECT_EQ(blocks, 11);
    EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 103);
  }
}

TEST(ParallelBlocks, AnInterruptStopsTheWorkAndTheContextStaysUsable) {
  for (const unsigned threads : {1, 3}) {
    Context context(threads);
    int calls = 0;
    const auto caller = std::this_thread::get_id();
    context.interrupt = [&] {
      EXPECT_EQ(std::this_thread::get_id(), caller);
      if (++calls == 5) throw std::runtime_error("enough");
    };
    std::atomic<int> done{0};
    const auto work = [&](std::size_t, std::size_t) {
      ++done;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    };
    EXPECT_THROW(parallel_blocks(context, 100'000, 1, work), std::runtime_error);
    EXPECT_LT(done, 100'000);
    context.interrupt = {};
    done = 0;
    parallel_blocks(context, 100, 1, work);
    EXPECT_EQ(done, 100);
  }
}

TEST(ParallelBlocks, ProgressEndsAtTheTotalAndMayCancel) {
  Context context(2);
  std::size_t last = 0;
  context.progress = [&](const Progress& p) { last = p.done; };
  parallel_blocks(context, "work", 95, 10, [](std::size_t, std::size_t) {});
  EXPECT_EQ(last, 95);

  context.progress = [&](const Progress& p) {
    if (p.done > 0) throw std::runtime_error("stop");
  };
  EXPECT_THROW(parallel_blocks(context, "work", 95, 10, [](std::size_t, std::size_t) {}), std::runtime_error);
}

}  // namespace
}  // namespace pssc
