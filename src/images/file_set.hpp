#pragma once

#include <pssc/images.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace pssc::images {

/// Why some files are not to be read, by their number.
using Refusals = std::unordered_map<std::size_t, std::string>;

/// Image files, decoded at each read. `ids` are paths relative to `base` (or absolute), and the images' names; those
/// that are `refused` are told as broken.
std::unique_ptr<ImageSet> open_image_files(std::filesystem::path base, std::vector<std::string> ids,
                                           std::optional<Labels> labels, const ImageParams& params,
                                           Refusals refused = {});

}  // namespace pssc::images
