// Numbers to bytes and back, for model.pssc and for what a run keeps. One function lists the contents of a thing for
// both ways, so that they cannot differ. Little-endian; numbers are 8 bytes, unsigned or double; arrays as they lie in
// memory.
#pragma once

#include "map.hpp"
#include "model.hpp"

#include <pssc/core/error.hpp>

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

template <class Archive>
void transfer(Archive& a, Equaliser& e) {
  a(e.kind), a(e.path_length);
  transfer(a, e.scale);
}

template <class Archive>
void transfer(Archive& a, Projection& p) {
  transfer(a, p.mean);
  transfer(a, p.directions);
  transfer(a, p.variances);
  a(p.total_variance);
}

template <class Archive>
void transfer(Archive& a, GraphRule& g) {
  a(g.search), a(g.neighbours), a(g.as_published_code), a(g.width);
  transfer(a, g.representatives);
  transfer(a, g.eigenvectors);
  transfer(a, g.centres);
  transfer(a, g.shares);
}

template <class Archive>
void transfer(Archive& a, RidgeRule& r) {
  a(r.width), a(r.temperature);
  transfer(a, r.representatives);
  transfer(a, r.weights);
}

template <class Archive>
void transfer(Archive& a, ClusterRule& r) {
  a(r.dropped);
  transfer(a, r.whitening);
  transfer(a, r.graph, [&](GraphRule& g) { transfer(a, g); });
  transfer(a, r.centres);
  transfer(a, r.ridge, [&](RidgeRule& ridge) { transfer(a, ridge); });
  transfer(a, r.means);
  transfer(a, r.limits);
  transfer(a, r.renamed);
  a(r.clusters);
}

template <class Archive>
void transfer(Archive& a, Ignored& ignored) {
  transfer(a, ignored.changes);
  a(ignored.rotate), a(ignored.flip);
}

template <class Archive>
void transfer(Archive& a, MapRule& map) {
  transfer(a, map.means);
  transfer(a, map.directions);
  transfer(a, map.centres);
  transfer(a, map.radii);
}

template <class Archive>
void transfer(Archive& a, Clustering& c) {
  transfer(a, c.labels);
  transfer(a, c.confidence);
  transfer(a, c.outliers);
  transfer(a, c.distances);
  a(c.clusters);
  transfer(a, c.stability);
  transfer(a, c.eigenvalues);
  transfer(a, c.counts, [&](ClusterCount& count) { a(count.clusters), a(count.score); });
  transfer(a, c.notes, [&](std::string& note) { transfer(a, note); });
}

template <class Archive>
void transfer(Archive& a, ClusterTree& tree) {
  transfer(a, tree.pieces, [&](ClusterTree::Piece& piece) {
    a(piece.size);
    transfer(a, piece.images);
  });
  transfer(a, tree.joins, [&](ClusterTree::Join& join) { a(join.one), a(join.other), a(join.tie); });
}

template <class Archive>
void transfer(Archive& a, CountVerdict& verdict) {
  a(verdict.clear);
  a(verdict.unrestricted);
  transfer(a, verdict.counts, [&](ClusterCount& count) { a(count.clusters), a(count.score); });
}

template <class Archive>
void transfer(Archive& a, Move& move) {
  a(move.change), a(move.size);
}

template <class Archive>
void transfer(Archive& a, RemovedDirection& d) {
  a(d.variance_share);
  transfer(a, d.low, [&](std::string& id) { transfer(a, id); });
  transfer(a, d.high, [&](std::string& id) { transfer(a, id); });
  transfer(a, d.strip);
}

template <class Archive>
void transfer(Archive& a, BrokenImage& b) {
  a(b.index);
  transfer(a, b.id);
  transfer(a, b.reason);
}

template <class Archive>
void transfer(Archive& a, StageTime& t) {
  transfer(a, t.stage);
  a(t.seconds);
}

}  // namespace pssc
