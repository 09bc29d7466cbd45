#pragma once

#include <filesystem>

namespace pssc {

/// A folder taken for this object: whoever changes a run's files takes their folder first. The lock is the system's, on
/// a hidden file, so that it goes with the process, however that ends. Where no file can be made, nobody can change
/// anything, and the lock is granted.
class FolderLock {
 public:
  enum class Use { write, explore };
  /// Throws Error(failed), in words for the user, where another object, of this or another process, has the folder.
  FolderLock(const std::filesystem::path& folder, Use use);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  static constexpr const char* name = ".pssc-lock";

  /// Removes the files of all locks that this process has. Safe inside a signal handler that ends the process.
  static void release_on_signal() noexcept;

 private:
  int slot_ = -1;
};

}  // namespace pssc
