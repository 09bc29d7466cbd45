#pragma once

#include "plan.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace pssc {

/// Transforms any number of images on one thread. `memory` is 64-byte aligned and holds scatter_buffer_bytes.
void scatter_images(const Scattering::Plan& plan, const ScatterTask& task, void* memory);

std::size_t scatter_buffer_bytes(const Scattering::Plan& plan);

}  // namespace pssc
