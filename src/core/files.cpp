#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/core/spread.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
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

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  const std::string name = path_.filename().string();
  temporary_ = path_.parent_path() / fmt::format(".{}.unfinished.{}", name, getpid());
  slot_ = register_unfinished(temporary_.string());
  descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    if (slot_ >= 0) unfinished[static_cast<std::size_t>(slot_)].state.store(0);
    throw cannot_write(path_);
  }
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
  const bool synced = durability == Durability::system || fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;
  if (close(descriptor) != 0 || !synced || rename(temporary_.c_str(), path_.c_str()) != 0) throw cannot_write(path_);
  temporary_.clear();
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
  once(context, [&] { file.emplace(path); });
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
