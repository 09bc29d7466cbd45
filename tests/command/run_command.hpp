#pragma once

#include <string>
#include <vector>

namespace pssc::test {

struct CommandResult {
  int code = -1;  ///< the exit code, or 128 + the signal that ended it
  std::string out, err;
};

/// Runs the real command with these arguments and waits for it.
CommandResult run_pssc(const std::vector<std::string>& arguments);

/// Starts it, sends the signal after so many milliseconds, and waits.
CommandResult run_pssc_and_signal(const std::vector<std::string>& arguments, int signal, int milliseconds);

}  // namespace pssc::test
