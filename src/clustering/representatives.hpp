#pragma once

#include <pssc/clustering.hpp>

namespace pssc {

/// U-SPEC's hybrid selection: p' rows at random, then the centres of p clusters of them: [p x d].
FloatMatrix select_representatives(const Context& context, const USpecParams& params, FloatView x);

}  // namespace pssc
