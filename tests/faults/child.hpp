#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pssc::test {

/// The real command, running; its output goes into files.
class Child {
 public:
  struct Ended {
    int code = -1;  ///< the exit code, or 128 + the signal that ended it
    std::string out, err;
  };
  /// `prepare` runs in the child before the command does: to set its limits, for instance.
  explicit Child(const std::vector<std::string>& arguments, const std::function<void()>& prepare = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for a file to be there. False where the command ends before, or after five minutes.
  bool wait_for(const std::filesystem::path& path);
  void signal(int number) const;
  Ended wait();

 private:
  bool ended();

  std::filesystem::path folder_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
};

}  // namespace pssc::test
