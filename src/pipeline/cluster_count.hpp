#pragma once

#include <pssc/pipeline.hpp>

namespace pssc {

/// How many clusters the images fall into, best first, up to three; empty where the number was given. y [n x d] are
/// coordinates by falling variance.
///
/// For each number K: whiten by K clusters, cut into 2K, and merge step by step. Where K is right, the merges down to K
/// join pieces of one class, which are strongly tied, and the next one would join two classes, which are not. The score
/// is the step between those two ties.
std::vector<ClusterCount> count_clusters(const Context& context, const Parameters& parameters, FloatView y);

}  // namespace pssc
