// explore.pssc: the page's data, for `pssc explore`. Like a model it ends with a checksum, and because a checksum
// guards against damage and not against malice, what the page is given has the shape that the page expects.
#include "shape.hpp"

#include <pssc/core/archive.hpp>
#include <pssc/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace pssc {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view magic = "PSSCPAGE";
constexpr std::uint32_t format_version = 1;
constexpr std::size_t point_bytes = 10;

// What the page reads; web/src/data.ts has the same as types.
constexpr const char* shape = R"({
  "title": "text", "command": "text", "count": "number", "ids?": ["text"], "classes?": ["text"],
  "clusters": [{
    "id": "number", "size": "number", "confidence": "number", "outliers": "number", "stability?": "signed",
    "typical": ["image"], "uncertain": ["image"], "mostly?": {"name": "text", "share": "number"}
  }],
  "confusion?": [["number"]],
  "spectra?": {
    "covariance": ["signed"], "total_variance": "signed", "graph": ["signed"],
    "candidates": [{"clusters": "number", "score": "signed"}]
  },
  "removed?": {"by": "text", "directions": [{"share": "signed", "images": ["image"]}]},
  "ignored?": {
    "kinds": ["text"], "moves": [{"kind": "text", "move": "number"}],
    "pictures?": {
      "size": "number", "images": ["image"], "columns": [{"kind": "text", "variant": "number"}], "sheet": "text"
    }
  },
  "tree?": {
    "pieces": [{"size": "number", "images": ["image"]}],
    "joins": [{"one": "number", "other": "number", "tie": "number"}]
  },
  "summary": {
    "version": "text",
    "input": {
      "name": "text", "count": "number", "height": "number", "width": "number", "channels": "number",
      "skipped": "number", "skipped_images": [{"id": "text", "reason": "text"}]
    },
    "parameters": {}, "backend": {}, "clusters": "number", "cluster_sizes": ["number"], "noise": "number",
    "metrics?": {"accuracy": "number", "purity": "number", "nmi": "signed", "ari": "signed"},
    "timings": [{"stage": "text", "seconds": "number"}],
    "total_seconds": "number", "images_per_second": "number", "peak_memory_bytes": "number", "outliers": "number",
    "notes": ["text"], "suggestion?": "text", "seed": "number",
    "k_verdict?": {
      "clear": "flag", "unrestricted": "number", "numbers": [{"clusters": "number", "share": "number"}]
    }
  }
})";

template <class Archive>
void transfer(Archive& a, PageData& data) {
  transfer(a, data.labels_sum);
  transfer(a, data.json);
  transfer(a, data.points);
  transfer(a, data.rows);
}

/// A join's groups come before it: the pieces, then the joins in their order.
void require_sound_tree(const Json& tree) {
  std::size_t groups = tree["pieces"].size();
  if (groups == 0 || tree["joins"].size() + 1 != groups) throw input_error("its tree does not fit together");
  for (const Json& join : tree["joins"]) {
    if (join["one"] >= groups || join["other"] >= groups) throw input_error("its tree does not fit together");
    ++groups;
  }
}

void require_sound(const PageData& data, const Json& page) {
  static const Json expected = Json::parse(shape);
  report::require_shape(page, expected, data.rows.size());
  const std::size_t images = data.rows.size(), clusters = page["clusters"].size();
  const auto require = [](bool sound) {
    if (!sound) throw input_error("its parts do not fit together");
  };
  require(page["count"] == images && data.points.size() == point_bytes * images);
  require(std::ranges::adjacent_find(data.rows, std::greater_equal<>()) == data.rows.end());
  if (page.contains("ids") && !page["ids"].is_null()) require(page["ids"].size() == images);
  if (page.contains("confusion") && !page["confusion"].is_null()) {
    require(page.contains("classes") && page["classes"].is_array() && page["confusion"].size() == clusters);
    for (const Json& row : page["confusion"]) require(row.size() == page["classes"].size());
  }
  if (page.contains("tree") && !page["tree"].is_null()) require_sound_tree(page["tree"]);
}

/// Writing and checking JSON takes stack by its depth, so that has a limit.
Json parsed(const std::string& text) {
  constexpr int deepest = 32;
  const auto check = [](int depth, Json::parse_event_t, const Json&) {
    if (depth > deepest) throw input_error("its JSON is nested too deeply");
    return true;
  };
  return Json::parse(text, check, false);
}

}  // namespace

PageData PageData::read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw input_error(path.string() + " is not there: the run was not finished, or by an earlier version; run pssc " +
                      "cluster -o again");
  return from_bytes(std::string(std::istreambuf_iterator<char>(file), {}), path.string());
}

PageData PageData::from_bytes(std::string_view bytes, const std::string& name) {
  try {
    if (!bytes.starts_with(magic)) throw input_error("it is no data of a page");
    Reader reader(unsealed(bytes).substr(magic.size()));
    std::uint32_t found = 0;
    reader(found);
    if (found != format_version)
      throw input_error(fmt::format("it is of version {}, and this program reads version {}", found, format_version));
    PageData data;
    transfer(reader, data);
    if (!reader.done()) throw input_error("it holds more than a page");
    const Json page = parsed(data.json);
    require_sound(data, page);
    data.json = page.dump(-1, ' ', false, Json::error_handler_t::replace);  // no comment, and nothing twice
    return data;
  } catch (const Error& error) {
    throw input_error(fmt::format("cannot use {}: {}; run pssc cluster -o again", name, error.what()));
  }
}

std::string PageData::bytes() const {
  std::string all(magic);
  WriterTo writer([&](const void* bytes, std::size_t size) { all.append(static_cast<const char*>(bytes), size); });
  writer(format_version);
  transfer(writer, const_cast<PageData&>(*this));  // a writer changes nothing
  return sealed(std::move(all));
}

}  // namespace pssc
