#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>

namespace pssc::report {

/// Throws Error(input) where JSON does not have a shape, which is written as JSON itself: "text", "flag", "number" (not
/// negative), "signed", "any", "image" (a whole number below `images`); [SHAPE] is a list of any length; {"name":
/// SHAPE} an object that has at least these, a name ending in "?" being one that may be missing or null.
void require_shape(const nlohmann::ordered_json& value, const nlohmann::ordered_json& shape, std::size_t images);

}  // namespace pssc::report
