#include "commands.hpp"
#include "options.hpp"
#include "progress_line.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/files.hpp>
#include <pssc/edits.hpp>
#include <pssc/geometry.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace pssc::command {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 2> domains{"image", "scattering"};

struct GeometryOptions {
  explicit GeometryOptions(Command& command) : stages(command, StageOptions::Upto::scattering) {}
  StageOptions stages;
  std::string classes, folder;
  std::size_t dims = 10;
};

/// Images in classes, whoever named them.
struct Classed {
  std::unique_ptr<ImageSet> images;
  std::vector<std::string> names;
  std::vector<std::vector<std::size_t>> members;
};

bool is_run(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "summary.json") && std::filesystem::exists(folder / "labels.csv");
}

/// The clusters of a finished run, as they are after a person's edits.
Classed open_run(const std::string& folder) {
  const EditedRun run{folder};
  Classed classed{.images = run.open_input()};
  const std::vector<std::size_t> numbers = run.numbers(*classed.images);
  std::vector<std::vector<std::size_t>> members(run.clusters());
  for (std::size_t row = 0; row < run.count(); ++row)
    if (run.label(row) >= 0) members[static_cast<std::size_t>(run.label(row))].push_back(numbers[row]);
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (members[c].empty()) continue;
    const auto found = run.names().find(static_cast<Label>(c));
    classed.names.push_back(found == run.names().end() ? std::to_string(c) : found->second);
    classed.members.push_back(std::move(members[c]));
  }
  return classed;
}

Classed open_classes(const StageOptions& options) {
  if (is_run(options.input)) return open_run(options.input);
  Classed classed{.images = open_images(options.input, options.images())};
  if (!classed.images->labels())
    throw input_error(options.input +
                      " has no classes; name a file of labels with --labels, or the folder of a run to compare its "
                      "clusters");
  const Labels& labels = *classed.images->labels();
  classed.names = labels.names;
  classed.members.resize(labels.names.size());
  for (std::size_t i = 0; i < labels.values.size(); ++i)
    classed.members[static_cast<std::size_t>(labels.values[i])].push_back(i);
  return classed;
}

std::size_t place_of(const Classed& classed, const std::string& name) {
  const auto found = std::ranges::find(classed.names, name);
  if (found == classed.names.end())
    throw usage_error(fmt::format(
        "--classes: there is no class '{}'; there are {}", name,
        fmt::join(classed.names.begin(),
                  classed.names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(20, classed.names.size())),
                  ", ")));
  return static_cast<std::size_t>(found - classed.names.begin());
}

/// Those that were named, or all that span something.
std::vector<std::size_t> chosen_classes(const Classed& classed, const std::string& text) {
  std::vector<std::size_t> chosen;
  if (text.empty()) {
    for (std::size_t c = 0; c < classed.names.size(); ++c)
      if (classed.members[c].size() > 1) chosen.push_back(c);
    if (chosen.size() < 2) throw input_error("there are not two classes of two images or more to compare");
    return chosen;
  }
  // Names may hold commas: any of them may be the one between the two.
  for (std::size_t at = text.find(','); at != std::string::npos; at = text.find(',', at + 1)) {
    const std::string a = text.substr(0, at), b = text.substr(at + 1);
    const bool known = std::ranges::count(classed.names, a) && std::ranges::count(classed.names, b);
    if (!known && text.find(',', at + 1) != std::string::npos) continue;
    chosen = {place_of(classed, a), place_of(classed, b)};
    if (chosen[0] == chosen[1]) throw usage_error("--classes must name two different classes, not '" + text + "'");
    return chosen;
  }
  throw usage_error("--classes must be two names with a comma between them such as 0,2, not '" + text + "'");
}

