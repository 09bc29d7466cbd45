#pragma once

#include <pssc/core/communicator.hpp>
#include <pssc/core/place.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pssc {

class ThreadPool;
class OneBlasThread;

/// One step forward of a stage. `total` is 0 where the end is not known.
struct Progress {
  std::string_view stage;
  std::size_t done = 0;
  std::size_t total = 0;
};

/// Called from the thread that called the library, never from two at once. It may throw to cancel the run.
using ProgressCallback = std::function<void(const Progress&)>;

/// What a run computes with.
enum class Device {
  cpu,
  cuda,  ///< an NVIDIA GPU; images are read, and what is small is computed, on the processor
};

/// Of the names cpu, cuda, and auto: cuda where a GPU can be used and has memory free for a run, else cpu. Throws
/// Error(usage) for another name, Error(failed) where cuda is asked for and cannot be had.
Device device_named(const std::string& name);

/// Where and how a run happens; what is computed stands in the parameters. The same seed gives the same result for any
/// number of threads and, on the processor, of ranks.
///
/// In a run of several ranks each holds a part of the rows, and stages that learn from rows learn from those of all
/// ranks: see spread.hpp. What every rank holds whole is worked on with the context `alone`.
class Context {
 public:
  static constexpr std::size_t default_memory = std::size_t{2} << 30;

  /// 0 threads: one per core. Throws Error(failed) where there is no such device; see find_accelerator.
  explicit Context(unsigned threads = 0, std::uint64_t seed = 0, Device device = Device::cpu);
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  unsigned threads() const;
  std::uint64_t seed() const { return seed_; }
  ThreadPool& pool() const { return *pool_; }
  Device device() const { return device_; }
  /// Where the many rows of a run are to lie, so that its device can work on them.
  Place place() const { return device_ == Device::cuda ? Place::device : Place::host; }

  /// The ranks that share the work; one unless set.
  Communicator& ranks() const { return *ranks_; }
  void set_ranks(std::shared_ptr<Communicator> ranks) { ranks_ = std::move(ranks); }
  /// The same threads as the only rank.
  Context alone() const;
  /// The same ranks, and the processor to compute with.
  Context on_host() const;
  /// The same in all but the random numbers: those of repetition `number` of a step.
  Context reseeded(std::uint64_t number) const;

  std::size_t memory = default_memory;  ///< bytes the run may hold
  ProgressCallback progress;            ///< may be empty
  /// May be empty. Called as often as every few milliseconds, from the thread that called the library and never from
  /// two at once; it throws to stop the run.
  std::function<void()> interrupt;

  void report(std::string_view stage, std::size_t done, std::size_t total) const {
    check();
    if (progress) progress({stage, done, total});
  }

  void check() const {
    if (interrupt) interrupt();
  }

 private:
  Context(const Context&);

  std::shared_ptr<OneBlasThread> blas_;
  std::shared_ptr<ThreadPool> pool_;
  std::shared_ptr<Communicator> ranks_;
  std::uint64_t seed_ = 0;
  Device device_ = Device::cpu;
};

}  // namespace pssc
