#pragma once

#include "file_set.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace pssc::images {

struct FolderListing {
  std::vector<std::string> paths;
  Refusals refused;
};

/// The image files below a folder, as paths within it, sorted by their bytes: the order depends on the names alone.
/// Files are told by their ending; hidden files and folders are passed over. Links to files of the folder are read,
/// links to folders in it are passed over; links out of it are refused, or followed, each folder once. Throws
/// Error(input) where a folder cannot be read.
FolderListing list_image_files(const std::filesystem::path& folder, bool follow_links);

/// The images of a folder; labels are the names of the immediate sub-folders, where at least two hold all the images.
/// Throws Error(input) where there are no images.
std::unique_ptr<ImageSet> open_folder(const std::filesystem::path& folder, const ImageParams& params);

}  // namespace pssc::images
