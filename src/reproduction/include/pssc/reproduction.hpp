#pragma once

#include <pssc/core/context.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pssc {

/// The tables and figures of the paper, in the order in which they are computed and told.
enum class PaperItem { results, timing, ablation, angles, eigenvalues, poc };

/// "results", ... Throws Error(usage) for another name.
PaperItem paper_item(const std::string& name);

struct ReproductionParams {
  std::vector<PaperItem> items;
  std::size_t seeds = 5;                           ///< 0 .. seeds-1, of what depends on chance
  bool compute = true;                             ///< else only what is finished is told
  std::function<void(const std::string&)> told{};  ///< called with a line whenever a figure is there; may be empty
};

/// Computes the items with our own code and writes reproduction.md, reproduction.json and reproduction.html into the
/// folder, the paper's figures beside ours. Every figure is kept in folder/cells as soon as it is there: what was made
/// by this version with the same parameters is not computed again, so that an interrupted run goes on where it stopped.
/// The three files tell of every item that was asked for, now or before. A data set that is not on this machine leaves
/// its figures out.
void reproduce(const Context& context, const ReproductionParams& params, const std::filesystem::path& folder);

}  // namespace pssc
