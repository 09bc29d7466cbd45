#include "commands.hpp"

#include <pssc/core/error.hpp>
#include <pssc/edits.hpp>

#include <fmt/format.h>

#include <memory>

namespace pssc::command {

namespace {

struct ExportOptions {
  std::string folder, form = "csv", to;
  bool copy = false;
};

void run(const ExportOptions& options) {
  const EditedRun edited(options.folder);
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

void add_export(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "Write the clusters of a run with their names");
  auto options = std::make_shared<ExportOptions>();
  command->add_option("DIR", options->folder, "A folder that pssc cluster -o wrote")->required()->type_name("");
  command->add_option("--to", options->form, "csv, json, or folders: one a cluster, with links to its images")
      ->check(CLI::IsMember({"csv", "json", "folders"}))
      ->required()
      ->type_name("")
      ->option_text("csv|json|folders");
  command->add_option("-o,--output", options->to, "Where to; unless given, inside DIR")->option_text("PATH");
  command->add_flag("--copy", options->copy, "Copy images into the folders instead of linking to them");
  command->callback([options] { run(*options); });
}

}  // namespace pssc::command
