#pragma once

#include <string_view>

namespace pssc::report {

/// The page without its data, for which the comment `data_mark` keeps the place.
std::string_view page();
constexpr std::string_view data_mark = "<!--PSSC-DATA-->";

}  // namespace pssc::report
