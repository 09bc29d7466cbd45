#pragma once

#include <pssc/images.hpp>

#include <cstddef>
#include <functional>
#include <span>

namespace pssc::images {

/// Height, width and channels of an image: 1 grey, 2 grey and alpha, 3 colour, 4 colour and alpha.
struct ImageShape {
  std::size_t height = 0, width = 0, channels = 1;
};

/// Writes row `y` of an image, [width, channels], values 0..255.
using RowReader = std::function<void(std::size_t y, std::span<float> row)>;

/// Height and width of an image of height x width on a canvas of size x size: as they are where both fit and it has a
/// frame, else so that the longer side fills the canvas; never less than one pixel.
ImageShape fitted(ImageShape shape, std::size_t size, Frame frame = Frame::black);

/// Pixels [width, channels] of a row as planes [1 or 3, width].
void to_planes(std::span<const float> pixels, std::size_t channels, Colour colour, std::span<float> planes);

/// Brings an image onto a canvas [1 or 3, size, size]: alpha is laid on black, colour becomes luminance
/// (0.299 R + 0.587 G + 0.114 B) or stays, grey is repeated for Colour::channels. A larger image is reduced by exact
/// area averaging, and a smaller one without a frame enlarged bilinearly, with its aspect kept; the rest of the canvas
/// is zero. The rows are asked for once each, in order.
void draw(ImageShape shape, const RowReader& row, Colour colour, Frame frame, std::size_t size,
          std::span<float> canvas);

inline std::size_t channels_of(Colour colour) {
  return colour == Colour::channels ? 3 : 1;
}

}  // namespace pssc::images
