#include "blas.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>

#include <cblas.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

// OpenBLAS's own; weak, since another BLAS, or another release of it, has none.
extern "C" {
__attribute__((weak)) void* blas_memory_alloc(int position);
__attribute__((weak)) void blas_memory_free(void* memory);
__attribute__((weak)) void gotoblas_dynamic_init();
__attribute__((weak)) void gotoblas_dynamic_quit();
}

namespace pssc {

namespace {

std::mutex blas_mutex;
std::size_t blas_users = 0;
int blas_threads_before = 1;

/// The newest kernels that this processor runs, by OpenBLAS's name for them; none where nothing is known.
const char* kernels_of_processor() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "Haswell";
#endif
  return nullptr;
}

/// A processor that is younger than OpenBLAS is taken for one of 2004: products on an Emerald Rapids run at a fifth of
/// their speed (32 for 152 GFLOP/s a core). Runs when the library is loaded, when nobody is to be multiplying: OpenBLAS
/// changes hands for the whole process, a Python's NumPy that shares it included. Who sets OPENBLAS_CORETYPE has the
/// say.
bool choose_kernels() {
  constexpr std::string_view old[] = {"Prescott", "Nehalem", "Sandybridge"};  // none of which has AVX2
  const char* name = kernels_of_processor();
  if (!gotoblas_dynamic_init || !gotoblas_dynamic_quit || !name || std::getenv("OPENBLAS_CORETYPE")) return false;
  if (std::ranges::find(old, std::string_view(openblas_get_corename())) == std::end(old)) return false;
  setenv("OPENBLAS_CORETYPE", name, 1);
  gotoblas_dynamic_quit();
  gotoblas_dynamic_init();
  unsetenv("OPENBLAS_CORETYPE");
  return true;
}

const bool kernels_chosen = choose_kernels();

}  // namespace

OneBlasThread::OneBlasThread() {
  const std::lock_guard lock(blas_mutex);
  if (blas_users++ > 0) return;
  blas_threads_before = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  const std::lock_guard lock(blas_mutex);
  if (--blas_users == 0) openblas_set_num_threads(blas_threads_before);
}

void reserve_blas_memory(unsigned threads) {
  constexpr std::size_t buffer = (std::size_t{128} << 20) + (1 << 20);  // of one product, with something to spare
  // Buffers that were there before are kept: a process is looked at before its first work alone, or for more threads.
  static std::mutex mutex;
  static unsigned reserved = 0;
  const std::lock_guard lock(mutex);
  if (reserved >= threads) return;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || blas_memory_alloc == nullptr ||
      blas_memory_free == nullptr) {
    reserved = threads;
    return;
  }
  const std::size_t wanted = threads * buffer;
  void* room = mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    throw run_error("out of memory: the address space is limited to " + std::to_string(limit.rlim_cur >> 20) +
                    " MiB, and each thread's products need 129; raise the limit (ulimit -v) or lower --threads");
  munmap(room, wanted);
  std::vector<void*> taken;
  for (unsigned i = 0; i < threads; ++i) taken.push_back(blas_memory_alloc(0));
  for (void* memory : taken) blas_memory_free(memory);  // it keeps them for its next calls
  reserved = threads;
}

}  // namespace pssc
