// The files of a finished run, as `pssc explore` and `pssc export` read them. The first byte says which of them is
// replaced by the others: l labels.csv, s summary.json, j the JSON in explore.pssc, x the whole of that with its
// checksum set right, anything else edits.jsonl.
#include "run_folder.hpp"

#include "explorer/session.hpp"

#include <pssc/core/archive.hpp>

#include <nlohmann/json.hpp>

using namespace pssc;

namespace {

const char* file_named(std::uint8_t first) {
  switch (first) {
    case 'l':
      return "labels.csv";
    case 's':
      return "summary.json";
    case 'j':
    case 'x':
      return "explore.pssc";
    default:
      return "edits.jsonl";
  }
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether a summary names images that would have to be looked for all over the disk.
bool looks_elsewhere(std::string_view summary) {
  const auto json = nlohmann::json::parse(summary, nullptr, false);
  if (!json.is_object() || !json.contains("input") || !json["input"].is_object()) return false;
  for (const char* key : {"path", "name"})
    if (json["input"].contains(key) && json["input"][key].is_string() &&
        json["input"][key].get<std::string>() != "synthetic:12")
      return true;
  return false;
}

/// The page's data around other JSON.
std::string with_json(const std::string& file, std::string_view json) {
  PageData data = PageData::from_bytes(file, "explore.pssc");
  data.json = json;
  return data.bytes();
}

void explore(const std::filesystem::path& folder) {
  const explorer::Session session(folder);
  fuzz::require(session.page().find("<script>alert") == std::string::npos, "a script of somebody else's");
  session.state();
  session.members(0, true);
  session.review(5);
  session.labels_of_page();
  session.rows_of_page();
  session.exported(ExportForm::csv);
  session.exported(ExportForm::json);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::TemporaryFolder folder;
  static const bool made = (fuzz::make_run(folder.path()), true);
  static_cast<void>(made);
  if (size == 0) return 0;
  const std::string name = file_named(data[0]);
  const std::string_view content = fuzz::text_of(data + 1, size - 1);
  if (name == "summary.json" && looks_elsewhere(content)) return 0;
  const std::string before = contents(folder.path() / name);
  folder.write(name, data[0] == 'j'   ? with_json(before, content)
                     : data[0] == 'x' ? sealed(std::string(content))
                                      : std::string(content));
  fuzz::unless_refused([&] { explore(folder.path()); });
  if (before.empty())
    std::filesystem::remove(folder.path() / name);
  else
    folder.write(name, before);
  return 0;
}
