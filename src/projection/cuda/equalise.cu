#include "projection.hpp"

#include <pssc/core/cuda_session.hpp>

namespace pssc::cuda {

namespace {

constexpr unsigned threads = 256;

/// A thread a path, over some rows.
__global__ void partial_statistics(bool maxnorm, const float* features, std::size_t stride, std::size_t rows,
                                   std::size_t paths, std::size_t path_length, std::size_t rows_a_block,
                                   double* partial) {
  const std::size_t p = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  const std::size_t first = blockIdx.y * rows_a_block, last = min(rows, first + rows_a_block);
  double statistic = 0;
  for (std::size_t i = first; i < last; ++i) {
    const float* path = features + i * stride + p * path_length;
    float sum = 0;
    for (std::size_t k = 0; k < path_length; ++k) sum += maxnorm ? path[k] * path[k] : fmaxf(path[k], 0);
    statistic = maxnorm ? fmax(statistic, double{sum}) : statistic + sum;
  }
  partial[blockIdx.y * paths + p] = statistic;
}

__global__ void combine(bool maxnorm, const double* partial, std::size_t parts, std::size_t paths, double* statistic) {
  const std::size_t p = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  double all = 0;
  for (std::size_t k = 0; k < parts; ++k)
    all = maxnorm ? fmax(all, partial[k * paths + p]) : all + partial[k * paths + p];
  statistic[p] = all;
}

__device__ float equalised(float v, float factor, bool logarithm) {
  return logarithm ? log1pf(fmaxf(v, 0) * factor) : v * factor;
}

/// Four numbers at once, of rows whose paths begin on their boundary.
template <bool logarithm>
__global__ void apply_to_fours(float4* features, std::size_t stride, std::size_t rows, std::size_t fours,
                               std::size_t path_fours, const float* scale) {
  const std::size_t j = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= fours) return;
  const float factor = 1 / scale[j / path_fours];
  for (std::size_t i = blockIdx.y; i < rows; i += gridDim.y) {
    float4 v = features[i * stride + j];
    v = {equalised(v.x, factor, logarithm), equalised(v.y, factor, logarithm), equalised(v.z, factor, logarithm),
         equalised(v.w, factor, logarithm)};
    features[i * stride + j] = v;
  }
}

template <bool logarithm>
__global__ void apply(float* features, std::size_t stride, std::size_t rows, std::size_t cols, std::size_t path_length,
                      const float* scale) {
  const std::size_t j = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= cols) return;
  const float factor = 1 / scale[j / path_length];
  for (std::size_t i = blockIdx.y; i < rows; i += gridDim.y) {
    float& v = features[i * stride + j];
    v = equalised(v, factor, logarithm);
  }
}

}  // namespace

std::vector<double> path_statistics(Equalisation kind, FloatView features, std::size_t path_length) {
  constexpr std::size_t rows_a_block = 32;
  const std::size_t paths = features.cols() / path_length, parts = (features.rows() + rows_a_block - 1) / rows_a_block;
  Array<double> partial(parts * paths), statistic(paths);
  const bool maxnorm = kind == Equalisation::maxnorm;
  const dim3 grid(blocks_for(paths, threads), static_cast<unsigned>(parts));
  partial_statistics<<<grid, threads, 0, stream()>>>(maxnorm, features.data(), features.stride(), features.rows(),
                                                     paths, path_length, rows_a_block, partial.data());
  check_launch("equalise");
  combine<<<blocks_for(paths, threads), threads, 0, stream()>>>(maxnorm, partial.data(), parts, paths,
                                                                statistic.data());
  check_launch("equalise");
  return statistic.on_host();
}

void equalise(const Equaliser& equaliser, MatrixView<float> features) {
  if (equaliser.kind == Equalisation::none || features.empty()) return;
  const Array<float> scale{std::span<const float>(equaliser.scale)};
  const bool logarithm = equaliser.kind == Equalisation::log;
  if (features.stride() % 4 == 0 && equaliser.path_length % 4 == 0) {
    const auto kernel = logarithm ? apply_to_fours<true> : apply_to_fours<false>;
    const dim3 grid(blocks_for(features.cols() / 4, threads),
                    static_cast<unsigned>(std::min<std::size_t>(features.rows(), 4096)));
    kernel<<<grid, threads, 0, stream()>>>(reinterpret_cast<float4*>(features.data()), features.stride() / 4,
                                           features.rows(), features.cols() / 4, equaliser.path_length / 4,
                                           scale.data());
    check_launch("equalise");
    return;
  }
  const auto kernel = logarithm ? apply<true> : apply<false>;
  const dim3 grid(blocks_for(features.cols(), threads),
                  static_cast<unsigned>(std::min<std::size_t>(features.rows(), 1024)));
  kernel<<<grid, threads, 0, stream()>>>(features.data(), features.stride(), features.rows(), features.cols(),
                                         equaliser.path_length, scale.data());
  check_launch("equalise");
}

}  // namespace pssc::cuda
