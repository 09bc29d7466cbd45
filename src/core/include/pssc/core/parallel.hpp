#pragma once

#include <pssc/core/context.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

namespace pssc {

/// Threads that wait for work. The caller of `run` takes part, so a pool of one starts no thread at all.
class ThreadPool {
 public:
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();

  unsigned size() const;
  /// Calls task(0) .. task(count - 1), each once, in any order, and returns when all are done. The exception of the
  /// lowest-numbered task that threw is thrown again here. A task may not call `run` of the same pool. `on_progress`,
  /// if given, is called now and then on the calling thread with the number of tasks begun.
  void run(std::size_t count, const std::function<void(std::size_t)>& task,
           const std::function<void(std::size_t)>& on_progress = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Cuts [0, n) into blocks of `block` and calls body(begin, end) for each, on the context's threads. The cut does not
/// depend on the number of threads, so a body whose result depends on its block alone gives the same for any number.
template <class Body>
void parallel_blocks(const Context& context, std::size_t n, std::size_t block, Body&& body) {
  const std::size_t count = (n + block - 1) / block;
  std::function<void(std::size_t)> between;
  if (context.interrupt) between = [&](std::size_t) { context.check(); };
  context.pool().run(
      count, [&](std::size_t i) { body(i * block, std::min(n, (i + 1) * block)); }, between);
}

/// The same, reporting progress in units of [0, n) under the stage's name.
template <class Body>
void parallel_blocks(const Context& context, std::string_view stage, std::size_t n, std::size_t block, Body&& body) {
  const std::size_t count = (n + block - 1) / block;
  context.report(stage, 0, n);
  context.pool().run(
      count, [&](std::size_t i) { body(i * block, std::min(n, (i + 1) * block)); },
      [&](std::size_t begun) { context.report(stage, std::min(n, begun * block), n); });
  context.report(stage, n, n);
}

}  // namespace pssc
