#include "commands.hpp"

#include <pssc/core/device.hpp>
#include <pssc/distributed.hpp>
#include <pssc/pssc.hpp>

#include <fmt/format.h>

namespace pssc::command {

void add_info(Command& program) {
  Command command = program.add("info", "Show what this build is, and what it found on this machine");
  command.run([] {
    const Context context;
    fmt::print("pssc {}\n", version());
    const Accelerator found = find_accelerator();
    if (found.usable)
      fmt::print(
          "device   cuda ({}, {:.1f} of {:.1f} GiB free{})\n", found.name,
          static_cast<double>(free_device_memory()) / 0x1p30, static_cast<double>(found.memory) / 0x1p30,
          found.count > 1 ? fmt::format("; the first of {}, CUDA_VISIBLE_DEVICES names another", found.count) : "");
    else
      fmt::print("device   cpu ({})\n", found.reason);
    fmt::print("SIMD     {}\n", scattering_simd());
    fmt::print("threads  {}\n", context.threads());
    const std::string mpi = distributed::library();
    fmt::print("ranks    {}\n", mpi.empty() ? "one: built without MPI" : "any number, by " + mpi);
    fmt::print("memory   {} GiB for a run unless --memory says otherwise\n", Context::default_memory >> 30);
  });
}

}  // namespace pssc::command
