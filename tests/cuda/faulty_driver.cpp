// A driver that fails when it is told to: libcuda.so.1 by name, to be preloaded, with the machine's own behind it. The
// CUDA runtime takes every function from cuGetProcAddress, which is where the faults come in:
//   PSSC_FAULT=old         the driver is one for CUDA 11.4
//   PSSC_FAULT=none        it has no device
//   PSSC_FAULT=busy        the device is set aside for another process (compute mode "exclusive process")
//   PSSC_FAULT=full        there is no memory left to start it
//   PSSC_FAULT=lost:N      it is lost after N launches: from then on all that is asked of it fails
// PSSC_DRIVER names the machine's own driver. Where there is none, `old` and `none` can be had all the same.
#include <cuda.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

std::string_view fault() {
  const char* name = std::getenv("PSSC_FAULT");
  return name ? name : "";
}

void* driver() {
  static void* const library = []() -> void* {
    const char* named = std::getenv("PSSC_DRIVER");
    for (const char* path : {named ? named : "", "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/usr/lib64/libcuda.so.1",
                             "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"})
      if (*path)
        if (void* found = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return found;
    return nullptr;
  }();
  return library;
}

// ---- faults at the start
// ---------------------------------------------------------------------------------------------

CUresult old_version(int* version) {
  *version = 11040;
  return CUDA_SUCCESS;
}

CUresult no_device(unsigned) {
  return CUDA_ERROR_NO_DEVICE;
}

CUresult refuse_context(CUcontext*, CUdevice) {
  return fault() == "busy" ? CUDA_ERROR_DEVICE_UNAVAILABLE : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult nothing() {
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult this_version(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

// ---- a device that is lost
// -------------------------------------------------------------------------------------------

bool lost(bool launching) {
  static const long allowed = std::atol(fault().substr(fault().find(':') + 1).data());
  static std::atomic<long> launches{0};
  return (launching ? launches++ : launches.load()) >= allowed;
}

/// Stands before a function of the driver, whatever its arguments.
template <int Number, class Function>
struct Before;
template <int Number, class... Arguments>
struct Before<Number, CUresult (*)(Arguments...)> {
  static inline CUresult (*own)(Arguments...) = nullptr;
  static inline bool launches = false;
  static CUresult call(Arguments... arguments) { return lost(launches) ? CUDA_ERROR_LAUNCH_FAILED : own(arguments...); }
};

/// The runtime asks for several versions of a function by one name; each needs a stand-in of its own.
template <int Number, class Function, int Version = 0>
void* stand_before(void* own, bool launches) {
  constexpr int most_versions = 8;
  using Hook = Before<Number * most_versions + Version, Function>;
  if (Hook::own && Hook::own != reinterpret_cast<Function>(own)) {
    if constexpr (Version + 1 < most_versions) return stand_before<Number, Function, Version + 1>(own, launches);
    return own;
  }
  Hook::own = reinterpret_cast<Function>(own);
  Hook::launches = launches;
  return reinterpret_cast<void*>(&Hook::call);
}

void* losing(std::string_view name, void* own) {
#define PSSC_STAND_BEFORE(function, launches) \
  if (name == #function) return stand_before<__COUNTER__, decltype(&::function)>(own, launches);
  PSSC_STAND_BEFORE(cuLaunchKernel, true)
  PSSC_STAND_BEFORE(cuLaunchKernelEx, true)
  PSSC_STAND_BEFORE(cuStreamSynchronize, false)
  PSSC_STAND_BEFORE(cuStreamWaitEvent, false)
  PSSC_STAND_BEFORE(cuEventRecord, false)
  PSSC_STAND_BEFORE(cuEventSynchronize, false)
  PSSC_STAND_BEFORE(cuEventQuery, false)
  PSSC_STAND_BEFORE(cuMemsetD8Async, false)
#undef PSSC_STAND_BEFORE
  // The header renames these to their newer versions; the runtime asks by the plain names.
#define PSSC_STAND_BEFORE(plain, function) \
  if (name == plain) return stand_before<__COUNTER__, decltype(&::function)>(own, false);
  PSSC_STAND_BEFORE("cuMemcpyHtoDAsync", cuMemcpyHtoDAsync)
  PSSC_STAND_BEFORE("cuMemcpyDtoHAsync", cuMemcpyDtoHAsync)
  PSSC_STAND_BEFORE("cuMemcpyDtoDAsync", cuMemcpyDtoDAsync)
  PSSC_STAND_BEFORE("cuMemcpy2DAsync", cuMemcpy2DAsync)
  PSSC_STAND_BEFORE("cuMemAllocAsync", cuMemAllocAsync)
  PSSC_STAND_BEFORE("cuMemFreeAsync", cuMemFreeAsync)
#undef PSSC_STAND_BEFORE
  return own;
}

void* with_fault(std::string_view name, void* own) {
  if (fault() == "old" && name == "cuDriverGetVersion") return reinterpret_cast<void*>(&old_version);
  if (fault() == "none" && name == "cuDriverGetVersion") return reinterpret_cast<void*>(&this_version);
  if (fault() == "none" && name == "cuInit") return reinterpret_cast<void*>(&no_device);
  if ((fault() == "busy" || fault() == "full") && name == "cuDevicePrimaryCtxRetain")
    return reinterpret_cast<void*>(&refuse_context);
  return fault().starts_with("lost:") ? losing(name, own) : own;
}

}  // namespace

extern "C" {

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  using Ask = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
  static const auto ask =
      driver() ? reinterpret_cast<Ask>(dlsym(driver(), "cuGetProcAddress_v2")) : static_cast<Ask>(nullptr);
  if (ask) {
    if (const CUresult result = ask(name, function, version, flags, status); result != CUDA_SUCCESS || !*function)
      return result;
  } else {
    *function = reinterpret_cast<void*>(&nothing);
    if (status) *status = CU_GET_PROC_ADDRESS_SUCCESS;
  }
  if (std::strcmp(name, "cuGetProcAddress") == 0 && version >= 12000)
    *function = reinterpret_cast<void*>(&cuGetProcAddress_v2);
  else
    *function = with_fault(name, *function);
  return CUDA_SUCCESS;
}

/// Some libraries look functions up in libcuda.so.1 by themselves: they find the machine's.
void* dlsym(void* handle, const char* name) {
  static const auto own = reinterpret_cast<void* (*)(void*, const char*)>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  void* found = own(handle, name);
  if (found || std::strncmp(name, "cu", 2) != 0 || !driver()) return found;
  found = own(driver(), name);
  return found ? with_fault(name, found) : nullptr;
}

}  // extern "C"
