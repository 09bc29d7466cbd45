#include "document.hpp"
#include "items.hpp"
#include "machine.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/reproduction.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

namespace pssc {

namespace {

using reproduction::Cells;
using reproduction::Json;
using reproduction::Workshop;

constexpr std::array<std::pair<PaperItem, const char*>, 6> names{{{PaperItem::results, "results"},
                                                                  {PaperItem::timing, "timing"},
                                                                  {PaperItem::ablation, "ablation"},
                                                                  {PaperItem::angles, "angles"},
                                                                  {PaperItem::eigenvalues, "eigenvalues"},
                                                                  {PaperItem::poc, "poc"}}};

Json compute(PaperItem item, Workshop& workshop, std::size_t seeds) {
  switch (item) {
    case PaperItem::results:
      return results(workshop, seeds);
    case PaperItem::timing:
      return timing(workshop);
    case PaperItem::ablation:
      return ablation(workshop, seeds);
    case PaperItem::angles:
      return angles(workshop);
    case PaperItem::eigenvalues:
      return eigenvalues(workshop);
    case PaperItem::poc:
      break;
  }
  return poc(workshop);
}

/// Items of an earlier run of this version in the same folder.
Json items_before(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const Json before = stream ? Json::parse(stream, nullptr, false) : Json();
  if (!before.is_object() || before.value("version", "") != version() || !before.contains("items"))
    return Json::object();
  return before["items"];
}

void cluster_what_items_share(Workshop& workshop, const ReproductionParams& params) {
  std::vector<reproduction::Wanted> wanted;
  const auto add = [&](std::vector<reproduction::Wanted> more) {
    wanted.insert(wanted.end(), more.begin(), more.end());
  };
  for (const PaperItem item : params.items) {
    if (item == PaperItem::results) add(wanted_for_results(workshop, params.seeds));
    if (item == PaperItem::ablation) add(reproduction::wanted_for_ablation(params.seeds));
  }
  workshop.cluster(std::move(wanted));
}

}  // namespace

PaperItem paper_item(const std::string& name) {
  for (const auto& [item, known] : names)
    if (name == known) return item;
  throw usage_error("cannot reproduce '" + name +
                    "'; it is one of results, timing, ablation, angles, eigenvalues, poc, all");
}

void reproduce(const Context& context, const ReproductionParams& params, const std::filesystem::path& folder) {
  if (params.seeds == 0) throw usage_error("--seeds must be at least 1");
  require_writable_folder(folder);
  const Cells cells(folder / "cells", params.compute);
  Workshop workshop(context, cells, params.told);
  const Json before = items_before(folder / "reproduction.json");
  cluster_what_items_share(workshop, params);
  Json items = Json::object();
  for (const auto& [item, name] : names) {
    const Json now = std::ranges::count(params.items, item) ? compute(item, workshop, params.seeds) : Json();
    if (!now.is_null())
      items[name] = now;
    else if (before.contains(name))
      items[name] = before[name];
  }
  const Json whole = {{"version", version()},
                      {"date", reproduction::today()},
                      {"machine", reproduction::machine(context)},
                      {"memory_limit", context.memory},
                      {"seconds", cells.seconds()},
                      {"items", items},
                      {"remarks", reproduction::remarks()}};
  write_file(folder / "reproduction.json", whole.dump(1) + "\n");
  write_file(folder / "reproduction.md", reproduction::markdown(whole));
  write_file(folder / "reproduction.html", reproduction::page(whole));
}

}  // namespace pssc
