#include "session.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <vector>

namespace pssc::cuda {

namespace {

/// By the system's own search, beside the toolkit that this was built with, and in the usual places.
void* open_library(const std::string& name) {
  std::vector<std::string> folders{""};
  if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(std::string(home) + "/lib64/");
  folders.insert(folders.end(), {PSSC_CUDA_LIBRARIES "/", "/usr/local/cuda/lib64/"});
  for (const std::string& folder : folders)
    if (void* library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

bool load_libraries(Libraries& l, std::string& reason) {
  const std::string blas_name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
  const std::string solver_name = "libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR);
  void *blas = open_library(blas_name), *solver = blas ? open_library(solver_name) : nullptr;
  if (!blas || !solver) {
    reason = "there is a GPU, but no " + (blas ? solver_name : blas_name) +
             "; install the CUDA toolkit's libraries, or name their folder in LD_LIBRARY_PATH";
    return false;
  }
  if (find(blas, "cublasCreate_v2", l.cublasCreate) && find(blas, "cublasSetStream_v2", l.cublasSetStream) &&
      find(blas, "cublasSgemm_v2", l.cublasSgemm) && find(blas, "cublasDgemm_v2", l.cublasDgemm) &&
      find(blas, "cublasSsyrk_v2", l.cublasSsyrk) && find(blas, "cublasDtrsm_v2", l.cublasDtrsm) &&
      find(solver, "cusolverDnCreate", l.cusolverDnCreate) &&
      find(solver, "cusolverDnSetStream", l.cusolverDnSetStream) &&
      find(solver, "cusolverDnSsyevd_bufferSize", l.cusolverDnSsyevd_bufferSize) &&
      find(solver, "cusolverDnSsyevd", l.cusolverDnSsyevd) &&
      find(solver, "cusolverDnDsyevd_bufferSize", l.cusolverDnDsyevd_bufferSize) &&
      find(solver, "cusolverDnDsyevd", l.cusolverDnDsyevd) &&
      find(solver, "cusolverDnDpotrf_bufferSize", l.cusolverDnDpotrf_bufferSize) &&
      find(solver, "cusolverDnDpotrf", l.cusolverDnDpotrf))
    return true;
  reason = blas_name + " or " + solver_name + " is not the one of the toolkit that this was built with";
  return false;
}

}  // namespace pssc::cuda
