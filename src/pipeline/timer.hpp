#pragma once

#include <pssc/pipeline.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace pssc {

/// Seconds since it was made, and the stages' shares of them.
class StageTimer {
 public:
  /// Notes the time since the last call under the stage's name.
  void finish(const std::string& stage) {
    const double now = total();
    times_.push_back({stage, now - last_});
    last_ = now;
  }
  /// Stages that an earlier process has done count as if they had been done here.
  void restore(std::vector<StageTime> times) {
    times_ = std::move(times);
    earlier_ = 0;
    for (const StageTime& t : times_) earlier_ += t.seconds;
    last_ = earlier_;
  }
  double total() const {
    return earlier_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  const std::vector<StageTime>& times() const { return times_; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double earlier_ = 0, last_ = 0;
  std::vector<StageTime> times_;
};

}  // namespace pssc
