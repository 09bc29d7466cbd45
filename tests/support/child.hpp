#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pssc::test {

struct CommandResult {
  int code = -1;  ///< the exit code, or 128 + the signal that ended it
  std::string out, err;
};

/// The real command, running; its output goes into files. Where the variable PSSC_COMMAND is set, it names the command:
/// tests may be run elsewhere than they were built.
class Child {
 public:
  /// `prepare` runs in the child before the command does: to set its limits, for instance.
  explicit Child(const std::vector<std::string>& arguments, const std::function<void()>& prepare = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits until something is so. False where the command ends before, or after five minutes.
  bool wait_until(const std::function<bool()>& condition);
  /// Waits until a file is there.
  bool wait_for(const std::filesystem::path& path);
  void signal(int number) const;
  CommandResult wait();

 private:
  bool ended();

  std::filesystem::path folder_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

/// Runs the real command with these arguments and waits for it.
CommandResult run_pssc(const std::vector<std::string>& arguments);

}  // namespace pssc::test
