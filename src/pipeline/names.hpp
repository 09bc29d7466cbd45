#pragma once

#include <pssc/pipeline.hpp>

namespace pssc {

// The choices as the command line and summary.json spell them.
const char* name_of(Features value);
const char* name_of(Frame value);
const char* name_of(Contrast value);
const char* name_of(Equalisation value);
const char* name_of(Clusterer value);
const char* name_of(Search value);
const char* name_of(Refinement value);

}  // namespace pssc
