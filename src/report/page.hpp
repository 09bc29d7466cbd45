#pragma once

#include <string>
#include <string_view>

namespace pssc::report {

/// The page, and between its two parts the place for its data.
struct PageParts {
  std::string_view before, after;
};
PageParts page_parts();

/// Data as elements of the page. In JSON nothing may look like the element's end.
std::string json_element(std::string_view id, std::string_view json);
std::string text_element(std::string_view id, std::string_view text);

/// What stands in the element of that name, as it was given; empty where there is none.
std::string_view json_in_element(std::string_view page, std::string_view id);
std::string_view text_in_element(std::string_view page, std::string_view id);

}  // namespace pssc::report
