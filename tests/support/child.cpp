#include "child.hpp"

#include "image_files.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

namespace pssc::test {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

Child::Child(const std::vector<std::string>& arguments, const std::function<void()>& prepare) {
  std::string name = (fs::temp_directory_path() / "pssc-child-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
  pid_ = fork();
  if (pid_ != 0) return;
  for (const auto& [file, descriptor] : {std::pair{"out", STDOUT_FILENO}, std::pair{"err", STDERR_FILENO}})
    dup2(open((folder_ / file).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), descriptor);
  if (prepare) prepare();
  std::vector<char*> argv{const_cast<char*>("pssc")};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const char* elsewhere = std::getenv("PSSC_COMMAND");
  execv(elsewhere ? elsewhere : PSSC_COMMAND, argv.data());
  _exit(127);
}

Child::~Child() {
  if (!ended()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, &status_, 0);
  }
  fs::remove_all(folder_);
}

bool Child::ended() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

bool Child::wait_until(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + 300s;
  while (std::chrono::steady_clock::now() < until) {
    if (condition()) return true;
    if (ended()) return false;
    std::this_thread::sleep_for(1ms);
  }
  return false;
}

bool Child::wait_for(const fs::path& path) {
  return wait_until([&] { return fs::exists(path); });
}

void Child::signal(int number) const {
  kill(pid_, number);
}

CommandResult Child::wait() {
  if (!ended()) {
    waitpid(pid_, &status_, 0);
    ended_ = true;
  }
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), contents(folder_ / "out"),
          contents(folder_ / "err")};
}

CommandResult run_pssc(const std::vector<std::string>& arguments) {
  return Child(arguments).wait();
}

}  // namespace pssc::test
