#pragma once

#include <pssc/core/context.hpp>
#include <pssc/images.hpp>

#include <cstddef>
#include <vector>

namespace pssc::explorer {

/// Clusters the numbered images again, on their own. Returns what becomes of each: positions in `numbers`, the largest
/// part first. Throws as pssc::cluster does.
std::vector<std::vector<std::size_t>> split_images(const Context& context, const ImageSet& images,
                                                   const std::vector<std::size_t>& numbers, std::size_t parts);

}  // namespace pssc::explorer
