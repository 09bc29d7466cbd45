#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace pssc::test {

struct Ended {
  int code = -1;  ///< the exit code, or 128 + the signal
  std::string out, err;
  /// Lines of stderr that pssc itself wrote; mpirun adds its own.
  std::vector<std::string> lines() const;
};

/// The real command as so many ranks, on one thread each, and on more ranks than cores; 0 ranks: without mpirun.
class Started {
 public:
  Started(std::size_t ranks, const std::vector<std::string>& arguments);
  /// Any program with its arguments.
  explicit Started(const std::vector<std::string>& command);
  ~Started();
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  pid_t pid() const { return pid_; }
  /// The process of a rank, once it has begun; 0: it is not there.
  pid_t process_of(std::size_t rank) const;
  /// Waits for a file that holds something. False where the ranks end before, or after five minutes.
  bool wait_for(const std::filesystem::path& path);
  Ended wait();

 private:
  void start(const std::vector<std::string>& command);
  pid_t pid_ = 0;
  int status_ = 0;
  std::string out_, err_;  ///< files
};

Ended run_ranks(std::size_t ranks, const std::vector<std::string>& arguments);

}  // namespace pssc::test
