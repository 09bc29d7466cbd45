#pragma once

#include <pssc/images.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pssc::images {

/// Image files, decoded at each read. `ids` are paths relative to `base` (or absolute), and the images' names.
std::unique_ptr<ImageSet> open_image_files(std::filesystem::path base, std::vector<std::string> ids,
                                           std::optional<Labels> labels, const ImageParams& params);

}  // namespace pssc::images
