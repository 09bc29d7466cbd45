#pragma once

#include <pssc/clustering.hpp>

namespace pssc {

/// How many leading directions to drop: the paper's number, or the one after which the graph's C-th eigenvalue is
/// clearly larger, that is, after which C clusters are tied to each other the least. y [n x d] are coordinates in
/// falling order of variance.
std::size_t search_poc_dims(const Context& context, USpecParams params, FloatView y);

}  // namespace pssc
