#include "document.hpp"

#include <pssc/core/error.hpp>

#include <string_view>

// As report/page.cpp takes in the report's page.
asm(".section .rodata\n"
    "pssc_reproduction_begin:\n"
    ".incbin \"" PSSC_REPRODUCTION_PAGE_FILE
    "\"\n"
    "pssc_reproduction_end:\n"
    ".byte 0\n"
    ".previous\n"
    ".globl pssc_reproduction_begin\n"
    ".globl pssc_reproduction_end\n"
    ".hidden pssc_reproduction_begin\n"
    ".hidden pssc_reproduction_end\n");

extern "C" {
extern const char pssc_reproduction_begin[] __attribute__((visibility("hidden")));
extern const char pssc_reproduction_end[] __attribute__((visibility("hidden")));
}

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
