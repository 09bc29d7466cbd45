#include "commands.hpp"

#include <pssc/core/error.hpp>
#include <pssc/edits.hpp>
#include <pssc/pipeline.hpp>

#include <fmt/format.h>

#include <memory>

namespace pssc::command {

namespace {

struct ExportOptions {
  std::string folder, form = "csv", to;
  bool copy = false;
};

/// The run's model with the names that its clusters have been given.
void export_model(const EditedRun& edited, std::filesystem::path to) {
  if (to.empty()) to = edited.folder() / "named.pssc";
  if (std::filesystem::exists(to))
    throw usage_error(fmt::format("{} is already there; name another with -o", to.string()));
  const Model model = Model::load(edited.folder() / "model.pssc");
  model.named(edited.names_of_run(model.clusters())).save(to);
  fmt::print("written: {}\n", to.string());
}

void run(const ExportOptions& options) {
  const EditedRun edited(options.folder);
  if (options.form == "model") return export_model(edited, options.to);
  const ExportForm form = options.form == "csv"    ? ExportForm::csv
                          : options.form == "json" ? ExportForm::json
                                                   : ExportForm::folders;
  std::filesystem::path to = options.to;
  if (to.empty())
    to = std::filesystem::path(options.folder) / (form == ExportForm::folders ? "folders" : "export." + options.form);
  export_run(edited, form, to, options.copy);
  fmt::print("written: {}\n", to.string());
}

}  // namespace

void add_export(Command& program) {
  Command command = program.add("export", "Write the clusters of a run, with their names");
  auto options = std::make_shared<ExportOptions>();
  command.option("DIR", options->folder, "A folder written by pssc cluster -o").required();
  command
      .option("--to", options->form,
              "csv; json; folders: one per cluster, with links to its images; model: one that predicts the names")
      .one_of({"csv", "json", "folders", "model"})
      .required()
      .shown("csv|json|folders|model");
  command.option("-o,--output", options->to, "Where to write it; by default inside DIR").shown("PATH");
  command.flag("--copy", options->copy, "Copy the images into the folders instead of linking to them");
  command.run([options] { run(*options); });
}

}  // namespace pssc::command
