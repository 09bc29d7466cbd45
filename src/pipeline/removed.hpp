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

// Both on rank 0, from the rows of all ranks; nothing elsewhere.

/// The directions POC dropped: the first `dropped` columns of the coordinates.
std::vector<RemovedDirection> directions_dropped(const Context& context, const Projection& projection,
                                                 FloatView coordinates, std::size_t dropped, const ImageNames& names);

/// The directions that vary most inside the clusters, and whose two ends are taken relative to each image's own
/// cluster, so that they show a thin and a thick stroke rather than a one and a zero.
std::vector<RemovedDirection> directions_whitened(const Context& context, const Whitening& whitening,
                                                  FloatView coordinates, const Clustering& clustering,
                                                  const ImageNames& names);

}  // namespace pssc
