#include "bytes.hpp"

#include "inflate.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/sha256.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace pssc::images {

namespace {

class FileBytes : public Bytes {
 public:
  explicit FileBytes(const std::filesystem::path& path) : where_(shown(path)) {
    // O_NONBLOCK: opening a named pipe must fail below, not wait for its writer.
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) fail();
    struct stat info {};
    if (fstat(descriptor_, &info) != 0) fail();
    if (!S_ISREG(info.st_mode)) {
      ::close(descriptor_);
      throw input_error(fmt::format("{} is not a regular file; give a file or a folder of images", where_));
    }
    size_ = static_cast<std::uint64_t>(info.st_size);
    stamp_ = fmt::format("{} {}.{:09}", size_, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  }
  ~FileBytes() override { ::close(descriptor_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::uint64_t size() const override { return size_; }
  std::string stamp() const override { return stamp_; }

  void read(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    while (!out.empty()) {
      const ssize_t got = pread(descriptor_, out.data(), out.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw input_error(fmt::format("cannot read {}: {}; check the disk", where_, std::strerror(errno)));
      if (got == 0)
        throw input_error(
            fmt::format("{} ends after {} bytes, before what it promises; get a whole copy of it", where_, offset));
      out = out.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
  }

 private:
  [[noreturn]] void fail() {
    const int error = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw input_error(
        fmt::format("cannot open {}: {}; check the path and its permissions", where_, std::strerror(error)));
  }

  std::string where_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::string stamp_;
};

class MemoryBytes : public Bytes {
 public:
  MemoryBytes(std::vector<std::uint8_t> content, std::string where)
      : content_(std::move(content)), where_(std::move(where)) {}

  std::uint64_t size() const override { return content_.size(); }

  void read(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    if (offset > content_.size() || out.size() > content_.size() - offset)
      throw input_error(fmt::format("{} ends after {} bytes, before what it promises; get a whole copy of it", where_,
                                    content_.size()));
    std::copy_n(content_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  }

 private:
  std::vector<std::uint8_t> content_;
  std::string where_;
};

}  // namespace

std::string shown(const std::filesystem::path& path) {
  std::string text = path.string();
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return text;
}

SharedBytes open_file(const std::filesystem::path& path) {
  return std::make_shared<FileBytes>(path);
}

void fetch_ahead(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return;
  posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED);
  ::close(descriptor);
}

SharedBytes from_memory(std::vector<std::uint8_t> content, std::string where) {
  return std::make_shared<MemoryBytes>(std::move(content), std::move(where));
}

SharedBytes open_unfolded(const std::filesystem::path& path, const ImageLimits& limits) {
  SharedBytes file = open_file(path);
  const auto magic = head(*file, 2);
  if (magic.size() < 2 || magic[0] != 0x1f || magic[1] != 0x8b) return file;
  return from_memory(unfold_gzip(*file, shown(path), limits.unfolded), shown(path));
}

std::vector<std::uint8_t> head(const Bytes& bytes, std::size_t count) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes.size())));
  bytes.read(0, out);
  return out;
}

std::vector<std::uint8_t> read_all(const Bytes& bytes, const std::string& where, std::uint64_t limit,
                                   const char* remedy) {
  if (bytes.size() > limit)
    throw input_error(fmt::format("{} is {} bytes long, over the limit of {}; {}", where, bytes.size(), limit, remedy));
  return head(bytes, static_cast<std::size_t>(bytes.size()));
}

std::string sha256_hex(const Bytes& bytes) {
  Sha256 sum;
  std::vector<std::uint8_t> chunk(std::size_t{1} << 18);
  for (std::uint64_t at = 0; at < bytes.size(); at += chunk.size()) {
    const auto part =
        std::span(chunk).first(static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), bytes.size() - at)));
    bytes.read(at, part);
    sum.add(part);
  }
  return sum.hex();
}

}  // namespace pssc::images
