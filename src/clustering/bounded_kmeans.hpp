#pragma once

#include "spread_kmeans.hpp"

namespace pssc {

/// Lloyd's iterations with Hamerly's (2010) bounds, for few clusters of long rows: a row is compared with the centres
/// only where, by how far they have moved, another could have become its nearest. The same centres as by the plain
/// iterations. Moves `centres`; ends where no label changes, after `iterations`, or where the squared moves of the
/// centres sum to no more than `least_shift`.
void bounded_iterations(const Context& context, std::size_t iterations, double least_shift, const Rows& rows,
                        FloatMatrix& centres);

}  // namespace pssc
