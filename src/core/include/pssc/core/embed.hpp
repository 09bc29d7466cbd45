#pragma once

/// PSSC_EMBED(NAME, FILE): the bytes of a file as the characters from NAME_begin to NAME_end, with a zero after them.
/// Taken in by the assembler: a million characters as a C++ literal would cost the compiler a minute.
#define PSSC_EMBED(NAME, FILE)                                                                                      \
  asm(".section .rodata\n" #NAME "_begin:\n.incbin \"" FILE "\"\n" #NAME "_end:\n.byte 0\n.previous\n.globl " #NAME \
      "_begin\n.globl " #NAME "_end\n.hidden " #NAME "_begin\n.hidden " #NAME "_end\n");                            \
  extern "C" {                                                                                                      \
  extern const char NAME##_begin[] __attribute__((visibility("hidden")));                                           \
  extern const char NAME##_end[] __attribute__((visibility("hidden")));                                             \
  }                                                                                                                 \
  static_assert(true)
