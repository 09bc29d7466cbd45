#pragma once

#include <pssc/core/context.hpp>

#include <chrono>
#include <string>

namespace pssc::command {

/// One line on stderr that is written over as a stage goes on: what is done, how fast, how long still. Silent where
/// stderr is not a terminal. Copies share nothing; the library holds one.
class ProgressLine {
 public:
  static bool wanted();  ///< stderr is a terminal
  static void clear();   ///< leaves an empty line for what is printed next
  void operator()(const Progress& progress);

 private:
  using Clock = std::chrono::steady_clock;
  std::string stage_;
  Clock::time_point stage_began_, last_shown_;
};

/// 12,345 for 12345.
std::string with_commas(std::size_t value);

}  // namespace pssc::command
