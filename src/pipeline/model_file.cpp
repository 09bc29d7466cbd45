// model.pssc: docs/model.md tells the format.
#include "archive.hpp"

#include <pssc/core/files.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace pssc {

namespace {

constexpr std::string_view magic = "PSSCMODL";
// A program reads the major versions up to its own, and a model is of the lowest that says all about it.
constexpr std::uint32_t oldest_version = 2, major_version = 3, minor_version = 0;

template <class Archive>
void transfer(Archive& a, Model::Contents& c) {
  a(c.size), a(c.channels), a(c.features), a(c.scales), a(c.angles), a(c.order);
  a(c.zoom);
  transfer(a, c.ignored);
  transfer(a, c.equaliser);
  transfer(a, c.projection);
  transfer(a, c.rule);
}

// ---- sections: what minor versions have added behind the rule, each with its name and its length, so that a program
// which does not know one can pass over it --------------------------------------------------------------------------

constexpr std::string_view names_section = "NAMES   ", contrast_section = "CONTRAST", unframed_section = "UNFRAMED";

template <class Archive>
void write_section(Archive& a, std::string_view name, const std::string& content) {
  a.array(name.data(), name.size());
  a(content.size());
  a.array(content.data(), content.size());
}

/// A program that passed over how images are prepared would misplace them, hence a major version of its own.
std::uint32_t version_of(const Model::Contents& c) {
  return c.contrast == Contrast::none && c.frame == Frame::black ? oldest_version : major_version;
}

std::string names_content(const std::vector<std::string>& names) {
  std::string content;
  WriterTo writer([&](const void* bytes, std::size_t size) { content.append(static_cast<const char*>(bytes), size); });
  transfer(writer, const_cast<std::vector<std::string>&>(names), [&](std::string& name) { transfer(writer, name); });
  return content;
}

void read_sections(Reader& reader, Model::Contents& c) {
  while (!reader.done()) {
    std::string name(names_section.size(), ' ');
    reader.array(name.data(), name.size());
    Reader section = reader.part(reader.count(1));
    if (name == names_section) transfer(section, c.names, [&](std::string& text) { transfer(section, text); });
    if (name == contrast_section) c.contrast = Contrast::local;
    if (name == unframed_section) c.frame = Frame::none;
  }
}

void require(bool sound) {
  if (!sound) throw input_error("its parts do not fit together");
}

void require_sound_features(const Model::Contents& c) {
  constexpr std::size_t largest_canvas = 16384;
  const std::size_t dimension = c.projection.mean.size(), path = c.equaliser.path_length;
  require(c.size > 0 && c.size <= largest_canvas && (c.channels == 1 || c.channels == 3));
  require(c.features == Features::scattering || c.features == Features::pixels);
  const Equalisation kind = c.equaliser.kind;
  require(c.zoom > 0 && c.zoom <= c.size);
  for (const Change change : c.ignored.changes) require(change >= Change::shift && change <= Change::background);
  require(kind == Equalisation::none || kind == Equalisation::maxnorm || kind == Equalisation::log);
  if (kind != Equalisation::none)
    require(path > 0 && dimension % path == 0 && c.equaliser.scale.size() == dimension / path);
}

/// A checksum guards against damage, not against malice: what is used as an index or a shape must fit.
void require_sound(const Model::Contents& c) {
  const ClusterRule& r = c.rule;
  const std::size_t d = c.projection.directions.rows(), seen = d - std::min(d, r.dropped);
  require_sound_features(c);
  require(d > 0 && c.projection.directions.cols() == c.projection.mean.size() && r.dropped < d);
  require(r.whitening.empty() || (r.whitening.rows() == seen && r.whitening.cols() == seen));
  require(r.graph || !r.centres.empty() || r.ridge);
  require(c.names.empty() || c.names.size() == r.clusters);
  require(r.clusters > 0 && r.clusters <= r.renamed.size() && r.limits.size() == r.renamed.size());
  for (const Label l : r.renamed) require(l >= 0 && static_cast<std::size_t>(l) < r.renamed.size());
  require(r.means.empty() || (r.means.rows() == r.renamed.size() && r.means.cols() == seen));
  if (r.graph) {
    const std::size_t p = r.graph->representatives.rows(), k = r.graph->centres.rows();
    require(r.graph->search == Search::exact || r.graph->search == Search::hnsw);
    require(r.graph->representatives.cols() == seen && r.graph->eigenvectors.cols() == p && k == r.renamed.size());
    require(r.graph->centres.cols() == r.graph->eigenvectors.rows() && r.graph->shares.rows() == p &&
            r.graph->shares.cols() == k && r.graph->neighbours > 0 && r.graph->neighbours <= p && r.graph->width > 0);
  }
  if (r.centres.rows() > 0) require(r.centres.cols() == seen && r.centres.rows() == r.renamed.size());
  if (r.ridge)
    require(r.ridge->representatives.cols() == seen && r.ridge->weights.rows() == r.ridge->representatives.rows() &&
            r.ridge->weights.cols() == r.renamed.size() && r.ridge->width > 0 && r.ridge->temperature > 0 &&
            !r.means.empty());
}

}  // namespace

