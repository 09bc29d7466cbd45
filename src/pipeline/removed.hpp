#pragma once

#include <pssc/pipeline.hpp>

#include <functional>

namespace pssc {

/// What images are called: by number, and that number's id.
struct ImageNames {
  const std::vector<std::size_t>& numbers;  ///< [n], of this rank
  const ImageSet& images;
  std::string id(std::size_t row) const { return images.id(numbers[row]); }
};

/// The directions POC dropped: the first `dropped` columns of the coordinates. On rank 0, from the rows of all ranks;
/// nothing elsewhere.
std::vector<RemovedDirection> directions_dropped(const Context& context, const Projection& projection,
                                                 FloatView coordinates, std::size_t dropped, const ImageNames& names);

}  // namespace pssc
