// Loaded before the command: what it writes to the file that PSSC_TEST_FULL names, or to its unfinished neighbour,
// finds the disk full.
#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

extern "C" __attribute__((visibility("default"))) ssize_t write(int descriptor, const void* bytes, size_t size) {
  static const auto real = reinterpret_cast<ssize_t (*)(int, const void*, size_t)>(dlsym(RTLD_NEXT, "write"));
  const char* full = std::getenv("PSSC_TEST_FULL");
  if (full != nullptr) {
    std::error_code error;
    const std::filesystem::path file(full),
        written = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), error);
    const std::string neighbour = "." + file.filename().string() + ".unfinished.";
    if (written.parent_path() == file.parent_path() && written.filename().string().starts_with(neighbour)) {
      errno = ENOSPC;
      return -1;
    }
  }
  return real(descriptor, bytes, size);
}
