// Table "Results of the compared methods for the benchmark datasets".
#include "items.hpp"
#include "paper.hpp"

#include <array>
#include <cmath>
#include <string>

namespace pssc::reproduction {

namespace {

struct Row {
  const char* method;     ///< ours
  const char* title;      ///< in the table
  std::size_t paper_row;  ///< the paper's row it stands beside
};

constexpr std::array<Row, 6> rows{{{"kmeans", "k-means", 0},
                                   {"spectral", "SC", 1},
                                   {"dbscan", "DBSCAN", 2},
                                   {"paper", "PSSC, preset paper", 3},
                                   {"authors", "PSSC, preset authors", 3},
                                   {"tuned", "PSSC, preset tuned", 3}}};

/// Bytes of the distances of all pairs, in single precision.
double pair_bytes(const Workshop& workshop, const std::string& dataset) {
  const auto n = static_cast<double>(workshop.count(dataset));
  return n * n * sizeof(float);
}

bool fits(const Workshop& workshop, const std::string& dataset, const Method& m) {
  return !m.all_pairs || pair_bytes(workshop, dataset) <= static_cast<double>(workshop.context().memory);
}

Json quoted(const paper::AccuracyAndNmi& figures) {
  if (!figures.given()) return nullptr;
  return {{"accuracy", figures.accuracy}, {"nmi", figures.nmi}};
}

Json computed_cell(const Workshop& workshop, const std::string& dataset, const Row& row, std::size_t column,
                   std::size_t seeds) {
  const Method m = method(row.method);
  const paper::AccuracyAndNmi printed = paper::shallow[row.paper_row].cells[column];
  Json cell = {{"dataset", dataset}, {"state", "computed"}, {"paper", quoted(printed)}};
  if (!fits(workshop, dataset, m)) {
    cell["state"] = "out of memory";
    cell["gibibytes"] = pair_bytes(workshop, dataset) / 0x1p30;
    return cell;
  }
  const std::vector<Json> runs = workshop.clustered(dataset, row.method, seeds);
  if (runs.empty()) {
    cell["state"] = workshop.has(dataset) ? "not computed" : "no data";
    return cell;
  }
  for (const char* figure : {"accuracy", "purity", "nmi", "ari", "seconds"})
    cell[figure] = over_seeds(runs, figure, m.by_chance ? seeds : 1);
  if (printed.given())
    cell["difference"] = {{"accuracy", cell["accuracy"]["mean"].get<double>() - printed.accuracy},
                          {"purity", cell["purity"]["mean"].get<double>() - printed.accuracy},
                          {"nmi", cell["nmi"]["mean"].get<double>() - printed.nmi}};
  return cell;
}

}  // namespace

Json over_seeds(const std::vector<Json>& runs, const char* figure, std::size_t wanted) {
  std::vector<double> values;
  for (const Json& r : runs) values.push_back(r[figure]);
  double mean = 0, squares = 0, least = values.at(0), greatest = values[0];
  for (const double v : values) {
    mean += v / static_cast<double>(values.size());
    least = std::min(least, v);
    greatest = std::max(greatest, v);
  }
  for (const double v : values) squares += (v - mean) * (v - mean);
  const double spread = values.size() > 1 ? std::sqrt(squares / static_cast<double>(values.size() - 1)) : 0;
  return {{"mean", mean},         {"spread", spread},       {"least", least},
          {"greatest", greatest}, {"seeds", values.size()}, {"wanted", wanted}};
}

std::vector<Wanted> wanted_for_results(const Workshop& workshop, std::size_t seeds) {
  std::vector<Wanted> wanted;
  for (const std::string_view dataset : paper::datasets)
    for (const Row& row : rows) {
      const Method m = method(row.method);
      if (!fits(workshop, std::string(dataset), m)) continue;
      for (std::uint64_t s = 0; s < (m.by_chance ? seeds : 1); ++s)
        wanted.push_back({std::string(dataset), row.method, s});
    }
  return wanted;
}

Json results(const Workshop& workshop, std::size_t seeds) {
  Json table = Json::array();
  for (const Row& row : rows) {
    Json cells = Json::array();
    for (std::size_t d = 0; d < paper::datasets.size(); ++d)
      cells.push_back(computed_cell(workshop, std::string(paper::datasets[d]), row, d, seeds));
    table.push_back({{"method", row.title}, {"quoted", false}, {"cells", cells}});
  }
  for (const paper::ResultRow& row : paper::deep) {
    Json cells = Json::array();
    for (std::size_t d = 0; d < paper::datasets.size(); ++d)
      cells.push_back({{"dataset", paper::datasets[d]}, {"state", "quoted"}, {"paper", quoted(row.cells[d])}});
    table.push_back({{"method", row.method}, {"quoted", true}, {"cells", cells}});
  }
  return {{"datasets", paper::datasets}, {"seeds", seeds}, {"rows", table}};
}

}  // namespace pssc::reproduction
