// Exact neighbours: inner products by cuBLAS, some rows at a time, then a warp a row picks the smallest.
#include "clustering.hpp"

#include <pssc/core/cuda_session.hpp>

namespace pssc::cuda {

namespace {

constexpr unsigned threads = 128;

struct Found {
  float distance;
  int index;
  __device__ bool before(const Found& other) const {
    return distance < other.distance || (distance == other.distance && index < other.index);
  }
};

/// Into a short list that rises; the last falls out.
template <int K>
__device__ __forceinline__ void insert(Found (&list)[K], Found one) {
#pragma unroll
  for (int i = 0; i < K; ++i)
    if (one.before(list[i])) {
      const Found pushed = list[i];
      list[i] = one;
      one = pushed;
    }
}

/// Each lane keeps the K smallest it sees; then the warp takes the smallest of all firsts, k times.
template <int K>
__global__ void pick_smallest(const float* products, std::size_t rows, int points, const float* norms,
                              const float* point_norms, int k, std::int32_t* indices, float* distances) {
  const std::size_t row = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  const float norm = norms[row];
  Found list[K];
#pragma unroll
  for (int i = 0; i < K; ++i) list[i] = {INFINITY, 0x7fffffff};
  for (int j = lane; j < points; j += 32) {
    const Found one{fmaxf(0, norm + point_norms[j] - 2 * products[row * points + j]), j};
    if (one.before(list[K - 1])) insert(list, one);
  }
  for (int i = 0; i < k; ++i) {
    Found best = list[0];
    for (int offset = 16; offset > 0; offset /= 2) {
      const Found other{__shfl_xor_sync(~0U, best.distance, offset), __shfl_xor_sync(~0U, best.index, offset)};
      if (other.before(best)) best = other;
    }
    if (best.index == list[0].index) {
#pragma unroll
      for (int m = 0; m + 1 < K; ++m) list[m] = list[m + 1];
      list[K - 1] = {INFINITY, 0x7fffffff};
    }
    if (lane == 0) {
      indices[row * k + i] = best.index == 0x7fffffff ? 0 : best.index;
      distances[row * k + i] = best.distance;
    }
  }
}

}  // namespace

Nearest find_nearest(std::size_t k, FloatView x, FloatView points, const Array<float>& point_norms) {
  constexpr std::size_t most_products = std::size_t{1} << 24;  // 64 MiB: they hardly leave the second-level cache
  const std::size_t n = x.rows(), m = points.rows();
  const std::size_t at_once =
      std::clamp<std::size_t>(most_products / std::max<std::size_t>(1, m), 256, std::max<std::size_t>(256, n));
  Nearest found{Array<std::int32_t>(n * k), Array<float>(n * k)};
  const Array<float> norms = cuda::squared_norms(x);
  FloatMatrix products(std::min(at_once, n), m, Place::device);
  const auto kernel = k == 1    ? pick_smallest<1>
                      : k <= 5  ? pick_smallest<5>
                      : k <= 12 ? pick_smallest<12>
                                : pick_smallest<32>;
  for (std::size_t first = 0; first < n; first += at_once) {
    const std::size_t count = std::min(at_once, n - first);
    multiply_transposed(x.row_range(first, first + count), points, products.view().row_range(0, count));
    kernel<<<blocks_for(count * 32, threads), threads, 0, stream()>>>(
        products.data(), count, static_cast<int>(m), norms.data() + first, point_norms.data(), static_cast<int>(k),
        found.indices.data() + first * k, found.distances.data() + first * k);
    check_launch("find neighbours");
  }
  return found;
}

Neighbours nearest(std::size_t k, FloatView x, FloatView points) {
  const Resident there(points);
  const Nearest found = find_nearest(k, x, there, cuda::squared_norms(there));
  Neighbours result{Matrix<std::int32_t>(x.rows(), k), FloatMatrix(x.rows(), k)};
  found.indices.copy_to(std::span(result.indices.data(), result.indices.size()));
  found.distances.copy_to(std::span(result.distances.data(), result.distances.size()));
  return result;
}

}  // namespace pssc::cuda
