#pragma once

#include <cstddef>
#include <string>

namespace pssc {

/// What was found to compute with besides the processor.
struct Accelerator {
  bool usable = false;
  std::string name;        ///< "NVIDIA H200, compute capability 9.0", where there is one
  std::size_t memory = 0;  ///< bytes it has
  std::string reason;      ///< why it cannot be used, and what to do about it
  int count = 0;           ///< GPUs that the process sees; the first is the one that is used
};

/// Looks for a GPU once, and starts it, which takes some tenths of a second. Which GPUs a process sees, and which of
/// them is the first, is said by CUDA_VISIBLE_DEVICES. Never throws.
Accelerator find_accelerator();

/// Which of several GPUs to take, counted around; before the first is looked for. Ranks of one machine take one each.
void use_device(std::size_t number);

/// Bytes that are free on it now; 0 where there is none.
std::size_t free_device_memory();

}  // namespace pssc
