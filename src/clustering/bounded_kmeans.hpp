#pragma once

#include <pssc/clustering.hpp>

#include <vector>

namespace pssc {

/// Lloyd's iterations with Hamerly's (2010) bounds, for few clusters of long rows: a row is compared with the centres
/// only where, by how far they have moved, another could have become its nearest. The same centres as by the plain
/// iterations, up to the rounding of their sums. Moves `centres`; ends where no label changes, after `iterations`, or
/// where the squared moves of the centres sum to no more than `least_shift`.
void bounded_iterations(const Context& context, std::size_t iterations, double least_shift, FloatView x,
                        const std::vector<float>& norms, FloatMatrix& centres);

}  // namespace pssc
