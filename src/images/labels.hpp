#pragma once

#include "numbers.hpp"

#include <pssc/images.hpp>

#include <string>
#include <vector>

namespace pssc::images {

/// Numbers the classes that the names make, one name an image.
Labels make_labels(const std::vector<std::string>& values);

/// Labels from an array of shape [n] or [n, 1]: integers, or floats without a fraction. Throws Error(input).
Labels labels_from_array(const NumberArray& array);

/// Both, one after the other.
Labels join_labels(const Labels& first, const Labels& second);

/// Throws Error(input) where `labels_name` does not hold as many labels as `images_name` holds images.
void require_label_count(std::size_t labels, const std::string& labels_name, std::size_t images,
                         const std::string& images_name);

}  // namespace pssc::images
