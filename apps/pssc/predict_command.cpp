#include "commands.hpp"
#include "options.hpp"
#include "progress_line.hpp"

#include <pssc/core/csv.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/core/spread.hpp>
#include <pssc/distributed.hpp>
#include <pssc/edits.hpp>
#include <pssc/pipeline.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace pssc::command {

namespace {

struct PredictOptions {
  std::string model, input, output, labels, device = "auto";
  unsigned threads = 0;
  bool quiet = false;
  ImageLimits limits;
};

/// What the clusters are called: by the edits beside the model, where a person has made some, or by the model itself.
std::vector<std::string> names_of(const Model& model, const std::filesystem::path& path) {
  const std::filesystem::path folder = path.parent_path();
  if (!std::filesystem::exists(folder / "edits.jsonl") || path.filename() != "model.pssc") return model.names();
  return EditedRun(folder.empty() ? "." : folder).names_of_run(model.clusters());
}

void run(const PredictOptions& options) {
  const auto ranks = distributed::start();
  const bool first = ranks->rank() == 0, one = ranks->ranks() == 1;
  const Model model = Model::load(options.model);
  const std::vector<std::string> names = names_of(model, options.model);
  ImageParams params = model.image_params();
  params.labels = options.labels;
  params.limits = options.limits;
  const auto images = open_images(options.input, params);
  Context context(options.threads, 0, device_of_rank(options.device));
  context.set_ranks(ranks);
  if (first && !options.quiet && !options.output.empty() && ProgressLine::wanted()) context.progress = ProgressLine();

  std::optional<OutputFile> file;
  if (one && !options.output.empty()) file.emplace(options.output);
  std::string part;  // of several ranks: each writes its own into one file at the end
  const auto write = [&](const std::string& text) {
    if (!one)
      part += text;
    else if (file)
      file->write(text);
    else
      fmt::print("{}", text);
  };
  std::size_t placed = 0, outliers = 0;
  if (first) write(names.empty() ? "id,cluster,confidence,outlier\n" : "id,cluster,confidence,outlier,name\n");
  const auto skipped = model.predict(context, *images, [&](const Clustering& some, std::span<const std::size_t> rows) {
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += fmt::format("{},{},{:.4f},{}", csv_field(images->id(rows[i])), some.labels[i], some.confidence[i],
                          int{some.outliers[i]});
      if (!names.empty()) text += "," + csv_field(names[static_cast<std::size_t>(some.labels[i])]);
      text += '\n';
      outliers += some.outliers[i];
    }
    placed += rows.size();
    write(text);
  });
  if (context.progress) ProgressLine::clear();
  placed = sum_of_all(context, placed);
  outliers = sum_of_all(context, outliers);
  if (placed == 0)
    once(context, [&] {
      throw input_error(fmt::format("none of the {} images of {} could be read; the first, {}: {}", images->count(),
                                    images->name(), skipped.front().id, skipped.front().reason));
    });
  if (file) file->commit();
  if (!one && !options.output.empty()) write_parts(context, options.output, part);
  if (!one && options.output.empty())
    for (const std::string& text : gather_at_first(context, std::vector<std::string>{part})) fmt::print("{}", text);
  if (!first) return;
  for (const BrokenImage& b : skipped) std::fprintf(stderr, "pssc: skipped %s: %s\n", b.id.c_str(), b.reason.c_str());
  if (!options.output.empty() && !options.quiet && !(file && file->is_stream()))
    fmt::print("{}: {} images placed in {} clusters, {} of them outliers\nwritten: {}\n", images->name(), placed,
               model.clusters(), outliers, options.output);
}

}  // namespace

void add_predict(Command& program) {
  Command command = program.add("predict", "Place new images in the clusters of a run");
  auto options = std::make_shared<PredictOptions>();
  command.option("MODEL", options->model, "A model.pssc written by pssc cluster -o").required();
  command.option("INPUT", options->input, "The images to place: whatever pssc cluster takes").required();
  command.option("-o,--output", options->output, "Write the labels to this csv file instead of standard output")
      .shown("FILE");
  command.option("--threads", options->threads, "Number of threads; 0: one per core. The result does not depend on it")
      .range(0, 1024)
      .shown("N (0)");
  command.option("--device", options->device, "auto: a GPU where there is one; cpu; or cuda").shown("NAME (auto)");
  add_limits(command, options->limits);
  command.flag("--quiet", options->quiet, "Show no progress and print nothing but the labels");
  command.run([options] { run(*options); });
}

}  // namespace pssc::command
