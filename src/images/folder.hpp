#pragma once

#include <pssc/images.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace pssc::images {

/// The image files below a folder, as paths within it, sorted by their bytes: the order depends on the names alone.
/// Files are told by their ending; hidden files and folders are passed over, links to folders are not followed. Throws
/// Error(input) where a folder cannot be read.
std::vector<std::string> list_image_files(const std::filesystem::path& folder);

/// The images of a folder; labels are the names of the immediate sub-folders, where at least two hold all the images.
/// Throws Error(input) where there are no images.
std::unique_ptr<ImageSet> open_folder(const std::filesystem::path& folder, const ImageParams& params);

}  // namespace pssc::images
