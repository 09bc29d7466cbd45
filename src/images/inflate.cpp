#include "inflate.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace pssc::images {

namespace {

constexpr int raw_window = -MAX_WBITS;
constexpr int gzip_window = MAX_WBITS + 16;

Error damaged(const std::string& where, const char* how) {
  return input_error(fmt::format("{} is {}: it cannot be unfolded; get a whole copy of it", where, how));
}

/// A zlib stream fed from a range of bytes and drained into a vector that grows.
class Inflater {
 public:
  Inflater(const Bytes& source, std::uint64_t offset, std::uint64_t size, int window, std::string where)
      : source_(source), offset_(offset), left_(size), where_(std::move(where)), input_(1 << 18), output_(1 << 18) {
    if (inflateInit2(&stream_, window) != Z_OK) throw run_error("zlib refuses to start; free some memory");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Appends to `out` until it holds `wanted` bytes or the stream ends; true where the stream ended.
  bool append(std::vector<std::uint8_t>& out, std::uint64_t wanted) {
    while (out.size() < wanted) {
      refill();
      stream_.next_out = output_.data();
      stream_.avail_out = static_cast<uInt>(std::min<std::uint64_t>(wanted - out.size(), output_.size()));
      const int code = inflate(&stream_, Z_NO_FLUSH);
      out.insert(out.end(), output_.data(), stream_.next_out);
      if (code == Z_STREAM_END) return true;
      if (code == Z_BUF_ERROR && exhausted()) throw damaged(where_, "truncated");
      if (code != Z_OK && code != Z_BUF_ERROR) throw damaged(where_, "damaged");
    }
    return false;
  }

  /// Whether another member follows; begins it. Zeros after the last member are padding.
  bool next_member() {
    for (;;) {
      refill();
      if (exhausted()) return false;
      if (*stream_.next_in != 0) break;
      ++stream_.next_in;
      --stream_.avail_in;
    }
    inflateReset(&stream_);
    return true;
  }

 private:
  bool exhausted() const { return stream_.avail_in == 0 && left_ == 0; }

  void refill() {
    if (stream_.avail_in > 0 || left_ == 0) return;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input_.size()));
    source_.read(offset_, std::span(input_).first(count));
    offset_ += count;
    left_ -= count;
    stream_.next_in = input_.data();
    stream_.avail_in = static_cast<uInt>(count);
  }

  const Bytes& source_;
  std::uint64_t offset_, left_;
  std::string where_;
  std::vector<std::uint8_t> input_, output_;
  z_stream stream_{};
};

/// What the last four bytes say the content's length is (modulo 2^32), as far as deflate's best ratio makes it
/// credible.
std::uint64_t likely_size(const Bytes& file) {
  if (file.size() < 18) return 0;
  std::uint8_t tail[4];
  file.read(file.size() - 4, tail);
  const std::uint64_t said = tail[0] | tail[1] << 8 | tail[2] << 16 | std::uint64_t{tail[3]} << 24;
  return std::min(said, file.size() * 1032);
}

}  // namespace

std::vector<std::uint8_t> unfold_gzip(const Bytes& file, const std::string& where, std::uint64_t limit) {
  Inflater inflater(file, 0, file.size(), gzip_window, where);
  std::vector<std::uint8_t> out;
  limit = std::min(limit, UINT64_MAX - 1);
  out.reserve(static_cast<std::size_t>(std::min(likely_size(file), limit)) + 1);
  do {
    // One byte past the limit, so that exactly the limit still sees the stream's end.
    if (!inflater.append(out, limit + 1) || out.size() > limit)
      throw input_error(
          fmt::format("{} unfolds to more than the limit of {} bytes; unfold it with gunzip, or raise the limit with "
                      "--max-unfolded",
                      where, limit));
  } while (inflater.next_member());
  return out;
}

std::vector<std::uint8_t> unfold_deflate(const Bytes& file, std::uint64_t offset, std::uint64_t packed_size,
                                         std::uint64_t wanted, const std::string& where) {
  Inflater inflater(file, offset, packed_size, raw_window, where);
  std::vector<std::uint8_t> out;
  out.reserve(static_cast<std::size_t>(std::min(wanted, packed_size * 1032)));
  inflater.append(out, wanted);
  if (out.size() < wanted) throw damaged(where, "damaged");
  return out;
}

}  // namespace pssc::images
