#include "document.hpp"

#include <pssc/core/embed.hpp>
#include <pssc/core/error.hpp>

#include <string_view>

PSSC_EMBED(pssc_reproduction, PSSC_REPRODUCTION_PAGE_FILE);

namespace pssc::reproduction {

namespace {

/// JSON inside a script element: nothing in it may look like the element's end.
std::string inside_script(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  return text;
}

}  // namespace

std::string page(const Json& whole) {
  constexpr std::string_view mark = "<!--PSSC-DATA-->";
  std::string text(pssc_reproduction_begin, pssc_reproduction_end);
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw run_error("this build's page of reproductions is incomplete");
  return text.replace(
      at, mark.size(),
      "<script type=\"application/json\" id=\"pssc-reproduction\">" + inside_script(whole) + "</script>\n");
}

}  // namespace pssc::reproduction
