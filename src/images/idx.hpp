#pragma once

#include "numbers.hpp"

#include <span>
#include <string>

namespace pssc::images {

/// Whether a file that begins so is IDX: two zeros, a known element type, a rank.
bool is_idx(std::span<const std::uint8_t> head);

/// The array of an IDX file (big-endian, of any rank). Throws Error(input) where the file holds less or more than its
/// header promises, or its size overflows.
NumberArray open_idx(SharedBytes bytes, const std::string& where);

}  // namespace pssc::images
