#include <pssc/core/error.hpp>
#include <pssc/invariance.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace pssc {

namespace {

constexpr std::array<std::pair<const char*, Change>, 9> known{{{"shift", Change::shift},
                                                               {"tilt", Change::tilt},
                                                               {"scale", Change::scale},
                                                               {"stretch", Change::stretch},
                                                               {"shear", Change::shear},
                                                               {"thickness", Change::thickness},
                                                               {"gain", Change::gain},
                                                               {"colour", Change::colour},
                                                               {"background", Change::background}}};

void set(Ignored& ignored, std::string_view name, bool on, std::string_view list) {
  if (name == "rotate") {
    ignored.rotate = on;
    return;
  }
  if (name == "flip") {
    ignored.flip = on;
    return;
  }
  const auto found = std::ranges::find_if(known, [&](const auto& k) { return name == k.first; });
  if (found == known.end())
    throw usage_error(
        fmt::format("--ignore {}: '{}' is not a kind of change; known are shift, tilt, scale, stretch, "
                    "shear, thickness, gain, colour, background, flip and rotate",
                    list, name));
  std::erase(ignored.changes, found->second);
  if (on) ignored.changes.push_back(found->second);
  std::ranges::sort(ignored.changes);
}

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

Ignored ignored_by_default() {
  return {{Change::shift, Change::tilt, Change::scale, Change::stretch, Change::shear, Change::thickness, Change::gain},
          false,
          false};
}

Ignored parse_ignored(std::string_view list) {
  if (list == "none") return {};
  const std::vector<std::string_view> parts = parts_of(list);
  const auto is_edit = [](std::string_view part) { return part.starts_with('+') || part.starts_with('-'); };
  const auto edits = static_cast<std::size_t>(std::ranges::count_if(parts, is_edit));
  if (edits != 0 && edits != parts.size())
    throw usage_error(
        fmt::format("--ignore {}: give either a list of kinds, or changes to the default, each with + or -", list));
  Ignored ignored = edits > 0 ? ignored_by_default() : Ignored{};
  for (const std::string_view part : parts)
    set(ignored, edits > 0 ? part.substr(1) : part, !part.starts_with('-'), list);
  return ignored;
}

const char* name_of(Change change) {
  return known[static_cast<std::size_t>(change)].first;
}

std::vector<std::string> names_of(const Ignored& ignored) {
  std::vector<std::string> names;
  for (const Change change : ignored.changes) names.emplace_back(name_of(change));
  if (ignored.rotate) names.emplace_back("rotate");
  if (ignored.flip) names.emplace_back("flip");
  return names;
}

}  // namespace pssc
