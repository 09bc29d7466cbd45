#include "machine.hpp"

#include <pssc/scattering.hpp>

#include <fmt/chrono.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string>
#include <thread>

namespace pssc::reproduction {

namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown processor";
}

}  // namespace

Json machine(const Context& context) {
  const auto bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return {{"cores", std::thread::hardware_concurrency()},
          {"memory_gib", bytes / 0x1p30},
          {"processor", processor()},
          {"simd", scattering_simd()},
          {"threads", context.threads()}};
}

std::string today() {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace pssc::reproduction
