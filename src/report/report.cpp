#include "base64.hpp"
#include "page.hpp"
#include "thumbnails.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/core/random.hpp>
#include <pssc/report.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace pssc {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t thumbnail_bytes =
    7'000'000;                                // of WebP; a third more as text, and the rest of the page: under 15 MB
constexpr std::size_t most_points = 150'000;  // on the map, 14 bytes each
constexpr std::size_t wall_images = 24;       // typical ones of a cluster, and as many uncertain ones
constexpr std::uint16_t none = 65535;

/// The rows of the run that the page shows, rising: all of them, or those it speaks of and as many others as there is
/// room for.
class Shown {
 public:
  Shown(const Context& context, std::size_t count, std::vector<std::size_t> needed) {
    if (count <= most_points) {
      rows_.resize(count);
      std::iota(rows_.begin(), rows_.end(), 0);
      return;
    }
    rows_ = Random(context.seed()).choose(count, most_points - needed.size());
    rows_.insert(rows_.end(), needed.begin(), needed.end());
    std::ranges::sort(rows_);
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
  }
  const std::vector<std::size_t>& rows() const { return rows_; }
  /// Rows of the run as numbers on the page.
  std::vector<std::size_t> numbers(const std::vector<std::size_t>& rows) const {
    std::vector<std::size_t> found;
    for (const std::size_t r : rows)
      found.push_back(static_cast<std::size_t>(std::ranges::lower_bound(rows_, r) - rows_.begin()));
    return found;
  }

 private:
  std::vector<std::size_t> rows_;
};

/// The images of a cluster that are worth looking at, as rows of the run.
struct Wall {
  std::vector<std::size_t> typical, uncertain;
};

std::vector<Wall> choose_walls(const Run& run) {
  const Clustering& c = run.clustering;
  std::vector<std::vector<std::size_t>> members(c.clusters);
  for (std::size_t i = 0; i < run.count; ++i)
    if (c.labels[i] >= 0) members[static_cast<std::size_t>(c.labels[i])].push_back(i);
  std::vector<Wall> walls(c.clusters);
  for (std::size_t k = 0; k < c.clusters; ++k) {
    auto& rows = members[k];
    const std::size_t m = std::min(wall_images, rows.size());
    const auto take = [&](auto&& key) {
      std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(m), rows.end(),
                        [&](std::size_t a, std::size_t b) { return key(a) != key(b) ? key(a) < key(b) : a < b; });
      return std::vector<std::size_t>(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(m));
    };
    walls[k].typical = take([&](std::size_t i) { return c.distances.empty() ? -c.confidence[i] : c.distances[i]; });
    walls[k].uncertain = take([&](std::size_t i) { return c.confidence[i]; });
  }
  return walls;
}

/// The strips of the removed directions, as rows of the run.
std::vector<std::vector<std::size_t>> strips_of(const Run& run) {
  std::vector<std::vector<std::size_t>> strips;
  for (const RemovedDirection& d : run.removed) {
    auto& strip = strips.emplace_back();
    for (const std::size_t number : d.strip)
      strip.push_back(static_cast<std::size_t>(std::ranges::lower_bound(run.numbers, number) - run.numbers.begin()));
  }
  return strips;
}

Json confusion_json(const Run& run) {
  if (!run.truth) return nullptr;
  std::vector<std::vector<std::size_t>> counts(run.clustering.clusters,
                                               std::vector<std::size_t>(run.truth->names.size()));
  for (std::size_t i = 0; i < run.count; ++i)
    if (const Label l = run.clustering.labels[i]; l >= 0)
      ++counts[static_cast<std::size_t>(l)][static_cast<std::size_t>(run.truth->values[i])];
  return counts;
}

Json clusters_json(const Run& run, const std::vector<Wall>& walls, const Json& confusion, const Shown& shown) {
  const Clustering& c = run.clustering;
  std::vector<std::size_t> sizes(c.clusters), outliers(c.clusters);
  std::vector<double> confidence(c.clusters);
  for (std::size_t i = 0; i < run.count; ++i) {
    if (c.labels[i] < 0) continue;
    const auto k = static_cast<std::size_t>(c.labels[i]);
    ++sizes[k];
    outliers[k] += c.outliers[i];
    confidence[k] += double{c.confidence[i]};
  }
  Json list = Json::array();
  for (std::size_t k = 0; k < c.clusters; ++k) {
    Json mostly = nullptr;
    const double size = std::max(1.0, static_cast<double>(sizes[k]));
    if (!confusion.is_null()) {
      const auto row = confusion[k].get<std::vector<std::size_t>>();
      const auto best = std::ranges::max_element(row);
      mostly = {{"name", run.truth->names[static_cast<std::size_t>(best - row.begin())]},
                {"share", static_cast<double>(*best) / size}};
    }
    list.push_back({{"id", k},
                    {"size", sizes[k]},
                    {"confidence", confidence[k] / size},
                    {"outliers", outliers[k]},
                    {"typical", shown.numbers(walls[k].typical)},
                    {"uncertain", shown.numbers(walls[k].uncertain)},
                    {"mostly", mostly}});
  }
  return list;
}

