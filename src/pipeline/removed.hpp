#pragma once

#include <pssc/pipeline.hpp>

#include <functional>

namespace pssc {

/// The directions POC dropped: the first `dropped` columns of the coordinates.
std::vector<RemovedDirection> directions_dropped(const Projection& projection, FloatView coordinates,
                                                 std::size_t dropped, const std::vector<std::string>& ids);

/// The directions that vary most inside the clusters, and whose two ends are taken relative to each image's own
/// cluster, so that they show a thin and a thick stroke rather than a one and a zero.
std::vector<RemovedDirection> directions_whitened(const Whitening& whitening, FloatView coordinates,
                                                  const Clustering& clustering, const std::vector<std::string>& ids);

}  // namespace pssc
