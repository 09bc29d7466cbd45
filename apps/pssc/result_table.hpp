#pragma once

#include <pssc/pssc.hpp>

#include <string>

namespace pssc::command {

/// What a run found, for a person to read.
std::string result_table(const Run& run);

/// "accuracy 0.9687   purity 0.9687   NMI 0.9219   ARI 0.9320"
std::string metrics_line(const Metrics& metrics);

}  // namespace pssc::command
