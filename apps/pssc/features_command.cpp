#include "commands.hpp"
#include "options.hpp"
#include "progress_line.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace pssc::command {

namespace {

struct FeaturesOptions {
  explicit FeaturesOptions(Command& command) : stages(command) {}
  StageOptions stages;
  std::string stage = "scattering", file;
};

FeatureStage parse_stage(const std::string& name) {
  if (name == "scattering") return FeatureStage::scattering;
  if (name == "equalised") return FeatureStage::equalised;
  if (name == "projected") return FeatureStage::projected;
  throw usage_error("--stage cannot be '" + name + "'; it is one of scattering, equalised, projected");
}

void write_rows(OutputFile& file, FloatView rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i) file.write(rows.row(i).data(), rows.cols() * sizeof(float));
}

void run(const FeaturesOptions& options) {
  require_one_rank("features");
  const FeatureStage stage = parse_stage(options.stage);
  const Parameters parameters = options.stages.parameters();
  const Context context = options.stages.context();
  const auto images = open_images(options.stages.input, options.stages.images());
  OutputFile file(options.file);
  const bool quiet = options.stages.quiet || options.stages.json || file.is_stream();
  std::string shape_text;
  const auto skipped = stream_features(
      context, parameters, *images, stage,
      [&](const FeatureShape& shape) {
        std::vector<std::size_t> dims{shape.images};
        dims.insert(dims.end(), shape.row.begin(), shape.row.end());
        file.write(npy_header("<f4", dims));
        shape_text = fmt::format("{}", fmt::join(dims, " x "));
      },
      [&](FloatView rows) { write_rows(file, rows); });
  file.commit();
  if (context.progress) ProgressLine::clear();
  for (const BrokenImage& b : skipped) fmt::print(stderr, "skipped {}: {}\n", b.id, b.reason);
  if (!quiet) fmt::print("written: {} ({}, float32)\n", options.file, shape_text);
}

}  // namespace

void add_features(Command& program) {
  Command command = program.add("features", "Write the features of images as a NumPy array");
  command.takes_program_options();
  auto options = std::make_shared<FeaturesOptions>(command);
  command.option("-o,--output", options->file, "The array to write, float32").required().shown("FILE.npy");
  command
      .option("--stage", options->stage, "scattering or equalised: [n,paths,h,w]; projected: [n,d], after PCA and POC")
      .shown("(scattering)");
  command.run([options] { run(*options); });
}

}  // namespace pssc::command
