// Numbers to bytes and back, for the files that only we read. One function lists the contents of a thing for both ways,
// so that they cannot differ. Little-endian; numbers are 8 bytes, unsigned or double; arrays as they lie in memory.
// For our own sources.
#pragma once

#include <pssc/core/error.hpp>
#include <pssc/core/matrix.hpp>
#include <pssc/core/sha256.hpp>

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pssc {

static_assert(std::endian::native == std::endian::little, "the files are little-endian");

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// The form a number has in a file.
template <Plain T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

/// Writes to whatever takes bytes: sink(data, size).
template <class Sink>
class WriterTo {
 public:
  static constexpr bool reads = false;
  explicit WriterTo(Sink sink) : sink_(std::move(sink)) {}
  template <Plain T>
  void operator()(const T& value) {
    const auto wide = static_cast<Wide<T>>(value);
    sink_(&wide, sizeof wide);
  }
  template <class T>
  void array(const T* data, std::size_t count) {
    if (count > 0) sink_(data, count * sizeof(T));
  }

 private:
  Sink sink_;
};

class Reader {
 public:
  static constexpr bool reads = true;
  explicit Reader(std::string_view text) : rest_(text) {}
  template <Plain T>
  void operator()(T& value) {
    Wide<T> wide{};
    array(&wide, 1);
    value = static_cast<T>(wide);
  }
  template <class T>
  void array(T* data, std::size_t count) {
    if (count > rest_.size() / sizeof(T)) throw input_error("it ends too early");
    if (count > 0) std::memcpy(data, rest_.data(), count * sizeof(T));
    rest_.remove_prefix(count * sizeof(T));
  }
  /// A count of things of so many bytes, which must still be there: no memory is taken on a file's word alone.
  std::size_t count(std::size_t bytes_each) {
    std::uint64_t n = 0;
    (*this)(n);
    require_left(n, bytes_each);
    return n;
  }
  void require_left(std::uint64_t n, std::size_t bytes_each) const {
    if (n > rest_.size() / bytes_each) throw input_error("it promises more than it holds");
  }
  /// The next so many bytes, by a reader of their own.
  Reader part(std::size_t bytes) {
    require_left(bytes, 1);
    Reader result(rest_.substr(0, bytes));
    rest_.remove_prefix(bytes);
    return result;
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

template <class Archive, class T>
void transfer(Archive& a, std::vector<T>& values) requires Plain<T> {
  if constexpr (Archive::reads)
    values.resize(a.count(sizeof(T)));
  else
    a(values.size());
  a.array(values.data(), values.size());
}

template <class Archive>
void transfer(Archive& a, std::string& text) {
  if constexpr (Archive::reads)
    text.resize(a.count(1));
  else
    a(text.size());
  a.array(text.data(), text.size());
}

/// A list of things that each(thing) transfers.
template <class Archive, class T, class Each>
void transfer(Archive& a, std::vector<T>& things, Each&& each) {
  if constexpr (Archive::reads)
    things.resize(a.count(sizeof(std::uint64_t)));  // the least a thing takes
  else
    a(things.size());
  for (T& thing : things) each(thing);
}

template <class Archive, class T, class Body>
void transfer(Archive& a, std::optional<T>& value, Body&& body) {
  bool there = value.has_value();
  a(there);
  if (!there) return;
  if constexpr (Archive::reads) value.emplace();
  body(*value);
}

template <class Archive, class T>
void transfer(Archive& a, Matrix<T>& m) {
  std::size_t rows = m.rows(), cols = m.cols();
  a(rows);
  if constexpr (Archive::reads) {
    cols = a.count(sizeof(T));
    if (cols == 0) rows = 0;
    if (rows > 0) a.require_left(rows, cols * sizeof(T));
    m = rows > 0 ? Matrix<T>(rows, cols) : Matrix<T>();
    a.array(m.data(), m.size());
  } else {
    a(cols);
    if (m.place() == Place::host)
      a.array(m.data(), m.size());
    else
      a.array(copy_to(Place::host, m.view()).data(), m.size());
  }
}

/// Bytes with their checksum behind them.
inline std::string sealed(std::string bytes) {
  return bytes += sha256_hex(bytes);
}

/// The bytes before the checksum. Throws where it is not theirs.
inline std::string_view unsealed(std::string_view all) {
  constexpr std::size_t digest_length = 64;
  if (all.size() < digest_length) throw input_error("it ends too early");
  const std::string_view body = all.substr(0, all.size() - digest_length);
  if (sha256_hex(body) != all.substr(body.size())) throw input_error("its checksum is wrong");
  return body;
}

}  // namespace pssc