Json ids_json(const Run& run, const Shown& shown) {
  bool plain = shown.rows().size() == run.count;
  for (std::size_t i = 0; plain && i < run.count; ++i) plain = run.ids[i] == std::to_string(i);
  if (plain) return nullptr;
  Json ids = Json::array();
  for (const std::size_t r : shown.rows()) ids.push_back(run.ids[r]);
  return ids;
}

/// Planar, little-endian: x, y, cluster, truth as 16 bits, confidence and outlier as 8.
std::vector<std::uint8_t> points_of(const Run& run, const Shown& shown) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(10 * shown.rows().size());
  const auto put16 = [&](auto&& value) {
    for (const std::size_t r : shown.rows()) {
      const std::uint16_t v = value(r);
      bytes.push_back(static_cast<std::uint8_t>(v & 255));
      bytes.push_back(static_cast<std::uint8_t>(v >> 8));
    }
  };
  const auto label16 = [](std::int32_t l) { return l < 0 || l >= none ? none : static_cast<std::uint16_t>(l); };
  for (const std::size_t axis : {0, 1})
    put16([&](std::size_t r) { return static_cast<std::uint16_t>(std::lround(run.positions(r, axis) * 65535)); });
  put16([&](std::size_t r) { return label16(run.clustering.labels[r]); });
  put16([&](std::size_t r) { return run.truth ? label16(run.truth->values[r]) : none; });
  for (const std::size_t r : shown.rows())
    bytes.push_back(static_cast<std::uint8_t>(std::lround(run.clustering.confidence[r] * 255)));
  for (const std::size_t r : shown.rows()) bytes.push_back(run.clustering.outliers[r]);
  return bytes;
}

Json spectra_json(const Run& run) {
  Json candidates = Json::array();
  for (const ClusterCount& c : run.clustering.counts)
    candidates.push_back({{"clusters", c.clusters}, {"score", c.score}});
  return {{"covariance", run.variances},
          {"total_variance", run.total_variance},
          {"graph", run.clustering.eigenvalues},
          {"candidates", candidates}};
}

Json removed_json(const Run& run, const std::vector<std::vector<std::size_t>>& strips, const Shown& shown) {
  Json directions = Json::array();
  for (std::size_t v = 0; v < strips.size(); ++v)
    directions.push_back({{"share", run.removed[v].variance_share}, {"images", shown.numbers(strips[v])}});
  return {{"by", run.parameters.refine != Refinement::none ? "whitening" : "poc"}, {"directions", directions}};
}

}  // namespace

void write_report(const Context& context, const Run& run, const ImageSet& images, const std::string& command,
                  const std::filesystem::path& path) {
  using namespace report;
  const std::vector<Wall> walls = choose_walls(run);
  const auto strips = strips_of(run);
  std::vector<std::size_t> needed;
  const auto need = [&](const std::vector<std::size_t>& rows) {
    needed.insert(needed.end(), rows.begin(), rows.end());
  };
  for (const Wall& w : walls) need(w.typical), need(w.uncertain);
  for (const auto& strip : strips) need(strip);
  std::ranges::sort(needed);
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  const Shown shown(context, run.count, needed);

  std::vector<std::size_t> pictured;  // numbers of the input's images
  for (const std::size_t r : shown.rows()) pictured.push_back(run.numbers[r]);
  const Thumbnails thumbnails = make_thumbnails(context, images, pictured, thumbnail_bytes);

  const Json confusion = confusion_json(run);
  const Json data = {
      {"title", run.input},
      {"command", command},
      {"count", shown.rows().size()},
      {"ids", ids_json(run, shown)},
      {"classes", run.truth ? Json(run.truth->names) : Json(nullptr)},
      {"thumbs",
       {{"size", thumbnails.size},
        {"channels", images.channels()},
        {"columns", Thumbnails::columns},
        {"rows", Thumbnails::rows},
        {"sheets", thumbnails.sheets.size()},
        {"images", nullptr}}},
      {"clusters", clusters_json(run, walls, confusion, shown)},
      {"confusion", confusion},
      {"spectra", spectra_json(run)},
      {"removed", removed_json(run, strips, shown)},
      {"summary", Json::parse(summary_json(context, run))},
  };
  const PageParts around = page_parts();
  OutputFile file(path);
  const auto write = [&](std::string_view text) { file.write(text.data(), text.size()); };
  write(around.before);
  write(json_element("pssc-report", data.dump(-1, ' ', false, Json::error_handler_t::replace)));
  write(text_element("pssc-points", base64(points_of(run, shown))));
  for (std::size_t s = 0; s < thumbnails.sheets.size(); ++s)
    write(text_element(fmt::format("pssc-sheet-{}", s), base64(thumbnails.sheets[s])));
  write(around.after);
  file.commit();
}

}  // namespace pssc
