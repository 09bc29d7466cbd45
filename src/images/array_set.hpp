#pragma once

#include "numbers.hpp"

#include <pssc/images.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace pssc::images {

/// The images of one or more arrays, one array after another, each of shape [n, h, w] or [n, h, w, 1, 3 or 4]. Floats
/// that all lie in 0..1 are scaled to 0..255, as are booleans; all other numbers are taken as they are. Float arrays
/// are read once here. Throws Error(input) naming the file: another rank, no images, NaN or infinity.
std::unique_ptr<ImageSet> open_arrays(std::vector<NumberArray> arrays, std::optional<Labels> labels,
                                      const ImageParams& params);

}  // namespace pssc::images
