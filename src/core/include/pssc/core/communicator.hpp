#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pssc {

/// What the ranks of a run say to each other. This one is the only rank of its run; src/distributed has one for MPI.
/// All ranks call the same functions in the same order, each from one thread.
class Communicator {
 public:
  using Bytes = std::vector<std::byte>;

  virtual ~Communicator() = default;
  virtual std::size_t rank() const { return 0; }
  virtual std::size_t ranks() const { return 1; }

  /// The sums over all ranks, on all ranks. Of whole numbers, so that they do not depend on the order: see Grid.
  virtual void sum(std::span<std::int64_t>) {}
  /// The same on rank 0 alone: half the traffic.
  virtual void sum_at_first(std::span<std::int64_t>) {}
  /// The largest of all ranks, on all ranks.
  virtual void largest(std::span<double>) {}
  /// What rank `from` holds, to all.
  virtual void broadcast(std::span<std::byte>, std::size_t /*from*/) {}
  /// What each rank holds, by rank: on all ranks, or on rank 0 alone.
  virtual std::vector<Bytes> gather(std::span<const std::byte> mine) { return {Bytes(mine.begin(), mine.end())}; }
  virtual std::vector<Bytes> gather_at_first(std::span<const std::byte> mine) { return gather(mine); }
  /// to[r] goes to rank r; returns what came from each.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> to) { return to; }
  virtual void barrier() {}

  /// What this rank has done of it so far.
  struct Counts {
    std::size_t bytes = 0;     ///< handed over, each message counted once
    std::size_t messages = 0;  ///< times that all ranks spoke
    double alone_seconds = 0;  ///< that rank 0 worked and the others waited for it
  };
  Counts counts;
};

}  // namespace pssc
