#include "projection.hpp"

#include <pssc/core/cuda_session.hpp>

namespace pssc::cuda {

namespace {

constexpr unsigned threads = 256;

/// A warp a row and direction.
__global__ void along_own(const float* y, std::size_t stride, std::size_t rows, std::size_t cols,
                          const std::int32_t* labels, const float* means, const float* directions, std::size_t per,
                          float* scores) {
  const std::size_t k = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32, i = k / per, v = k % per;
  if (i >= rows) return;
  float sum = 0;
  if (labels[i] >= 0)
    for (std::size_t j = threadIdx.x % 32; j < cols; j += 32)
      sum += (y[i * stride + j] - means[labels[i] * cols + j]) * directions[(labels[i] * per + v) * cols + j];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
  if (threadIdx.x % 32 == 0) scores[k] = sum;
}

}  // namespace

FloatMatrix scores_along_own(FloatView y, std::span<const std::int32_t> labels, const FloatMatrix& means,
                             const FloatMatrix& directions) {
  const std::size_t per = directions.rows() / std::max<std::size_t>(1, means.rows());
  const Array<std::int32_t> of(labels);
  const Array<float> middles(std::span(means.data(), means.size())),
      along(std::span(directions.data(), directions.size()));
  Array<float> scores(y.rows() * per);
  FloatMatrix result(y.rows(), per);
  if (scores.size() == 0) return result;
  along_own<<<blocks_for(scores.size() * 32, threads), threads, 0, stream()>>>(
      y.data(), y.stride(), y.rows(), y.cols(), of.data(), middles.data(), along.data(), per, scores.data());
  check_launch("lay out images");
  scores.copy_to(std::span(result.data(), result.size()));
  return result;
}

}  // namespace pssc::cuda
