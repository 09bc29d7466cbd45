// What every fuzz target stands on. libFuzzer calls LLVMFuzzerTestOneInput with whatever bytes it likes; in the
// ordinary build run_files.cpp calls it with the seeds and the past findings.
#pragma once

#include <pssc/core/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace pssc::fuzz {

/// Ends the program where something is not as it must be, in every build.
inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: this must not be: %s\n", what.c_str());
  std::abort();
}

inline void require_one_line(std::string_view message) {
  require(!message.empty() && message.find('\n') == message.npos, "a message of not one line: " + std::string(message));
}

/// Runs `body`, which may refuse its input in one line; any other exception ends the program.
template <class Body>
void unless_refused(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    require(error.kind() != ErrorKind::failed, std::string("input is not to blame: ") + error.what());
    require_one_line(error.what());
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace pssc::fuzz
