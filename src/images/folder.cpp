#include "folder.hpp"

#include "bytes.hpp"
#include "file_set.hpp"
#include "labels.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace pssc::images {

namespace {

namespace fs = std::filesystem;

bool has_image_ending(const fs::path& path) {
  constexpr std::array<std::string_view, 10> endings{".png",  ".jpg", ".jpeg", ".webp", ".tif",
                                                     ".tiff", ".bmp", ".pgm",  ".ppm",  ".pnm"};
  std::string ending = path.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return std::ranges::find(endings, ending) != endings.end();
}

Error unreadable(const fs::path& folder, const std::error_code& error) {
  return input_error(
      fmt::format("cannot read the folder {}: {}; check its permissions", shown(folder), error.message()));
}

/// The names of the immediate sub-folders the images lie in; none where an image lies outside or all lie in one.
std::optional<Labels> labels_of_class_folders(const std::vector<std::string>& paths) {
  std::vector<std::string> classes;
  classes.reserve(paths.size());
  for (const auto& path : paths) {
    const std::size_t slash = path.find('/');
    if (slash == std::string::npos) return std::nullopt;
    classes.push_back(path.substr(0, slash));
  }
  Labels labels = make_labels(classes);
  if (labels.names.size() < 2) return std::nullopt;
  return labels;
}

}  // namespace

std::vector<std::string> list_image_files(const fs::path& folder) {
  std::error_code error, ignored;
  std::vector<std::string> paths;
  fs::recursive_directory_iterator at(folder, error), end;
  for (; !error && at != end; at.increment(error)) {
    if (at->path().filename().native().starts_with('.')) {
      at.disable_recursion_pending();
    } else if (has_image_ending(at->path()) && at->is_regular_file(ignored)) {
      paths.push_back(at->path().lexically_relative(folder).generic_string());
    }
  }
  if (error) throw unreadable(folder, error);
  std::ranges::sort(paths);
  return paths;
}

std::unique_ptr<ImageSet> open_folder(const fs::path& folder, const ImageParams& params) {
  std::error_code error;
  if (fs::is_empty(folder, error) && !error)
    throw input_error(fmt::format("the folder {} is empty; give one that holds images", shown(folder)));
  auto paths = list_image_files(folder);
  if (paths.empty())
    throw input_error(
        fmt::format("the folder {} holds no PNG, JPEG, WebP, TIFF, BMP or PGM file; give one that holds "
                    "images",
                    shown(folder)));
  auto labels = labels_of_class_folders(paths);
  return open_image_files(folder, std::move(paths), std::move(labels), params);
}

}  // namespace pssc::images
