// The kernels of the eigensolver.
#include "eigenvectors.hpp"

#include <pssc/core/cuda_session.hpp>

namespace pssc::cuda {

namespace {

constexpr int threads = 256;

/// The largest size of a block's numbers, and the value it belongs to.
__device__ double of_largest_size(double value) {
  __shared__ double best[threads];
  best[threadIdx.x] = value;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && fabs(best[threadIdx.x + half]) > fabs(best[threadIdx.x]))
      best[threadIdx.x] = best[threadIdx.x + half];
    __syncthreads();
  }
  return best[0];
}

__global__ void take_leading(const float* vectors, std::size_t d, std::size_t rows, float* leading) {
  const float* from = vectors + (rows - 1 - blockIdx.x) * d;
  double mine = 0;
  for (std::size_t j = threadIdx.x; j < d; j += threads)
    if (fabsf(from[j]) > fabs(mine)) mine = from[j];
  const float sign = of_largest_size(mine) < 0 ? -1.0F : 1.0F;
  for (std::size_t j = threadIdx.x; j < d; j += threads) leading[blockIdx.x * d + j] = sign * from[j];
}

__global__ void round_to_float(const double* from, std::size_t count, float* to) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) to[k] = static_cast<float>(from[k]);
}

__global__ void residual_rows(const double* image, const double* kept, const double* values, std::size_t n,
                              double* residuals, double* squares) {
  __shared__ double sums[threads];
  const std::size_t row = blockIdx.x * n;
  double sum = 0;
  for (std::size_t j = threadIdx.x; j < n; j += threads) {
    const double r = image[row + j] - values[blockIdx.x] * kept[row + j];
    residuals[row + j] = r;
    sum += r * r;
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) squares[blockIdx.x] = sums[0];
}

__global__ void combine(double* to, const double* from, std::size_t count, double by, double own) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < count) to[k] = own == 0 ? by * from[k] : by * from[k] + own * to[k];
}

/// By the bits of each number's place (SplitMix64).
__global__ void random_numbers(double* numbers, std::size_t count) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count) return;
  std::uint64_t z = (k + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  numbers[k] = static_cast<double>(static_cast<std::int64_t>(z ^ (z >> 31))) * 0x1p-63;
}

/// One block.
__global__ void shift_diagonal(double* matrix, std::size_t n, double share) {
  __shared__ double sums[threads];
  double sum = 0;
  for (std::size_t i = threadIdx.x; i < n; i += threads) sum += matrix[i * (n + 1)];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  for (std::size_t i = threadIdx.x; i < n; i += threads) matrix[i * (n + 1)] += share * sums[0];
}

}  // namespace

void fill_at_random(Array<double>& numbers) {
  random_numbers<<<blocks_for(numbers.size(), threads), threads, 0, stream()>>>(numbers.data(), numbers.size());
  check_launch("draw numbers");
}

void add_share_of_trace(double* matrix, std::size_t n, double share) {
  shift_diagonal<<<1, threads, 0, stream()>>>(matrix, n, share);
  check_launch("shift a diagonal");
}

void combine_numbers(double* to, const double* from, std::size_t count, double by, double own) {
  combine<<<blocks_for(count, threads), threads, 0, stream()>>>(to, from, count, by, own);
  check_launch("combine vectors");
}

FloatMatrix leading_of_rising(const Array<float>& vectors, std::size_t d, std::size_t rows, std::size_t count) {
  FloatMatrix leading(count, d, Place::device);
  take_leading<<<static_cast<unsigned>(count), threads, 0, stream()>>>(vectors.data(), d, rows, leading.data());
  check_launch("order eigenvectors");
  return leading;
}

void scale(Array<double>& values, double factor) {
  combine_numbers(values.data(), values.data(), values.size(), factor, 0);
}

Array<float> rounded(const Array<double>& values) {
  Array<float> result(values.size());
  round_to_float<<<blocks_for(values.size(), threads), threads, 0, stream()>>>(values.data(), values.size(),
                                                                               result.data());
  check_launch("round");
  return result;
}

std::vector<double> residuals_of(const double* image, const double* kept, const std::vector<double>& values,
                                 std::size_t n, double* residuals) {
  const Array<double> factors{std::span<const double>(values)};
  Array<double> squares(values.size());
  residual_rows<<<static_cast<unsigned>(values.size()), threads, 0, stream()>>>(image, kept, factors.data(), n,
                                                                                residuals, squares.data());
  check_launch("take residuals");
  return squares.on_host();
}

}  // namespace pssc::cuda
