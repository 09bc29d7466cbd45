#pragma once

#include <pssc/pipeline.hpp>

namespace pssc {

/// Counts what the clusters of all ranks hold, and measures them against the truth where it is known.
void tally(const Context& context, Run& run);

}  // namespace pssc
