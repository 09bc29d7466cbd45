#include "clustering.hpp"

#include <pssc/core/cuda_session.hpp>

namespace pssc::cuda {

namespace {

constexpr unsigned threads = 256;

/// Inner products [n x p] become kernel values.
__global__ void to_kernel(float* values, std::size_t n, std::size_t p, const float* row_norms, const float* norms,
                          float scale) {
  const std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= n * p) return;
  const float squared = row_norms[at / p] + norms[at % p] - 2 * values[at];
  values[at] = expf(scale * fmaxf(squared, 0));
}

}  // namespace

FloatMatrix gaussian_kernel(FloatView x, FloatView representatives, double width) {
  const std::size_t n = x.rows(), p = representatives.rows();
  const Resident points(representatives);
  FloatMatrix values(n, p, Place::device);
  cuda::multiply_transposed(x, points, values);
  const Array<float> row_norms = cuda::squared_norms(x), norms = cuda::squared_norms(points);
  to_kernel<<<blocks_for(n * p, threads), threads, 0, stream()>>>(values.data(), n, p, row_norms.data(), norms.data(),
                                                                  static_cast<float>(-1 / (2 * width * width)));
  check_launch("kernel of the ridge");
  return values;
}

}  // namespace pssc::cuda
