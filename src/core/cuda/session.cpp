#include "session.hpp"

#include <pssc/core/cuda.hpp>
#include <pssc/core/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace pssc::cuda {

namespace {

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string why_none(cudaError_t error) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (driver == 0) return "no GPU was found: there is no NVIDIA driver";
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  switch (error) {
    case cudaErrorInsufficientDriver:
      return fmt::format("the NVIDIA driver is for CUDA {}, this build for {}; update the driver", version_text(driver),
                         version_text(runtime));
    case cudaErrorNoDevice:
      return visible ? fmt::format("no GPU was found that CUDA_VISIBLE_DEVICES='{}' names", visible)
                     : "no GPU was found";
    case cudaErrorDevicesUnavailable:
      return "the GPU is busy, or set aside for another process; try again when it is free";
    case cudaErrorMemoryAllocation:
      return "the GPU's memory is taken by other processes; try again when some is free";
    default:
      return fmt::format("no GPU can be used: {}", cudaGetErrorString(error));
  }
}

Error library_failed(const char* doing, const char* library, int status, bool memory) {
  const std::string why = memory ? "out of memory" : fmt::format("{} status {}", library, status);
  return run_error(fmt::format("the GPU failed to {}: {}; try again, or with --device cpu", doing, why));
}

/// Memory that is given back stays with the process, so that the next allocation costs nothing.
void keep_memory(int device) {
  cudaMemPool_t pool{};
  check(cudaDeviceGetDefaultMemPool(&pool, device), "start the GPU");
  std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all), "start the GPU");
}

std::size_t wanted_device = 0;

void start(Session& s) {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess || count == 0) {
    s.found.reason = why_none(error == cudaSuccess ? cudaErrorNoDevice : error);
    return;
  }
  s.found.count = count;
  cudaDeviceProp properties{};
  cudaError_t error = cudaSuccess;
  if (wanted_device > 0) error = cudaSetDevice(static_cast<int>(wanted_device % static_cast<std::size_t>(count)));
  if (error == cudaSuccess) error = cudaGetDevice(&s.device);
  if (error == cudaSuccess) error = cudaGetDeviceProperties(&properties, s.device);
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) {
    s.found.reason = why_none(error);
    return;
  }
  s.found.name = fmt::format("{}, compute capability {}.{}", properties.name, properties.major, properties.minor);
  s.found.memory = properties.totalGlobalMem;
  s.multiprocessors = static_cast<unsigned>(properties.multiProcessorCount);
  if (!load_libraries(s.libraries, s.found.reason)) return;
  check(cudaStreamCreateWithFlags(&s.upload, cudaStreamNonBlocking), "start the GPU");
  keep_memory(s.device);
  check(s.libraries.cublasCreate(&s.blas), "start cuBLAS");
  check(s.libraries.cublasSetStream(s.blas, s.stream), "start cuBLAS");
  check(s.libraries.cusolverDnCreate(&s.solver), "start cuSOLVER");
  check(s.libraries.cusolverDnSetStream(s.solver, s.stream), "start cuSOLVER");
  s.found.usable = true;
}

}  // namespace

Session& session() {
  // Never destroyed: matrices may outlive everything that could be destroyed before them.
  static Session& only = *[] {
    auto* s = new Session;
    try {
      start(*s);
    } catch (const Error& error) {
      s->found.usable = false;
      s->found.reason = error.what();
    }
    return s;
  }();
  return only;
}

void check(cudaError_t result, const char* doing) {
  if (result == cudaSuccess) return;
  cudaGetLastError();  // forgets it, where that can be
  throw run_error(
      fmt::format("the GPU failed to {}: {}; try again, or with --device cpu", doing, cudaGetErrorString(result)));
}

void check(cublasStatus_t status, const char* doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw library_failed(doing, "cuBLAS", status, status == CUBLAS_STATUS_ALLOC_FAILED);
}

void check(cusolverStatus_t status, const char* doing) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  throw library_failed(doing, "cuSOLVER", status, status == CUSOLVER_STATUS_ALLOC_FAILED);
}

cudaStream_t stream() {
  return session().stream;
}

cudaStream_t upload_stream() {
  return session().upload;
}

unsigned multiprocessors() {
  return session().multiprocessors;
}

void finish() {
  check(cudaStreamSynchronize(stream()), "finish its work");
}

void* allocate(std::size_t bytes) {
  void* memory = nullptr;
  cudaError_t error = cudaMallocAsync(&memory, bytes, stream());
  if (error == cudaErrorMemoryAllocation) {  // what others gave back may lie in pieces: return it, and ask again
    cudaGetLastError();
    cudaStreamSynchronize(stream());
    cudaMemPool_t pool{};
    if (cudaDeviceGetDefaultMemPool(&pool, session().device) == cudaSuccess) cudaMemPoolTrimTo(pool, 0);
    error = cudaMallocAsync(&memory, bytes, stream());
  }
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw run_error(
        fmt::format("the GPU has {:.1f} GiB free, but {:.1f} GiB more are needed; lower --fit-images, --sample-images "
                    "or --pca-dims, or use --device cpu",
                    static_cast<double>(free_device_memory()) / 0x1p30, static_cast<double>(bytes) / 0x1p30));
  }
  check(error, "give memory");
  return memory;
}

void copy_between(const void* from, Place from_place, std::size_t from_stride, void* to, Place to_place,
                  std::size_t to_stride, std::size_t bytes, std::size_t rows) {
  const cudaMemcpyKind kind = from_place == Place::host ? cudaMemcpyHostToDevice
                              : to_place == Place::host ? cudaMemcpyDeviceToHost
                                                        : cudaMemcpyDeviceToDevice;
  if (rows == 1 || (from_stride == bytes && to_stride == bytes))
    check(cudaMemcpyAsync(to, from, bytes * rows, kind, stream()), "copy");
  else
    check(cudaMemcpy2DAsync(to, to_stride, from, from_stride, bytes, rows, kind, stream()), "copy");
  if (to_place == Place::host) finish();
}

}  // namespace pssc::cuda

namespace pssc {

void use_device(std::size_t number) {
  cuda::wanted_device = number;
}

Accelerator find_accelerator() {
  Accelerator found = cuda::session().found;
  if (found.usable && cuda::session().process != getpid()) {
    found.usable = false;
    found.reason = "a GPU that a process has used cannot be used by those it forks; start them anew (spawn)";
  }
  return found;
}

std::size_t free_device_memory() {
  std::size_t free = 0, total = 0;
  if (!cuda::session().found.usable || cudaMemGetInfo(&free, &total) != cudaSuccess) return 0;
  // What the process holds and does not use is free as well.
  cudaMemPool_t pool{};
  std::uint64_t reserved = 0, used = 0;
  if (cudaDeviceGetDefaultMemPool(&pool, cuda::session().device) == cudaSuccess &&
      cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved) == cudaSuccess &&
      cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess)
    free += reserved - used;
  return free;
}

void* allocate_on_device(std::size_t bytes) {
  void* memory = cuda::allocate(bytes);
  cuda::check(cudaMemsetAsync(memory, 0, bytes, cuda::stream()), "clear memory");
  return memory;
}

void free_on_device(void* memory) noexcept {
  if (memory) cudaFreeAsync(memory, cuda::stream());
}

}  // namespace pssc
