#include "run_command.hpp"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace pssc::test {

namespace {

struct Pipe {
  std::array<int, 2> ends{};
  Pipe() {
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  }
};

std::string drain(int out, int err, std::string& err_text) {
  std::string out_text;
  std::array<pollfd, 2> fds{pollfd{out, POLLIN, 0}, pollfd{err, POLLIN, 0}};
  std::array<char, 4096> buffer{};
  for (int open = 2; open > 0;) {
    poll(fds.data(), fds.size(), -1);
    for (pollfd& fd : fds) {
      if (fd.fd < 0 || (fd.revents & (POLLIN | POLLHUP)) == 0) continue;
      const ssize_t n = read(fd.fd, buffer.data(), buffer.size());
      if (n <= 0) {
        fd.fd = -1;
        --open;
      } else {
        (fd.fd == out ? out_text : err_text).append(buffer.data(), static_cast<std::size_t>(n));
      }
    }
  }
  return out_text;
}

}  // namespace

CommandResult run_pssc_and_signal(const std::vector<std::string>& arguments, int signal, int milliseconds) {
  Pipe out, err;
  const pid_t child = fork();
  if (child == 0) {
    dup2(out.ends[1], STDOUT_FILENO);
    dup2(err.ends[1], STDERR_FILENO);
    for (const int fd : {out.ends[0], out.ends[1], err.ends[0], err.ends[1]}) close(fd);
    std::vector<char*> argv{const_cast<char*>("pssc")};
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    const char* elsewhere = std::getenv("PSSC_COMMAND");
    execv(elsewhere ? elsewhere : PSSC_COMMAND, argv.data());
    _exit(127);
  }
  close(out.ends[1]);
  close(err.ends[1]);
  if (signal != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    kill(child, signal);
  }
  CommandResult result;
  result.out = drain(out.ends[0], err.ends[0], result.err);
  close(out.ends[0]);
  close(err.ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

CommandResult run_pssc(const std::vector<std::string>& arguments) {
  return run_pssc_and_signal(arguments, 0, 0);
}

}  // namespace pssc::test
