#pragma once

#include <pssc/pipeline.hpp>

#include <cstddef>
#include <vector>

namespace pssc::report {

/// [candidates][clusters]: some of the images that each way to see them puts in each of its larger clusters, so that a
/// person can tell whether it sees what they do.
using Ways = std::vector<std::vector<std::vector<std::size_t>>>;

/// By the numbers of the input.
Ways ways_tried(const Adaptation& found);

}  // namespace pssc::report