Json compute(const Context& context, const GeometryOptions& options, const Classed& classed,
             const std::vector<std::size_t>& chosen) {
  Json classes = Json::array(), result = Json::array();
  for (const std::size_t c : chosen)
    classes.push_back({{"name", classed.names[c]}, {"images", classed.members[c].size()}});
  for (const char* domain : domains) {
    Parameters parameters = options.stages.parameters();
    parameters.features = domain == domains[0] ? Features::pixels : Features::scattering;
    std::vector<ClassSubspace> subspaces;
    Json shares = Json::array(), pairs = Json::array();
    for (const std::size_t c : chosen) {
      context.report(fmt::format("{} domain", domain), subspaces.size(), chosen.size());
      subspaces.push_back(class_subspace(context, parameters, *classed.images, classed.members[c], options.dims));
      shares.push_back(subspaces.back().shares);
    }
    for (std::size_t a = 0; a < chosen.size(); ++a)
      for (std::size_t b = a + 1; b < chosen.size(); ++b) {
        const SubspaceAngles found = angles_between(subspaces[a], subspaces[b]);
        pairs.push_back({{"classes", {classed.names[chosen[a]], classed.names[chosen[b]]}},
                         {"principal", found.principal},
                         {"affinity", found.affinity},
                         {"greedy", found.greedy},
                         {"greedy_affinity", found.greedy_affinity}});
      }
    result.push_back({{"domain", domain}, {"shares", shares}, {"pairs", pairs}});
  }
  return {{"version", version()},
          {"input", options.stages.input},
          {"dims", options.dims},
          {"classes", classes},
          {"domains", result}};
}

std::string angle_line(const char* name, const Json& angles, double affinity) {
  std::string text = fmt::format("  {:<18}", name);
  for (const Json& a : angles) text += fmt::format("{:6.1f}", a.get<double>());
  return text + fmt::format("   affinity {:.3f}\n", affinity);
}

std::string table(const Json& result) {
  std::string text;
  for (const Json& domain : result["domains"]) {
    text += fmt::format("{}{} domain, degrees\n", text.empty() ? "" : "\n", domain["domain"].get<std::string>());
    const bool detail = domain["pairs"].size() == 1;
    if (!detail) text += "  classes                     smallest principal angles     affinity   greedy\n";
    for (const Json& p : domain["pairs"]) {
      if (detail) {
        text += angle_line("principal angles", p["principal"], p["affinity"]);
        text += angle_line("matched greedily", p["greedy"], p["greedy_affinity"]);
        continue;
      }
      text +=
          fmt::format("  {:<26}", p["classes"][0].get<std::string>() + " and " + p["classes"][1].get<std::string>());
      for (std::size_t i = 0; i < 4; ++i)
        text +=
            i < p["principal"].size() ? fmt::format("{:7.1f}", p["principal"][i].get<double>()) : std::string(7, ' ');
      text += fmt::format("{:11.3f}{:9.3f}\n", p["affinity"].get<double>(), p["greedy_affinity"].get<double>());
    }
  }
  return text;
}

void run(const GeometryOptions& options) {
  require_one_rank("geometry");
  const Context context = options.stages.context();
  const Classed classed = open_classes(options.stages);
  const std::vector<std::size_t> chosen = chosen_classes(classed, options.classes);
  if (!options.folder.empty()) require_writable_folder(options.folder);
  const Json result = compute(context, options, classed, chosen);
  if (context.progress) ProgressLine::clear();
  const std::string json = result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", text = table(result);
  if (!options.folder.empty()) {
    write_file(std::filesystem::path(options.folder) / "geometry.json", json);
    write_file(std::filesystem::path(options.folder) / "geometry.txt", text);
  }
  if (options.stages.json) {
    fmt::print("{}", json);
  } else if (!options.stages.quiet) {
    fmt::print("{}", text);
    if (!options.folder.empty()) fmt::print("written: {0}/geometry.json, {0}/geometry.txt\n", options.folder);
  }
}

}  // namespace

void add_geometry(Command& program) {
  Command command = program.add("geometry", "Measure the angles between the subspaces of classes or clusters");
  command.takes_program_options();
  auto options = std::make_shared<GeometryOptions>(command);
  command
      .option("--classes", options->classes,
              "Two classes, or two clusters where INPUT is the folder of a run; by default all pairs")
      .shown("A,B");
  command.option("--dims", options->dims, "Number of dimensions of each subspace").shown("N (10)").range(1, 1000);
  command.option("-o,--output", options->folder, "Write geometry.json and geometry.txt to this folder").shown("DIR");
  command.run([options] { run(*options); });
}

}  // namespace pssc::command
