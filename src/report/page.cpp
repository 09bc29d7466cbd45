#include "page.hpp"

// The file itself, taken in by the assembler: a million characters as a C++ literal would cost the compiler a minute.
asm(".section .rodata\n"
    "pssc_page_begin:\n"
    ".incbin \"" PSSC_PAGE_FILE
    "\"\n"
    "pssc_page_end:\n"
    ".byte 0\n"
    ".previous\n"
    ".globl pssc_page_begin\n"
    ".globl pssc_page_end\n"
    ".hidden pssc_page_begin\n"
    ".hidden pssc_page_end\n");

extern "C" {
extern const char pssc_page_begin[] __attribute__((visibility("hidden")));
extern const char pssc_page_end[] __attribute__((visibility("hidden")));
}

namespace pssc::report {

std::string_view page() {
  return {pssc_page_begin, static_cast<std::size_t>(pssc_page_end - pssc_page_begin)};
}

}  // namespace pssc::report
