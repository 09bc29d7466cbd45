#pragma once

#include "target.hpp"

#include <pssc/images.hpp>

#include <vector>

namespace pssc::fuzz {

/// A small canvas, and limits at which the decoders of other libraries stay quick.
inline ImageParams small_images(Colour colour = Colour::grey) {
  return {.size = 8, .colour = colour, .limits = {.pixels = 1 << 18, .unfolded = 1 << 20}};
}

/// Reads some images of a set: levels are levels, and what cannot be read is told in one line.
inline void read_some(const ImageSet& set, std::size_t most = 64) {
  const std::size_t count = std::min(set.count(), most);
  std::vector<float> pixels(count * set.channels() * set.size() * set.size());
  std::vector<BrokenImage> broken;
  set.read(0, count, pixels, broken);
  for (const BrokenImage& image : broken) {
    require(image.index < count, "a broken image that is not there");
    require_one_line(image.reason);
  }
}

/// One image file, in both colours.
inline int read_image(const std::uint8_t* data, std::size_t size) {
  for (const Colour colour : {Colour::grey, Colour::channels}) {
    const auto set = image_from_bytes({data, data + size}, "image", small_images(colour));
    read_some(*set);
  }
  return 0;
}

}  // namespace pssc::fuzz
