#include "adapted.hpp"
#include "base64.hpp"
#include "changed.hpp"
#include "page.hpp"
#include "thumbnails.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/core/random.hpp>
#include <pssc/core/sha256.hpp>
#include <pssc/core/spread.hpp>
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
constexpr std::size_t piece_images = 12;      // of a piece of the tree
constexpr std::size_t changed_images = 3;     // that small changes are shown on
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

/// The images of a cluster that are worth looking at, as rows of the run of all ranks.
struct Wall {
  std::vector<std::size_t> typical, uncertain;
};

/// A row of all and what it is judged by, less being better.
struct Judged {
  std::size_t row;
  float key;
};

/// The best of all ranks: each names its own.
std::vector<std::size_t> best_of_all(const Context& context, std::vector<Judged> rows) {
  const auto keep_best = [&] {
    const std::size_t m = std::min(wall_images, rows.size());
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(m), rows.end(),
                      [](const Judged& a, const Judged& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
    rows.resize(m);
  };
  keep_best();
  if (context.ranks().ranks() > 1) {
    rows = gather_at_first(context, rows);
    keep_best();
  }
  std::vector<std::size_t> best;
  for (const Judged& r : rows) best.push_back(r.row);
  return best;
}

std::vector<Wall> choose_walls(const Context& context, const Run& run) {
  const Clustering& c = run.clustering;
  std::vector<std::vector<std::size_t>> members(c.clusters);
  for (std::size_t i = 0; i < c.labels.size(); ++i)
    if (c.labels[i] >= 0) members[static_cast<std::size_t>(c.labels[i])].push_back(i);
  const bool measured = sum_of_all(context, c.distances.size()) > 0;
  std::vector<Wall> walls(c.clusters);
  for (std::size_t k = 0; k < c.clusters; ++k) {
    const auto take = [&](auto&& key) {
      std::vector<Judged> judged;
      for (const std::size_t i : members[k]) judged.push_back({run.first + i, key(i)});
      return best_of_all(context, std::move(judged));
    };
    walls[k].typical = take([&](std::size_t i) { return measured ? c.distances[i] : -c.confidence[i]; });
    walls[k].uncertain = take([&](std::size_t i) { return c.confidence[i]; });
  }
  return walls;
}

/// Lists of the input's image numbers, given on the first rank, as rows of the run: each number is known to the rank
/// that has the image. Numbers of images that were not clustered are left out.
std::vector<std::vector<std::size_t>> rows_of(const Context& context, const Run& run,
                                              const std::vector<std::vector<std::size_t>>& lists) {
  std::vector<std::size_t> wanted;
  for (const auto& list : lists) wanted.insert(wanted.end(), list.begin(), list.end());
  broadcast(context, wanted);
  std::vector<double> rows(wanted.size(), -1);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto at = std::ranges::lower_bound(run.numbers, wanted[i]);
    if (at != run.numbers.end() && *at == wanted[i])
      rows[i] = static_cast<double>(run.first + static_cast<std::size_t>(at - run.numbers.begin()));
  }
  context.ranks().largest(rows);
  std::vector<std::vector<std::size_t>> found;
  auto row = rows.begin();
  for (const auto& list : lists) {
    auto& part = found.emplace_back();
    for (std::size_t i = 0; i < list.size(); ++i, ++row)
      if (*row >= 0) part.push_back(static_cast<std::size_t>(*row));
  }
  return found;
}

/// What the page shows pictures of, as rows of the run of all ranks.
struct Pictures {
  std::vector<Wall> walls;                       ///< [clusters]
  std::vector<std::vector<std::size_t>> strips;  ///< along the removed directions
  std::vector<std::vector<std::size_t>> pieces;  ///< of the tree
  report::Ways ways;
};

Pictures choose_pictures(const Context& context, const Run& run) {
  std::vector<std::vector<std::size_t>> strips, pieces;
  for (const RemovedDirection& d : run.removed) strips.push_back(d.strip);
  if (run.tree)
    for (const ClusterTree::Piece& p : run.tree->pieces)
      pieces.emplace_back(p.images.begin(),
                          p.images.begin() + static_cast<std::ptrdiff_t>(std::min(piece_images, p.images.size())));
  report::Ways ways;
  if (run.adaptation) ways = report::ways_tried(*run.adaptation);
  for (auto& way : ways) way = rows_of(context, run, way);
  return {choose_walls(context, run), rows_of(context, run, strips), rows_of(context, run, pieces), std::move(ways)};
}

/// What the page says of the images it shows, in the order of `Shown`.
struct Facts {
  std::vector<std::size_t> numbers;
  std::vector<std::string> ids;
  std::vector<float> x, y, confidence;
  std::vector<std::int32_t> labels, truth;
  std::vector<std::uint8_t> outliers;
};

