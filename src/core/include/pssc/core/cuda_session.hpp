#pragma once

// The device as seen by our own CUDA sources.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace pssc::cuda {

/// Throws Error(failed), saying what was being done and what to do, where the result is not success.
void check(cudaError_t result, const char* doing);

/// All work of the process goes through one stream, in the order it was asked for; memory is had and given back in the
/// same order, so no buffer is reused too early.
cudaStream_t stream();
/// Copies of pixels to the device, beside that work.
cudaStream_t upload_stream();

/// Blocks of `threads` that cover `count`.
inline unsigned blocks_for(std::size_t count, unsigned threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

/// After a launch.
inline void check_launch(const char* doing) {
  check(cudaGetLastError(), doing);
}

unsigned multiprocessors();

}  // namespace pssc::cuda
