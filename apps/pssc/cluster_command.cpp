#include "commands.hpp"
#include "options.hpp"
#include "progress_line.hpp"
#include "result_table.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/core/spread.hpp>
#include <pssc/report.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

namespace pssc::command {

namespace {

struct ClusterOptions {
  explicit ClusterOptions(Command& command) : stages(command) { stages.add_adapt(command); }
  StageOptions stages;
  std::string clusters = "";
  std::string folder;
  std::string command_line;  ///< that repeats the run
};

/// Finds out what the options leave open; parameters are what was chosen, afterwards.
std::optional<Adaptation> adapted(const Context& context, const StageOptions& stages, Parameters& parameters,
                                  ImageParams& images) {
  if (!stages.adaptive().any()) return {};
  Adaptation found = adapt(context, parameters, images, stages.adaptive(),
                           [&](const ImageParams& params) { return open_images(stages.input, params); });
  use(found.candidates[found.chosen], parameters, images);
  return found;
}

void run(const ClusterOptions& options) {
  Parameters parameters = options.stages.parameters();
  const bool may_be_absent = parameters.clusterer == Clusterer::dbscan;
  parameters.clusters =
      options.clusters.empty() && may_be_absent ? Parameters::automatic : parse_clusters(options.clusters);
  const Context context = options.stages.shared_context();
  ImageParams image_params = options.stages.images();
  auto images = open_images(options.stages.input, image_params);
  std::optional<Checkpoints> kept;
  const bool first = context.ranks().rank() == 0;
  if (!options.folder.empty())
    once(context, [&] {  // before the work, not after it
      kept.emplace(options.folder, [&](const std::string& line) {
        if (context.progress) ProgressLine::clear();
        if (!options.stages.quiet) std::fprintf(stderr, "pssc: %s\n", line.c_str());
      });
    });
  if (!options.folder.empty() && !first) kept.emplace(options.folder, Checkpoints::Say{}, false);

  const std::optional<Adaptation> adaptation = adapted(context, options.stages, parameters, image_params);
  if (adaptation && adaptation->chosen > 0) images = open_images(options.stages.input, image_params);
  Run result = kept ? cluster(context, parameters, *images, *kept) : cluster(context, parameters, *images);
  result.adaptation = adaptation;
  if (context.progress) ProgressLine::clear();
  if (kept) {
    write_run(context, result, kept->folder());
    write_pages(context, result, *images, options.command_line, kept->folder());
    if (context.progress) ProgressLine::clear();
    kept->finish();
  }
  if (!first) return;
  if (options.stages.json) {
    fmt::print("{}", summary_json(context, result));
    return;
  }
  if (options.stages.quiet) return;
  fmt::print("{}", result_table(result));
  if (options.folder.empty())
    fmt::print("nothing was written; -o DIR keeps the labels, a summary and a report to look at\n");
  else
    fmt::print("written: {0}/labels.csv, {0}/labels.npy, {0}/summary.json{1}\nlook at it: {0}/report.html\n",
               options.folder, result.model ? ", " + options.folder + "/model.pssc" : "");
}

}  // namespace

void add_cluster(Command& program, const std::string& command_line) {
  Command command = program.add("cluster", "Sort images into clusters");
  command.takes_program_options();
  auto options = std::make_shared<ClusterOptions>(command);
  options->command_line = command_line;
  command.option("-k,--clusters", options->clusters, "Number of clusters; auto: find it").shown("K|auto");
  command
      .option("-o,--output", options->folder,
              "Write labels.csv, labels.npy, summary.json, report.html and model.pssc to this folder. To continue a "
              "run that "
              "was stopped, give the same command again")
      .shown("DIR");
  command.run([options] { run(*options); });
}

}  // namespace pssc::command
