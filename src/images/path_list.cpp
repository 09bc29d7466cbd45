#include "path_list.hpp"

#include "file_set.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace pssc::images {

namespace {

bool is_the_list(const std::filesystem::path& path, const std::filesystem::path& list) {
  std::error_code ignored;
  return path.filename() == list.filename() && std::filesystem::equivalent(list.parent_path() / path, list, ignored);
}

}  // namespace

std::unique_ptr<ImageSet> open_path_list(const Bytes& text, const std::filesystem::path& list,
                                         const ImageParams& params) {
  constexpr std::uint64_t max_list = std::uint64_t{1} << 30;
  const auto bytes = read_all(text, shown(list), max_list);
  std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::string> paths;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#') || line.find_first_not_of(" \t") == line.npos) continue;
    paths.emplace_back(line);
    if (is_the_list(paths.back(), list))
      throw input_error(
          fmt::format("{} names itself in line {}; a list holds paths of images, not of lists", shown(list), number));
  }
  if (paths.empty()) throw input_error(fmt::format("{} lists no paths; give one a line", shown(list)));
  return open_paths(list.parent_path(), std::move(paths), shown(list), params);
}

std::unique_ptr<ImageSet> open_paths(const std::filesystem::path& base, std::vector<std::string> paths,
                                     const std::string& list, const ImageParams& params) {
  const bool any = std::ranges::any_of(paths, [&](const std::string& path) {
    std::error_code ignored;
    return path.find('\0') == path.npos && std::filesystem::is_regular_file(base / path, ignored);
  });
  if (!any)
    throw input_error(
        fmt::format("none of the {} paths that {} lists is a file; paths are taken relative to the list's "
                    "folder, one a line",
                    paths.size(), list));
  return open_image_files(base, std::move(paths), std::nullopt, params);
}

}  // namespace pssc::images
