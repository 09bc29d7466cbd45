#pragma once

#include <pssc/pssc.hpp>

#include <string>

namespace pssc::command {

/// What a run found, for a person to read.
std::string result_table(const Run& run);

/// "chosen: mirrored images are the same thing (stability 0.88, 0.85 as they are); --ignore +flip repeats it", a line.
std::string chosen_line(const Adaptation& found);

/// "accuracy 0.9687   purity 0.9687   NMI 0.9219   ARI 0.9320"
std::string metrics_line(const Metrics& metrics);

}  // namespace pssc::command
