#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/core/spread.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <regex>
#include <string_view>
#include <utility>

namespace pssc {

namespace {

// Names of unfinished files, where a signal handler can reach them: a slot is free (0), being filled (1) or ready (2).
struct Unfinished {
  std::atomic<int> state{0};
  std::array<char, 4096> path{};
};
std::array<Unfinished, 16> unfinished;

int register_unfinished(const std::string& path) {
  for (std::size_t i = 0; i < unfinished.size(); ++i) {
    int expected = 0;
    if (path.size() < unfinished[i].path.size() && unfinished[i].state.compare_exchange_strong(expected, 1)) {
      std::memcpy(unfinished[i].path.data(), path.c_str(), path.size() + 1);
      unfinished[i].state.store(2);
      return static_cast<int>(i);
    }
  }
  return -1;  // not removed by a signal, but still by the destructor
}

Error cannot_write(const std::filesystem::path& path) {
  return run_error("cannot write " + path.string() + ": " + std::strerror(errno) +
                   "; check the disk's space and the folder's permissions");
}

/// Where a path leads through links, also where nothing is there yet.
struct Destination {
  std::filesystem::path path;
  bool descriptor = false;  ///< by way of a file that a process has open, as /dev/stdout leads
};

Destination follow_links(std::filesystem::path path) {
  constexpr int longest = 40;  // as the system has it
  bool descriptor = false;
  std::error_code error;
  for (int i = 0; i < longest && std::filesystem::is_symlink(path, error); ++i) {
    descriptor =
        descriptor ||
        std::filesystem::canonical(std::filesystem::absolute(path).parent_path(), error).string().starts_with("/proc/");
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  if (std::filesystem::is_symlink(path, error))
    throw input_error(path.string() + " is a link that goes round; name a file");
  return {path, descriptor};
}

/// What cannot be replaced as a whole, a pipe or a terminal for instance, is written as the bytes come.
bool is_written_directly(const std::filesystem::path& path, bool descriptor) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0 || S_ISDIR(about.st_mode)) return false;
  if (S_ISBLK(about.st_mode) || S_ISSOCK(about.st_mode))
    throw usage_error(path.string() + " is a disk or a socket; name a file");
  return descriptor || !S_ISREG(about.st_mode);
}

/// A rename is on the disk once its folder is. Some file systems cannot be asked for that.
bool sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES;
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  ::close(descriptor);
  return synced;
}

}  // namespace

std::filesystem::path unfinished_neighbour(const std::filesystem::path& path) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) throw run_error("the system gives no random bytes");
  return path.parent_path() / fmt::format(".{}.unfinished.{}.{:016x}", path.filename().string(), getpid(), number);
}

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  const Destination end = follow_links(path_);
  stream_ = is_written_directly(path_, end.descriptor);
  if (stream_) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) throw cannot_write(path_);
    return;
  }
  path_ = end.path;
  temporary_ = unfinished_neighbour(path_);
  slot_ = register_unfinished(temporary_.string());
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    const Error error = cannot_write(path_);
    if (slot_ >= 0) unfinished[static_cast<std::size_t>(slot_)].state.store(0);
    throw error;
  }
  // Whom the file before did not let read it may not read this one.
  struct stat before {};
  if (::stat(path_.c_str(), &before) == 0) static_cast<void>(!::fchmod(descriptor_, before.st_mode & 0777));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
  if (slot_ >= 0) unfinished[static_cast<std::size_t>(slot_)].state.store(0);
}

void OutputFile::write(const void* bytes, std::size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw cannot_write(path_);
    at += written;
    size -= static_cast<std::size_t>(written);
  }
}

void OutputFile::commit(Durability durability) {
  const int descriptor = std::exchange(descriptor_, -1);
  const bool to_disk = durability == Durability::disk;
  const bool synced = !to_disk || fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  if (close(descriptor) != 0 || !synced) throw cannot_write(path_);
  if (stream_) return;
  if (rename(temporary_.c_str(), path_.c_str()) != 0) throw cannot_write(path_);
  temporary_.clear();
  if (to_disk && !sync_folder(path_.parent_path())) throw cannot_write(path_);
}

bool OutputFile::is_unfinished(const std::filesystem::path& path) {
  static const std::regex form(R"(\..+\.unfinished\.\d+\.[0-9a-f]{16})");
  std::error_code error;
  return std::regex_match(path.filename().string(), form) &&
         std::filesystem::is_regular_file(std::filesystem::symlink_status(path, error));
}

void OutputFile::remove_unfinished() noexcept {
  for (auto& file : unfinished)
    if (file.state.load() == 2) unlink(file.path.data());
}

namespace {

void write_at(const std::filesystem::path& path, std::size_t offset, std::string_view bytes) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  while (descriptor >= 0 && !bytes.empty()) {
    const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    offset += static_cast<std::size_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (descriptor < 0 || !bytes.empty() || fsync(descriptor) != 0) {
    const Error error = cannot_write(path);
    if (descriptor >= 0) close(descriptor);
    throw error;
  }
  close(descriptor);
}

}  // namespace

void write_parts(const Context& context, const std::filesystem::path& path, const std::string& part) {
  if (context.ranks().ranks() == 1) return write_file(path, part);
  std::optional<OutputFile> file;
  once(context, [&] {
    file.emplace(path);
    if (file->is_stream())
      throw usage_error(path.string() + " is no file, and ranks write at many places at once; name a file");
  });
  std::string temporary = file ? file->temporary().string() : "";
  broadcast(context, temporary);
  const RowShare share = share_of_rows(context, part.size());
  std::string failure;
  try {
    write_at(temporary, share.first, part);
  } catch (const Error& error) {
    failure = error.what();
  }
  // Whoever could not write tells the first.
  const std::vector<std::string> failures = gather_at_first(context, std::vector<std::string>{failure});
  once(context, [&] {
    for (const std::string& f : failures)
      if (!f.empty()) throw run_error(f);
    file->commit();
  });
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void require_writable_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder) || access(folder.c_str(), W_OK | X_OK) != 0)
    throw input_error("cannot write into " + folder.string() + ": " +
                      (error ? error.message() : std::string(std::strerror(errno ? errno : ENOTDIR))) +
                      "; name another output folder with -o");
}

std::string npy_header(const std::string& descr, const std::vector<std::size_t>& shape) {
  std::string dims;
  for (const std::size_t n : shape) dims += std::to_string(n) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) dims.resize(dims.size() - 2);
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + dims + "), }";
  constexpr std::size_t prefix = 10, alignment = 64;
  text.append(alignment - (prefix + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace pssc
