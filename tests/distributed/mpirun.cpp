#include "mpirun.hpp"

#include "support/image_files.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace pssc::test {

namespace fs = std::filesystem;

namespace {

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string own_file() {
  std::string name = (fs::temp_directory_path() / "pssc-ranks-XXXXXX").string();
  const int made = mkstemp(name.data());
  if (made >= 0) close(made);
  return name;
}

/// What the variable of that name says, where it is set: binaries may be checked elsewhere than they were built.
std::string elsewhere(const char* name, const char* built) {
  const char* set = std::getenv(name);
  return set ? set : built;
}

/// The process that started this one.
pid_t parent_of(pid_t process) {
  const std::string stat = read_whole("/proc/" + std::to_string(process) + "/stat");
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string::npos) return 0;
  std::istringstream rest(stat.substr(name_ends + 2));
  char state = ' ';
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
}

}  // namespace

std::vector<std::string> Ended::lines() const {
  std::vector<std::string> own;
  std::istringstream text(err);
  for (std::string line; std::getline(text, line);)
    if (line.starts_with("pssc: ")) own.push_back(line);
  return own;
}

Started::Started(std::size_t ranks, const std::vector<std::string>& arguments) {
  std::vector<std::string> command;
  if (ranks > 0) command = {elsewhere("PSSC_MPIRUN", PSSC_MPIRUN), "--oversubscribe", "-n", std::to_string(ranks)};
  command.push_back(elsewhere("PSSC_COMMAND", PSSC_COMMAND));
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (ranks > 0) command.insert(command.end(), {"--threads", "1"});
  start(command);
}

Started::Started(const std::vector<std::string>& command) {
  start(command);
}

void Started::start(const std::vector<std::string>& command) {
  out_ = own_file();
  err_ = own_file();
  pid_ = fork();
  if (pid_ != 0) return;
  // As root, as in a container, Open MPI wants to be told that this is meant.
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  dup2(open(out_.c_str(), O_WRONLY | O_TRUNC), STDOUT_FILENO);
  dup2(open(err_.c_str(), O_WRONLY | O_TRUNC), STDERR_FILENO);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  std::vector<char*> argv;
  for (const std::string& a : command) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  _exit(127);
}

Started::~Started() {
  if (pid_ > 0) kill(pid_, SIGKILL), waitpid(pid_, nullptr, 0);
  fs::remove(out_);
  fs::remove(err_);
}

pid_t Started::process_of(std::size_t rank) const {
  const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process <= 0 || parent_of(process) != pid_) continue;
    std::istringstream environment(read_whole(entry.path() / "environ"));
    for (std::string variable; std::getline(environment, variable, '\0');)
      if (variable == wanted) return process;
  }
  return 0;
}

bool Started::wait_for(const fs::path& path) {
  for (int i = 0; i < 60'000; ++i) {
    std::error_code ignored;
    if (fs::exists(path, ignored) && fs::file_size(path, ignored) > 0) return true;
    if (pid_ == 0) return false;
    if (waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

Ended Started::wait() {
  if (pid_ > 0) waitpid(pid_, &status_, 0);
  pid_ = 0;
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), read_whole(out_), read_whole(err_)};
}

Ended run_ranks(std::size_t ranks, const std::vector<std::string>& arguments) {
  return Started(ranks, arguments).wait();
}

}  // namespace pssc::test