std::string Model::bytes() const {
  std::string all(magic);
  WriterTo writer([&](const void* bytes, std::size_t size) { all.append(static_cast<const char*>(bytes), size); });
  writer(version_of(*contents_)), writer(minor_version);
  transfer(writer, const_cast<Contents&>(*contents_));  // a writer changes nothing
  if (contents_->frame == Frame::none) write_section(writer, unframed_section, "");
  if (contents_->contrast == Contrast::local) write_section(writer, contrast_section, "");
  if (!contents_->names.empty()) write_section(writer, names_section, names_content(contents_->names));
  return sealed(std::move(all));
}

Model Model::named(std::vector<std::string> names) const {
  if (!names.empty() && names.size() != clusters())
    throw usage_error(fmt::format("{} names were given for {} clusters", names.size(), clusters()));
  if (std::ranges::all_of(names, [](const std::string& name) { return name.empty(); })) names.clear();
  std::string copied;  // by way of the file's form: matrices are not copied otherwise
  WriterTo writer([&](const void* bytes, std::size_t size) { copied.append(static_cast<const char*>(bytes), size); });
  transfer(writer, const_cast<Contents&>(*contents_));
  auto contents = std::make_shared<Contents>();
  Reader reader(copied);
  transfer(reader, *contents);
  contents->frame = contents_->frame;
  contents->contrast = contents_->contrast;
  contents->names = std::move(names);
  return Model(std::move(contents));
}

void Model::save(const std::filesystem::path& path) const {
  write_file(path, bytes());
}

Model Model::load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw input_error(fmt::format("cannot open {}; check the path and its permissions", path.string()));
  std::ostringstream bytes;
  if (file.peek() != std::ifstream::traits_type::eof()) bytes << file.rdbuf();
  return from_bytes(std::move(bytes).str(), path.string());
}

Model Model::from_bytes(std::string_view all, const std::string& name) {
  if (!all.starts_with(magic)) throw input_error(fmt::format("{} is no model; give the model.pssc of a run", name));
  try {
    Reader head(all.substr(magic.size()));
    std::uint32_t major = 0, minor = 0;
    head(major), head(minor);
    if (major < oldest_version || major > major_version)
      throw input_error(fmt::format("it is of version {}.{}, and this program reads versions {} and {}", major, minor,
                                    oldest_version, major_version));
    Reader reader(unsealed(all).substr(magic.size()));
    reader(major), reader(minor);
    auto contents = std::make_shared<Contents>();
    transfer(reader, *contents);
    read_sections(reader, *contents);
    if (!reader.done()) throw input_error("it holds more than a model");
    require_sound(*contents);
    return Model(std::move(contents));
  } catch (const Error& error) {
    throw input_error(fmt::format("cannot use {}: {}; make it anew with pssc cluster -o", name, error.what()));
  }
}

}  // namespace pssc
