#include <pssc/core/error.hpp>
#include <pssc/core/folder_lock.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace pssc {

namespace {

/// What a signal handler can reach. The name is known here before the file is made, so that no moment is left in which
/// a signal finds it on the disk and not here: a slot is free (0), being filled (1) or named (2).
struct Held {
  std::atomic<int> state{0};
  std::array<char, 4096> path{};
  std::atomic<int> file{-1};  ///< once it is open
};
std::array<Held, 16> all_held;

int take_slot(const std::string& path) {
  for (std::size_t i = 0; i < all_held.size(); ++i) {
    int free = 0;
    if (path.size() >= all_held[i].path.size() || !all_held[i].state.compare_exchange_strong(free, 1)) continue;
    std::memcpy(all_held[i].path.data(), path.c_str(), path.size() + 1);
    all_held[i].state.store(2);
    return static_cast<int>(i);
  }
  throw run_error(path + ": too many folders are written to at once, or its name is too long");
}

enum class Answer { ours, anothers, removed };

/// Locks the open file, unless somebody else has it, or it is no longer the one at that path. A file system without
/// locks gives everybody what they ask for. Safe inside a signal handler.
Answer try_lock(int file, const char* path) {
  if (::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return Answer::anothers;
  struct stat mine {
  }, there{};
  const bool same = ::fstat(file, &mine) == 0 && ::lstat(path, &there) == 0 && mine.st_ino == there.st_ino;
  return same ? Answer::ours : Answer::removed;
}

bool no_file_can_be_made(int error) {
  return error == EACCES || error == EPERM || error == EROFS || error == ENOSPC || error == EDQUOT;
}

Error refusal(int file, const std::filesystem::path& folder) {
  char use = 'w';  // what the one that has it wrote there
  const bool exploring = ::pread(file, &use, 1, 0) == 1 && use == 'e';
  return run_error(folder.string() + (exploring
                                          ? " is being explored already; close that one first"
                                          : " is being written by another run; wait for it, or name another folder "
                                            "with -o"));
}

}  // namespace

/// Whoever releases the lock removes its file: whoever waited at it then holds a file that nobody else sees, and looks
/// again.
FolderLock::FolderLock(const std::filesystem::path& folder, Use use) {
  const std::filesystem::path path = folder / name;
  slot_ = take_slot(path.string());
  Held& held = all_held[static_cast<std::size_t>(slot_)];
  const auto let_go = [&] {
    if (const int file = held.file.exchange(-1); file >= 0) ::close(file);
  };
  try {
    for (;;) {
      held.file.store(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
      if (held.file.load() < 0) {
        if (no_file_can_be_made(errno)) return;
        throw run_error(fmt::format("cannot lock {}: {}", folder.string(), std::strerror(errno)));
      }
      const Answer answer = try_lock(held.file.load(), path.c_str());
      if (answer == Answer::anothers) throw refusal(held.file.load(), folder);
      if (answer == Answer::ours) break;
      let_go();
    }
    static_cast<void>(!::pwrite(held.file.load(), use == Use::explore ? "e" : "w", 1, 0));
  } catch (...) {
    let_go();
    held.state.store(0);
    throw;
  }
}

FolderLock::~FolderLock() {
  Held& held = all_held[static_cast<std::size_t>(slot_)];
  if (const int file = held.file.exchange(-1); file >= 0) {
    ::unlink(held.path.data());
    ::close(file);
  }
  held.state.store(0);
}

void FolderLock::release_on_signal() noexcept {
  for (Held& held : all_held) {
    if (held.state.load() != 2) continue;
    int file = held.file.load();
    if (file < 0) file = ::open(held.path.data(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);  // made, and not yet noted
    if (file >= 0 && try_lock(file, held.path.data()) == Answer::ours) ::unlink(held.path.data());
  }
}

}  // namespace pssc
