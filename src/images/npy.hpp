#pragma once

#include "numbers.hpp"

#include <span>
#include <string>

namespace pssc::images {

bool is_npy(std::span<const std::uint8_t> head);
bool is_npz(std::span<const std::uint8_t> head);

/// "<f4" and the like; "=" is as good as "<". Throws Error(input) naming `where` for what cannot be read.
Element element_of(const std::string& type, const std::string& where);

/// The array of a .npy file (NumPy's format 1.0 to 3.0): any integer, boolean, f4 or f8, of either byte order. Throws
/// Error(input) where the file holds less or more than its header promises, or in another order or type.
NumberArray open_npy(SharedBytes bytes, const std::string& where);

/// The images of a .npz file: the array named x, images, data or x_train, else the only one of rank 3 or 4. Compressed
/// arrays are unfolded into memory. Throws Error(input), also where they are over the limit.
NumberArray open_npz_images(SharedBytes bytes, const std::string& where, const ImageLimits& limits);

/// The labels of a .npz file: the array named y, labels, targets or y_train. Throws Error(input) where there is none.
NumberArray open_npz_labels(SharedBytes bytes, const std::string& where, const ImageLimits& limits);

}  // namespace pssc::images
