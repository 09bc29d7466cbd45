#pragma once

#include <pssc/images.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pssc::images {

inline constexpr std::size_t default_synthetic_count = 10000;

/// Opens the data set that `name` names, `synthetic:COUNT` too, its files checked against their SHA-256; nothing where
/// no data set has this name. Throws Error(input) with the remedy where its files are absent or altered.
std::unique_ptr<ImageSet> open_dataset(const std::string& name, const ImageParams& params);

/// The names of the known data sets, and the one that differs from `name` by the fewest letters.
std::vector<std::string> dataset_names();
std::string nearest_dataset(const std::string& name);

/// ${XDG_CACHE_HOME:-~/.cache}/pssc; nothing where neither variable is set.
std::optional<std::filesystem::path> cache_folder();

}  // namespace pssc::images
