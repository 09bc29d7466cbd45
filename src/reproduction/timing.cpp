// Table "Time required to cluster the MNIST dataset": whole runs, each on its own, from the files to the labels.
#include "items.hpp"
#include "paper.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string>

namespace pssc::reproduction {

namespace {

constexpr const char* timed_set = "mnist";

Json time_run(const Workshop& workshop, const std::string& preset_name) {
  const auto start = std::chrono::steady_clock::now();
  const Context context = workshop.with_seed(0);
  const auto images = open_images(timed_set, {.frame = Frame::black});
  const Run run = pssc::cluster(context, preset(preset_name), *images);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Json stages = Json::array();
  for (const StageTime& t : run.timings) stages.push_back({{"stage", t.stage}, {"seconds", t.seconds}});
  return {{"seconds", seconds}, {"accuracy", run.metrics->accuracy}, {"nmi", run.metrics->nmi}, {"stages", stages}};
}

}  // namespace

Json timing(Workshop& workshop) {
  Json ours = Json::array(), quoted = Json::array();
  for (const char* name : {"paper", "authors", "tuned"}) {
    if (!workshop.has(timed_set)) continue;
    const Json made_of = {{"dataset", timed_set},
                          {"threads", workshop.context().threads()},
                          {"parameters", Json::parse(parameters_json(preset(name), 32))}};
    Json figures = workshop.cells().get(std::string("timing.") + name, made_of, [&] {
      Json timed = time_run(workshop, name);
      workshop.tell(fmt::format("timing, preset {}: {:.1f} s", name, timed["seconds"].get<double>()));
      return timed;
    });
    if (figures.is_null()) continue;
    Json row = {{"preset", name}};
    row.update(figures);
    ours.push_back(row);
  }
  for (const paper::Time& t : paper::times) quoted.push_back({{"method", t.method}, {"seconds", t.seconds}});
  return {{"dataset", timed_set},
          {"threads", workshop.context().threads()},
          {"data", workshop.has(timed_set)},
          {"ours", ours},
          {"paper", quoted},
          {"paper_hardware", paper::hardware}};
}

}  // namespace pssc::reproduction
