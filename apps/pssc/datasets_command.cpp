#include "commands.hpp"
#include "progress_line.hpp"

#include <pssc/core/error.hpp>
#include <pssc/images.hpp>

#include <fmt/format.h>

#include <memory>

namespace pssc::command {

namespace {

void list() {
  fmt::print("{:<20}{:>9}  {:>7}  {}\n", "name", "images", "classes", "where");
  for (const DatasetInfo& d : list_datasets())
    fmt::print("{:<20}{:>9}  {:>7}  {}\n", d.name, d.count ? with_commas(d.count) : "any", d.classes,
               d.path ? d.path->string() : d.remedy);
}

void print_path(const std::string& name) {
  std::string known;
  for (const DatasetInfo& d : list_datasets()) {
    known += (known.empty() ? "" : ", ") + d.name;
    if (d.name != name) continue;
    if (!d.path) throw input_error(fmt::format("{} is not here; {}", name, d.remedy));
    fmt::print("{}\n", d.path->string());
    return;
  }
  throw input_error(fmt::format("unknown data set '{}'; known are {}", name, known));
}

}  // namespace

void add_datasets(CLI::App& app) {
  CLI::App* command = app.add_subcommand("datasets", "List, find or fetch the known data sets");
  command->require_subcommand(0, 1);
  auto name = std::make_shared<std::string>();
  CLI::App* path = command->add_subcommand("path", "Print the folder a data set lies in");
  path->add_option("NAME", *name, "A data set's name")->required();
  CLI::App* fetch = command->add_subcommand("fetch", "Fetch a data set into the cache folder");
  fetch->add_option("NAME", *name, "A data set's name")->required();
  command->add_subcommand("list", "The known data sets and where they are (the default)");
  command->callback([command, path, fetch, name] {
    if (path->parsed()) return print_path(*name);
    if (fetch->parsed()) return fmt::print("{}\n", fetch_dataset(*name).string());
    list();
  });
}

}  // namespace pssc::command
