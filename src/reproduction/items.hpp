#pragma once

#include "runs.hpp"

#include <vector>

// One file an item. What an item needs that is a clustering is named first, so that items can share it; then the item
// is put together from the cells, computing what is its own. A figure without data is null.
namespace pssc::reproduction {

std::vector<Wanted> wanted_for_results(const Workshop& workshop, std::size_t seeds);
Json results(const Workshop& workshop, std::size_t seeds);

std::vector<Wanted> wanted_for_ablation(std::size_t seeds);
Json ablation(const Workshop& workshop, std::size_t seeds);

Json timing(Workshop& workshop);
Json angles(Workshop& workshop);
Json eigenvalues(Workshop& workshop);
Json poc(Workshop& workshop);

/// Mean, spread (standard deviation over the seeds, divisor n - 1), least and greatest of a figure; over fewer seeds
/// than were `wanted` where not all are finished.
Json over_seeds(const std::vector<Json>& runs, const char* figure, std::size_t wanted);

}  // namespace pssc::reproduction
