#pragma once

#include "cells.hpp"

#include <pssc/core/context.hpp>

namespace pssc::reproduction {

/// What figures of time depend on: cores, memory, processor, SIMD, threads.
Json machine(const Context& context);

/// The date of today, UTC: 2026-11-15.
std::string today();

}  // namespace pssc::reproduction
