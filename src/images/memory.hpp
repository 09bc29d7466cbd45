#pragma once

#include "numbers.hpp"

#include <pssc/images.hpp>

namespace pssc::images {

/// The numbers of an array in memory, whatever its strides, read where they lie. Throws Error(input) for a type that
/// cannot be read.
NumberArray strided_numbers(const ArrayView& array);

}  // namespace pssc::images
