#include "folder.hpp"

#include "bytes.hpp"
#include "file_set.hpp"
#include "labels.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

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

bool lies_in(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

/// One way through a folder and all below it, each folder once, whatever links there are.
class Walk {
 public:
  Walk(const fs::path& folder, bool follow_links) : follow_links_(follow_links) {
    std::error_code error;
    root_ = fs::canonical(folder, error);
    if (error) throw unreadable(folder, error);
    enter(folder, root_, {});
  }

  FolderListing listing() {
    std::ranges::sort(found_, {}, &Found::path);
    FolderListing listing;
    listing.paths.reserve(found_.size());
    for (Found& found : found_) {
      if (!found.refused.empty()) listing.refused.emplace(listing.paths.size(), std::move(found.refused));
      listing.paths.push_back(std::move(found.path));
    }
    return listing;
  }

 private:
  struct Found {
    std::string path, refused;
  };

  void enter(const fs::path& folder, const fs::path& real, const std::string& prefix) {
    if (!entered_.insert(real).second) return;
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      if (!at->path().filename().native().starts_with('.')) entries.push_back(*at);
    if (error) throw unreadable(folder, error);
    std::ranges::sort(entries, {}, [](const fs::directory_entry& e) -> const fs::path& { return e.path(); });
    for (const auto& entry : entries) {
      const std::string path = prefix + entry.path().filename().string();
      std::error_code ignored;
      if (entry.is_symlink(ignored))
        take_link(entry, path);
      else if (entry.is_directory(ignored))
        enter(entry.path(), real / entry.path().filename(), path + "/");
      else if (has_image_ending(entry.path()) && entry.is_regular_file(ignored))
        found_.push_back({path, {}});
    }
  }

  /// A link to what lies in the folder is as good as a file, but a folder is read where it lies. What lies outside was
  /// perhaps not meant to be read.
  void take_link(const fs::directory_entry& link, const std::string& path) {
    std::error_code error, ignored;
    const fs::path target = fs::canonical(link.path(), error);
    const bool image = has_image_ending(link.path());
    if (error) {
      if (image) found_.push_back({path, fmt::format("it is a link that leads nowhere: {}", error.message())});
      return;
    }
    const bool inside = lies_in(target, root_), folder = fs::is_directory(target, ignored);
    if (folder && inside) return;
    if (!folder && !(image && fs::is_regular_file(target, ignored))) return;
    if (!inside && !follow_links_)
      found_.push_back({folder ? path + "/" : path,
                        fmt::format("it is a link out of the folder, to {}; --follow-links reads it", shown(target))});
    else if (folder)
      enter(link.path(), target, path + "/");
    else
      found_.push_back({path, {}});
  }

  bool follow_links_;
  fs::path root_;
  std::vector<Found> found_;
  std::set<fs::path> entered_;
};

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

FolderListing list_image_files(const fs::path& folder, bool follow_links) {
  return Walk(folder, follow_links).listing();
}

std::unique_ptr<ImageSet> open_folder(const fs::path& folder, const ImageParams& params) {
  std::error_code error;
  if (fs::is_empty(folder, error) && !error)
    throw input_error(fmt::format("the folder {} is empty; give one that holds images", shown(folder)));
  auto [paths, refused] = list_image_files(folder, params.limits.follow_links);
  if (paths.empty())
    throw input_error(
        fmt::format("the folder {} holds no PNG, JPEG, WebP, TIFF, BMP or PGM file; give one that holds "
                    "images",
                    shown(folder)));
  auto labels = labels_of_class_folders(paths);
  return open_image_files(folder, std::move(paths), std::move(labels), params, std::move(refused));
}

}  // namespace pssc::images
