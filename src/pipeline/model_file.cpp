// model.pssc: docs/model.md tells the format. One function lists the contents for both ways, so that they cannot
// differ.
#include "model.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/core/sha256.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>

namespace pssc {

namespace {

static_assert(std::endian::native == std::endian::little, "the file is little-endian");

constexpr std::string_view magic = "PSSCMODL";
constexpr std::uint32_t major_version = 1, minor_version = 0;
constexpr std::size_t digest_length = 64;  // hexadecimal digits of SHA-256, at the end

template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  static constexpr bool reads = false;
  template <Plain T>
  void operator()(const T& value) {
    const auto wide = static_cast<std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>>(value);
    bytes.append(reinterpret_cast<const char*>(&wide), sizeof wide);
  }
  template <class T>
  void array(const T* data, std::size_t count) {
    bytes.append(reinterpret_cast<const char*>(data), count * sizeof(T));
  }
  std::string bytes;
};

class Reader {
 public:
  static constexpr bool reads = true;
  explicit Reader(std::string_view text) : rest_(text) {}
  template <Plain T>
  void operator()(T& value) {
    std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t> wide{};
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
    if (n > rest_.size() / bytes_each) throw input_error("it promises more than it holds");
    return n;
  }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

template <class Archive, class T>
void transfer(Archive& a, std::vector<T>& values) {
  static_assert(Plain<T>);
  if constexpr (Archive::reads)
    values.resize(a.count(sizeof(T)));
  else
    a(values.size());
  a.array(values.data(), values.size());
}

template <class Archive, class T>
void transfer(Archive& a, Matrix<T>& m) {
  std::size_t rows = m.rows(), cols = m.cols();
  a(rows);
  if constexpr (Archive::reads) {
    cols = a.count(sizeof(T));
    if (cols > 0 && rows > (std::size_t{1} << 40) / cols) throw input_error("it promises more than it holds");
    if (cols == 0) rows = 0;
    // Each row is read on its own, so that a lie about their number ends where the file does.
    if (rows > 0) {
      std::vector<T> values;
      for (std::size_t r = 0; r < rows; ++r) {
        values.resize((r + 1) * cols);
        a.array(values.data() + r * cols, cols);
      }
      m = Matrix<T>(rows, cols);
      std::copy(values.begin(), values.end(), m.data());
    } else {
      m = {};
    }
  } else {
    a(cols);
    a.array(m.data(), m.size());
  }
}

template <class Archive, class T, class Body>
void transfer(Archive& a, std::optional<T>& value, Body&& body) {
  bool there = value.has_value();
  a(there);
  if (!there) return;
  if constexpr (Archive::reads) value.emplace();
  body(*value);
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
void transfer(Archive& a, GaussianRule& g) {
  a(g.temperature);
  std::size_t count = g.gaussians.size();
  if constexpr (Archive::reads)
    g.gaussians.resize(a.count(sizeof(double)));
  else
    a(count);
  for (Gaussian& one : g.gaussians) {
    transfer(a, one.whitener);
    transfer(a, one.shift);
    a(one.log_determinant);
  }
}

template <class Archive>
void transfer(Archive& a, ClusterRule& r) {
  a(r.dropped);
  transfer(a, r.whitening);
  transfer(a, r.graph, [&](GraphRule& g) { transfer(a, g); });
  transfer(a, r.centres);
  transfer(a, r.gaussians, [&](GaussianRule& g) { transfer(a, g); });
  a(r.gaussian_dims);
  transfer(a, r.means);
  transfer(a, r.limits);
  transfer(a, r.strays.inverse_variances);
  a(r.strays.limit);
  transfer(a, r.strays.means);
  transfer(a, r.renamed);
  a(r.clusters);
}

template <class Archive>
void transfer(Archive& a, Model::Contents& c) {
  a(c.size), a(c.channels), a(c.features), a(c.scales), a(c.angles), a(c.order);
  a(c.equaliser.kind), a(c.equaliser.path_length);
  transfer(a, c.equaliser.scale);
  transfer(a, c.projection.mean);
  transfer(a, c.projection.directions);
  transfer(a, c.projection.variances);
  a(c.projection.total_variance);
  transfer(a, c.rule);
}

std::string digest(std::string_view bytes) {
  Sha256 sum;
  sum.add({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return sum.hex();
}

/// A checksum guards against damage, not against malice: what is used as an index or a shape must fit.
void require_sound(const Model::Contents& c) {
  const ClusterRule& r = c.rule;
  const std::size_t d = c.projection.directions.rows(), seen = d - std::min(d, r.dropped);
  const auto require = [](bool sound) {
    if (!sound) throw input_error("its parts do not fit together");
  };
  require(d > 0 && c.projection.directions.cols() == c.projection.mean.size() && r.dropped < d);
  require(r.whitening.empty() || (r.whitening.rows() == d && r.whitening.cols() == d && r.dropped == 0));
  require(r.graph || !r.centres.empty() || r.gaussians);
  require(r.clusters > 0 && !r.renamed.empty() && r.limits.size() == r.renamed.size());
  for (const Label l : r.renamed) require(l >= 0 && static_cast<std::size_t>(l) < r.renamed.size());
  require(r.means.empty() || (r.means.rows() == r.renamed.size() && r.means.cols() == d));
  if (!r.strays.inverse_variances.empty())
    require(r.strays.inverse_variances.size() == d && r.strays.means.rows() == r.renamed.size() &&
            r.strays.means.cols() == d);
  if (r.graph) {
    const std::size_t p = r.graph->representatives.rows(), k = r.graph->centres.rows();
    require(r.graph->representatives.cols() == seen && r.graph->eigenvectors.cols() == p && k == r.renamed.size());
    require(r.graph->centres.cols() == r.graph->eigenvectors.rows() && r.graph->shares.rows() == p &&
            r.graph->shares.cols() == k && r.graph->neighbours > 0 && r.graph->neighbours <= p && r.graph->width > 0);
  }
  if (r.centres.rows() > 0) require(r.centres.cols() == seen && r.centres.rows() == r.renamed.size());
  if (!r.gaussians) return;
  require(!r.gaussians->gaussians.empty() && r.gaussians->gaussians.size() <= r.renamed.size());
  require(r.gaussian_dims > 0 && r.gaussian_dims <= d);
  for (const Gaussian& g : r.gaussians->gaussians)
    require(g.whitener.rows() == r.gaussian_dims && g.whitener.cols() == r.gaussian_dims &&
            g.shift.size() == r.gaussian_dims);
}

}  // namespace

std::string Model::bytes() const {
  Writer writer;
  writer.bytes = magic;
  writer(major_version), writer(minor_version);
  transfer(writer, const_cast<Contents&>(*contents_));  // a writer changes nothing
  writer.bytes += digest(writer.bytes);
  return std::move(writer.bytes);
}

void Model::save(const std::filesystem::path& path) const {
  write_file(path, bytes());
}

Model Model::load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error(fmt::format("cannot open {}; check the path and its permissions", path.string()));
  return from_bytes(std::string{std::istreambuf_iterator<char>(file), {}}, path.string());
}

Model Model::from_bytes(std::string_view all, const std::string& name) {
  if (!all.starts_with(magic)) throw input_error(fmt::format("{} is no model; give the model.pssc of a run", name));
  try {
    if (all.size() < magic.size() + digest_length) throw input_error("it ends too early");
    const std::string_view body = all.substr(0, all.size() - digest_length);
    Reader reader(body.substr(magic.size()));
    std::uint32_t major = 0, minor = 0;
    reader(major), reader(minor);
    if (major != major_version || minor > minor_version)
      throw input_error(fmt::format("it is of version {}.{}, and this program reads up to {}.{}", major, minor,
                                    major_version, minor_version));
    if (digest(body) != all.substr(body.size())) throw input_error("its checksum is wrong");
    auto contents = std::make_shared<Contents>();
    transfer(reader, *contents);
    if (!reader.done()) throw input_error("it holds more than a model");
    require_sound(*contents);
    return Model(std::move(contents));
  } catch (const Error& error) {
    throw input_error(fmt::format("cannot use {}: {}; make it anew with pssc cluster -o", name, error.what()));
  }
}

}  // namespace pssc
