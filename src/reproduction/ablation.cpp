// Table "Results of the ablation study on the PSSC clustering pipeline", on MNIST.
#include "items.hpp"
#include "paper.hpp"

#include <array>
#include <string>

namespace pssc::reproduction {

namespace {

constexpr const char* ablated_set = "mnist";

/// What each of the paper's rows leaves out or puts in its place; k-means is the same in both presets.
constexpr std::array<const char*, 6> changes{"", "-pixels", "-no-poc", "-pixels-no-poc", "-kmeans", "-kmeans-no-poc"};

std::string method_of(std::size_t row, const std::string& preset) {
  const std::string change = changes[row];
  return (change.starts_with("-kmeans") ? "authors" : preset) + change;
}

Json figures_of(const Workshop& workshop, const std::string& method, std::size_t seeds) {
  const std::vector<Json> runs = workshop.clustered(ablated_set, method, seeds);
  if (runs.empty()) return nullptr;
  Json figures;
  for (const char* figure : {"accuracy", "purity", "nmi", "seconds"}) figures[figure] = over_seeds(runs, figure, seeds);
  return figures;
}

}  // namespace

std::vector<Wanted> wanted_for_ablation(std::size_t seeds) {
  std::vector<Wanted> wanted;
  for (std::size_t row = 0; row < changes.size(); ++row)
    for (const char* preset : {"authors", "paper"})
      for (std::uint64_t s = 0; s < seeds; ++s) wanted.push_back({ablated_set, method_of(row, preset), s});
  return wanted;
}

Json ablation(const Workshop& workshop, std::size_t seeds) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < changes.size(); ++row) {
    const paper::AblationRow& printed = paper::ablation[row];
    Json cell = {
        {"blocks", printed.blocks},
        {"paper", {{"accuracy", printed.accuracy}, {"nmi", printed.nmi}, {"seconds", printed.seconds}}},
        {"authors", figures_of(workshop, method_of(row, "authors"), seeds)},
        {"text", figures_of(workshop, method_of(row, "paper"), seeds)},
    };
    if (!cell["authors"].is_null())
      cell["difference"] = {{"purity", cell["authors"]["purity"]["mean"].get<double>() - printed.accuracy},
                            {"nmi", cell["authors"]["nmi"]["mean"].get<double>() - printed.nmi}};
    rows.push_back(cell);
  }
  return {{"dataset", ablated_set}, {"seeds", seeds}, {"rows", rows}};
}

}  // namespace pssc::reproduction
