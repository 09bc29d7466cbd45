// What stands in for a device in a build without CUDA; src/core/cuda/ has the real thing.
#include <pssc/core/device.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/place.hpp>

namespace pssc {

namespace {

Error no_device() {
  return run_error("this build has no CUDA back end; `make build CUDA=ON` gives one where nvcc is installed");
}

}  // namespace

Accelerator find_accelerator() {
  return {.reason = no_device().what()};
}

void use_device(std::size_t /*number*/) {}

std::size_t free_device_memory() {
  return 0;
}

void* allocate_on_device(std::size_t /*bytes*/) {
  throw no_device();
}

void free_on_device(void* /*memory*/) noexcept {}

void gather_on_device(const void*, std::size_t, std::size_t, std::span<const std::size_t>, void*) {
  throw no_device();
}

namespace cuda {
void copy_between(const void*, Place, std::size_t, void*, Place, std::size_t, std::size_t, std::size_t) {
  throw no_device();
}
}  // namespace cuda

}  // namespace pssc
