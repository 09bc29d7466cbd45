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

void add_datasets(Command& program) {
  Command command = program.add("datasets", "List, find or fetch the known data sets");
  command.at_most_one_command();
  auto name = std::make_shared<std::string>();
  Command path = command.add("path", "Print the folder a data set lies in");
  path.option("NAME", *name, "A data set's name").required();
  Command fetch = command.add("fetch", "Fetch a data set into the cache folder");
  fetch.option("NAME", *name, "A data set's name").required();
  command.add("list", "The known data sets and where they are (the default)");
  command.run([path, fetch, name] {
    if (path.was_given()) return print_path(*name);
    if (fetch.was_given()) return fmt::print("{}\n", fetch_dataset(*name).string());
    list();
  });
}

}  // namespace pssc::command