/// On rank 0, from the ranks that have the rows.
Facts facts_of(const Context& context, const Run& run, std::vector<std::size_t> rows) {
  broadcast(context, rows);
  Facts f;
  for (const std::size_t r : rows) {
    if (r < run.first || r >= run.first + run.numbers.size()) continue;
    const std::size_t i = r - run.first;
    f.numbers.push_back(run.numbers[i]);
    f.ids.push_back(run.ids[i]);
    f.x.push_back(run.positions(i, 0));
    f.y.push_back(run.positions(i, 1));
    f.confidence.push_back(run.clustering.confidence[i]);
    f.labels.push_back(run.clustering.labels[i]);
    f.truth.push_back(run.truth ? run.truth->values[i] : -1);
    f.outliers.push_back(run.clustering.outliers[i]);
  }
  const auto collect = [&](auto& values) { values = gather_at_first(context, values); };
  collect(f.numbers), collect(f.ids), collect(f.x), collect(f.y), collect(f.confidence);
  collect(f.labels), collect(f.truth), collect(f.outliers);
  return f;
}

Json confusion_json(const Run& run) {
  if (!run.truth) return nullptr;
  Json counts = Json::array();
  for (std::size_t a = 0; a < run.tally.truth.rows(); ++a)
    counts.push_back(std::vector<std::int64_t>(run.tally.truth.row(a).begin(), run.tally.truth.row(a).end()));
  return counts;
}

Json clusters_json(const Run& run, const std::vector<Wall>& walls, const Json& confusion, const Shown& shown) {
  const Tally& t = run.tally;
  const std::vector<double>& stability = run.clustering.stability;
  Json list = Json::array();
  for (std::size_t k = 0; k < t.sizes.size(); ++k) {
    Json mostly = nullptr;
    const double size = std::max(1.0, static_cast<double>(t.sizes[k]));
    if (!confusion.is_null()) {
      const auto row = confusion[k].get<std::vector<std::size_t>>();
      const auto best = std::ranges::max_element(row);
      mostly = {{"name", run.truth->names[static_cast<std::size_t>(best - row.begin())]},
                {"share", static_cast<double>(*best) / size}};
    }
    list.push_back({{"id", k},
                    {"size", t.sizes[k]},
                    {"confidence", t.confidence[k]},
                    {"outliers", t.outliers[k]},
                    {"stability", k < stability.size() ? Json(stability[k]) : Json(nullptr)},
                    {"typical", shown.numbers(walls[k].typical)},
                    {"uncertain", shown.numbers(walls[k].uncertain)},
                    {"mostly", mostly}});
  }
  return list;
}

Json ids_json(const Run& run, const Facts& facts) {
  bool plain = facts.ids.size() == run.count;
  for (std::size_t i = 0; plain && i < facts.ids.size(); ++i) plain = facts.ids[i] == std::to_string(i);
  return plain ? Json(nullptr) : Json(facts.ids);
}

/// Planar, little-endian: x, y, cluster, truth as 16 bits, confidence and outlier as 8.
std::vector<std::uint8_t> points_of(const Facts& facts) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(10 * facts.ids.size());
  const auto put16 = [&](const auto& values, auto&& as16) {
    for (const auto value : values) {
      const std::uint16_t v = as16(value);
      bytes.push_back(static_cast<std::uint8_t>(v & 255));
      bytes.push_back(static_cast<std::uint8_t>(v >> 8));
    }
  };
  const auto label16 = [](std::int32_t l) { return l < 0 || l >= none ? none : static_cast<std::uint16_t>(l); };
  const auto place16 = [](float v) { return static_cast<std::uint16_t>(std::lround(v * 65535)); };
  put16(facts.x, place16), put16(facts.y, place16);
  put16(facts.labels, label16), put16(facts.truth, label16);
  for (const float c : facts.confidence) bytes.push_back(static_cast<std::uint8_t>(std::lround(c * 255)));
  bytes.insert(bytes.end(), facts.outliers.begin(), facts.outliers.end());
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

/// How far each small change moves an image, and what it looks like on the most typical images of the largest clusters.
/// The pictures are in the JSON itself: the explorer has no other way to them.
Json ignored_json(const Run& run, const ImageSet& images, const std::vector<Wall>& walls, const Shown& shown,
                  const Facts& facts) {
  using namespace report;
  if (run.moves.empty() && names_of(run.parameters.ignored).empty()) return nullptr;
  Json moves = Json::array();
  for (const Move& m : run.moves) moves.push_back({{"kind", name_of(m.change)}, {"move", m.size}});
  std::vector<std::size_t> rows;
  for (const Wall& w : walls)
    if (!w.typical.empty() && rows.size() < changed_images) rows.push_back(w.typical.front());
  const std::vector<std::size_t> shown_images = shown.numbers(rows);
  std::vector<std::size_t> numbers;
  for (const std::size_t i : shown_images) numbers.push_back(facts.numbers[i]);
  const ChangedPictures changed = changed_pictures(run, images, numbers);
  Json pictures = nullptr;
  if (!changed.sheet.empty()) {
    Json columns = Json::array();
    for (const auto& c : changed.columns) columns.push_back({{"kind", name_of(c.change)}, {"variant", c.variant}});
    pictures = {
        {"size", changed.size}, {"images", shown_images}, {"columns", columns}, {"sheet", base64(changed.sheet)}};
  }
  return {{"kinds", names_of(run.parameters.ignored)}, {"moves", moves}, {"pictures", pictures}};
}

