#include <pssc/core/parallel.hpp>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace pssc {

namespace {
constexpr std::size_t no_task = std::numeric_limits<std::size_t>::max();
}

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable work_arrived, work_done;
  std::vector<std::thread> workers;
  bool stopping = false;

  // The job at hand; guarded by the mutex but for `next`.
  std::size_t generation = 0, count = 0, busy = 0;
  const std::function<void(std::size_t)>* task = nullptr;
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::size_t error_task = no_task;

  void remember(std::size_t i, std::exception_ptr e) {
    const std::lock_guard lock(mutex);
    if (i < error_task) {
      error_task = i;
      error = std::move(e);
    }
    next.store(count);  // the rest need not begin
  }

  void take_tasks(const std::function<void(std::size_t)>& on_progress) {
    for (std::size_t i; (i = next.fetch_add(1)) < count;) {
      try {
        (*task)(i);
        if (on_progress) on_progress(i + 1);
      } catch (...) {
        remember(i, std::current_exception());
      }
    }
  }

  void work() {
    std::size_t seen = 0;
    std::unique_lock lock(mutex);
    while (true) {
      work_arrived.wait(lock, [&] { return stopping || generation != seen; });
      if (stopping) return;
      seen = generation;
      lock.unlock();
      take_tasks({});
      lock.lock();
      if (--busy == 0) work_done.notify_one();
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_unique<State>()) {
  for (unsigned i = 1; i < threads; ++i) state_->workers.emplace_back([s = state_.get()] { s->work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->work_arrived.notify_all();
  for (auto& worker : state_->workers) worker.join();
}

unsigned ThreadPool::size() const {
  return static_cast<unsigned>(state_->workers.size()) + 1;
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& task,
                     const std::function<void(std::size_t)>& on_progress) {
  State& s = *state_;
  {
    const std::lock_guard lock(s.mutex);
    s.count = count;
    s.task = &task;
    s.next.store(0);
    s.error = nullptr;
    s.error_task = no_task;
    s.busy = s.workers.size();
    ++s.generation;
  }
  s.work_arrived.notify_all();
  s.take_tasks(on_progress);
  std::unique_lock lock(s.mutex);
  s.work_done.wait(lock, [&] { return s.busy == 0; });
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace pssc
