#pragma once

#include "bytes.hpp"

#include <pssc/images.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace pssc::images {

/// The images that a text file lists, one path a line, relative to the list's folder; blank lines and lines that begin
/// with # are passed over. Throws Error(input) where it lists nothing, or nothing that is there.
std::unique_ptr<ImageSet> open_path_list(const Bytes& text, const std::filesystem::path& list,
                                         const ImageParams& params);

/// The images of these paths. `list` names them in the message where none of them is a file. Throws Error(input).
std::unique_ptr<ImageSet> open_paths(const std::filesystem::path& base, std::vector<std::string> paths,
                                     const std::string& list, const ImageParams& params);

}  // namespace pssc::images