Json tree_data(const Run& run, const std::vector<std::vector<std::size_t>>& images, const Shown& shown) {
  if (!run.tree) return nullptr;
  Json pieces = Json::array(), joins = Json::array();
  for (std::size_t p = 0; p < run.tree->pieces.size(); ++p)
    pieces.push_back({{"size", run.tree->pieces[p].size}, {"images", shown.numbers(images[p])}});
  for (const ClusterTree::Join& j : run.tree->joins)
    joins.push_back({{"one", j.one}, {"other", j.other}, {"tie", j.tie}});
  return {{"pieces", pieces}, {"joins", joins}};
}

/// The images of the clusters of each way that was tried; all else about them is in the summary.
Json ways_json(const report::Ways& ways, const Shown& shown) {
  Json list = Json::array();
  for (const auto& way : ways) {
    Json& clusters = list.emplace_back(Json::array());
    for (const auto& images : way) clusters.push_back(shown.numbers(images));
  }
  return list;
}

/// All that the pages of a run are made of, on rank 0.
struct Contents {
  Pictures pictures;
  Shown shown;
  Facts facts;
};

Contents contents_of(const Context& context, const Run& run) {
  Pictures pictures = choose_pictures(context, run);
  std::vector<std::size_t> needed;
  const auto need = [&](const std::vector<std::size_t>& rows) {
    needed.insert(needed.end(), rows.begin(), rows.end());
  };
  for (const Wall& w : pictures.walls) need(w.typical), need(w.uncertain);
  for (const auto& strip : pictures.strips) need(strip);
  for (const auto& piece : pictures.pieces) need(piece);
  for (const auto& way : pictures.ways)
    for (const auto& cluster : way) need(cluster);
  std::ranges::sort(needed);
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  const Shown shown(context, run.count, needed);
  Facts facts = facts_of(context, run, shown.rows());
  return {std::move(pictures), shown, std::move(facts)};
}

std::string text_of(const Json& data) {
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// What both pages say; `shared` is the context of all ranks.
Json data_of(const Context& shared, const Run& run, const ImageSet& images, const std::string& command,
             const Contents& contents) {
  const auto& [pictures, shown, facts] = contents;
  const Json confusion = confusion_json(run);
  return {
      {"title", run.input},
      {"command", command},
      {"count", shown.rows().size()},
      {"ids", ids_json(run, facts)},
      {"classes", run.truth ? Json(run.truth->names) : Json(nullptr)},
      {"clusters", clusters_json(run, pictures.walls, confusion, shown)},
      {"confusion", confusion},
      {"spectra", spectra_json(run)},
      {"removed", removed_json(run, pictures.strips, shown)},
      {"ignored", ignored_json(run, images, pictures.walls, shown, facts)},
      {"tree", tree_data(run, pictures.pieces, shown)},
      {"summary", Json::parse(summary_json(shared, run))},
  };
}

void write_html(const Context& context, const ImageSet& images, const Contents& contents, Json data,
                const std::filesystem::path& path) {
  using namespace report;
  const Thumbnails thumbnails = make_thumbnails(context, images, contents.facts.numbers, thumbnail_bytes);
  data["thumbs"] = {{"size", thumbnails.size},  {"channels", images.channels()},      {"columns", Thumbnails::columns},
                    {"rows", Thumbnails::rows}, {"sheets", thumbnails.sheets.size()}, {"images", nullptr}};
  data["ways"] = ways_json(contents.pictures.ways, contents.shown);
  const PageParts around = page_parts();
  OutputFile file(path);
  const auto write = [&](std::string_view text) { file.write(text.data(), text.size()); };
  write(around.head), write(policy_element()), write(around.before);
  write(json_element("pssc-report", text_of(data)));
  write(base64_element("pssc-points", base64(points_of(contents.facts))));
  for (std::size_t s = 0; s < thumbnails.sheets.size(); ++s)
    write(base64_element(fmt::format("pssc-sheet-{}", s), base64(thumbnails.sheets[s])));
  write(around.after);
  file.commit();
}

void write_page_data(const Contents& contents, const Json& data, const std::filesystem::path& folder) {
  const PageData page{.labels_sum = sha256_of_file(folder / "labels.csv"),
                      .json = text_of(data),
                      .points = points_of(contents.facts),
                      .rows = {contents.shown.rows().begin(), contents.shown.rows().end()}};
  write_file(folder / "explore.pssc", page.bytes());
}

}  // namespace

void write_report(const Context& context, const Run& run, const ImageSet& images, const std::string& command,
                  const std::filesystem::path& path) {
  const Contents contents = contents_of(context, run);
  once_alone(context, [&](const Context& alone) {
    write_html(alone, images, contents, data_of(context, run, images, command, contents), path);
  });
}

void write_pages(const Context& context, const Run& run, const ImageSet& images, const std::string& command,
                 const RunFolder& folder) {
  const Contents contents = contents_of(context, run);
  once_alone(context, [&](const Context& alone) {
    const Json data = data_of(context, run, images, command, contents);
    write_page_data(contents, data, folder.path());
    write_html(alone, images, contents, data, folder.path() / "report.html");
  });
}

}  // namespace pssc
