#pragma once

#include <pssc/pipeline.hpp>

namespace pssc {

/// With the number of scales that suits a canvas of this size, where it was left open.
Parameters fitted_to_canvas(Parameters parameters, std::size_t size);

}  // namespace pssc
