#pragma once

#include <pssc/core/cuda_session.hpp>
#include <pssc/core/device.hpp>

#include <cublas_v2.h>
#include <cusolverDn.h>
#include <unistd.h>

#include <mutex>

namespace pssc::cuda {

/// The functions of cuBLAS and cuSOLVER that are made use of, looked up when a device is first used: the same program
/// then starts where they are not installed.
struct Libraries {
  decltype(&::cublasCreate_v2) cublasCreate;
  decltype(&::cublasSetStream_v2) cublasSetStream;
  decltype(&::cublasSgemm_v2) cublasSgemm;
  decltype(&::cublasDgemm_v2) cublasDgemm;
  decltype(&::cublasSsyrk_v2) cublasSsyrk;
  decltype(&::cublasDtrsm_v2) cublasDtrsm;
  decltype(&::cusolverDnCreate) cusolverDnCreate;
  decltype(&::cusolverDnSetStream) cusolverDnSetStream;
  decltype(&::cusolverDnSsyevd_bufferSize) cusolverDnSsyevd_bufferSize;
  decltype(&::cusolverDnSsyevd) cusolverDnSsyevd;
  decltype(&::cusolverDnDsyevd_bufferSize) cusolverDnDsyevd_bufferSize;
  decltype(&::cusolverDnDsyevd) cusolverDnDsyevd;
  decltype(&::cusolverDnDpotrf_bufferSize) cusolverDnDpotrf_bufferSize;
  decltype(&::cusolverDnDpotrf) cusolverDnDpotrf;
};

/// Nothing where they are not there; `reason` says what is missing.
bool load_libraries(Libraries& libraries, std::string& reason);

/// The process's one device and its streams; it lasts until the process ends.
struct Session {
  Accelerator found;
  pid_t process = getpid();
  int device = 0;
  unsigned multiprocessors = 1;
  cudaStream_t stream = nullptr, upload = nullptr;
  Libraries libraries{};
  cublasHandle_t blas = nullptr;
  cusolverDnHandle_t solver = nullptr;
  std::mutex mutex;  ///< of the two handles
};

Session& session();

void check(cublasStatus_t status, const char* doing);
void check(cusolverStatus_t status, const char* doing);

}  // namespace pssc::cuda
