#pragma once

#include <pssc/images.hpp>

#include <cstddef>
#include <memory>

namespace pssc {

/// Digits 0..9 drawn as pen strokes, with their truth. Image i and its class depend on (params.seed, i) alone and are
/// drawn anew at each read, so that only the labels (4 bytes an image) take memory. The digits lie on a field of 7/8 of
/// the canvas, 28 pixels of 32; another size gives the same digits at another resolution.
std::unique_ptr<ImageSet> open_synthetic(std::size_t count, const ImageParams& params);

}  // namespace pssc
