#pragma once

#include <pssc/pipeline.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace pssc {

/// Seconds since it was made, and the stages' shares of them; and the bytes that were sent meanwhile.
class StageTimer {
 public:
  explicit StageTimer(Communicator& ranks) : ranks_(ranks) {}
  /// Notes the time since the last call under the stage's name.
  void finish(const std::string& stage) {
    const double now = total();
    times_.push_back({stage, now - last_});
    const Communicator::Counts& all = ranks_.counts;
    traffic_.push_back(
        {stage, all.bytes - before_.bytes, all.messages - before_.messages, all.alone_seconds - before_.alone_seconds});
    before_ = all;
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
  /// Of the rank that sent most during each stage.
  std::vector<StageTraffic> traffic() const {
    std::vector<double> figures;
    for (const StageTraffic& t : traffic_)
      figures.insert(figures.end(), {static_cast<double>(t.bytes), static_cast<double>(t.messages), t.alone_seconds});
    ranks_.largest(figures);
    std::vector<StageTraffic> most = traffic_;
    for (std::size_t i = 0; i < most.size(); ++i)
      most[i] = {most[i].stage, static_cast<std::size_t>(figures[3 * i]), static_cast<std::size_t>(figures[3 * i + 1]),
                 figures[3 * i + 2]};
    return most;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double earlier_ = 0, last_ = 0;
  std::vector<StageTime> times_;
  Communicator& ranks_;
  Communicator::Counts before_ = ranks_.counts;
  std::vector<StageTraffic> traffic_;
};

}  // namespace pssc
