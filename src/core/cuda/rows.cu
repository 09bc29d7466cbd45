// Sums over rows and columns, and rows moved about. Every sum is taken in an order that depends on the shape alone, so
// that the same input gives the same bits.
#include <pssc/core/cuda.hpp>
#include <pssc/core/cuda_session.hpp>

namespace pssc::cuda {

namespace {

constexpr unsigned threads = 256;

__global__ void row_squares(const float* x, std::size_t stride, std::size_t rows, std::size_t cols,
                            const float* weights, float* sums) {
  const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (i >= rows) return;
  float sum = 0;
  for (std::size_t j = threadIdx.x % 32; j < cols; j += 32) {
    const float v = x[i * stride + j];
    sum += weights ? v * v * weights[j] : v * v;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
  if (threadIdx.x % 32 == 0) sums[i] = sum;
}

/// A block sums 32 columns of some rows: eight rows at a time, then those eight.
template <bool squared>
__global__ void partial_column_sums(const float* x, std::size_t stride, std::size_t rows, std::size_t cols,
                                    std::size_t rows_a_block, double* partial) {
  __shared__ double shared[8][33];
  const std::size_t j = blockIdx.x * 32 + threadIdx.x % 32, lane = threadIdx.x / 32;
  const std::size_t first = blockIdx.y * rows_a_block, last = min(rows, first + rows_a_block);
  double sum = 0;
  if (j < cols)
    for (std::size_t i = first + lane; i < last; i += 8) {
      const double v = x[i * stride + j];
      sum += squared ? v * v : v;
    }
  shared[lane][threadIdx.x % 32] = sum;
  __syncthreads();
  if (lane > 0 || j >= cols) return;
  for (int k = 1; k < 8; ++k) sum += shared[k][threadIdx.x];
  partial[blockIdx.y * cols + j] = sum;
}

__global__ void add_partials(const double* partial, std::size_t count, std::size_t cols, double* sums) {
  const std::size_t j = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= cols) return;
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) sum += partial[k * cols + j];
  sums[j] = sum;
}

template <bool squared>
Array<double> sums_of_columns(FloatView x) {
  constexpr std::size_t rows_a_block = 512;
  const std::size_t parts = std::max<std::size_t>(1, (x.rows() + rows_a_block - 1) / rows_a_block);
  Array<double> partial(parts * x.cols()), sums(x.cols());
  const dim3 grid(blocks_for(x.cols(), 32), static_cast<unsigned>(parts));
  partial_column_sums<squared>
      <<<grid, 256, 0, stream()>>>(x.data(), x.stride(), x.rows(), x.cols(), rows_a_block, partial.data());
  check_launch("sum columns");
  add_partials<<<blocks_for(x.cols(), threads), threads, 0, stream()>>>(partial.data(), parts, x.cols(), sums.data());
  check_launch("sum columns");
  return sums;
}

__global__ void subtract_row(float* x, std::size_t stride, std::size_t rows, std::size_t cols, const float* row) {
  const std::size_t j = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= cols) return;
  for (std::size_t i = blockIdx.y; i < rows; i += gridDim.y) x[i * stride + j] -= row[j];
}

__global__ void subtract_own(const float* x, std::size_t stride, std::size_t rows, std::size_t cols,
                             const std::int32_t* labels, const double* of_label, float* rest) {
  const std::size_t j = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (j >= cols) return;
  for (std::size_t i = blockIdx.y; i < rows; i += gridDim.y)
    rest[i * cols + j] = labels[i] < 0 ? 0 : static_cast<float>(x[i * stride + j] - of_label[labels[i] * cols + j]);
}

/// Rows of 4-byte words. `places` says where each row comes from, or, where `put`, goes to.
__global__ void move_rows(const std::uint32_t* from, std::size_t from_stride, std::size_t words,
                          const std::size_t* places, std::size_t rows, bool put, std::uint32_t* to,
                          std::size_t to_stride) {
  for (std::size_t i = blockIdx.x; i < rows; i += gridDim.x) {
    const std::uint32_t* source = from + (put ? i : places[i]) * from_stride;
    std::uint32_t* target = to + (put ? places[i] : i) * to_stride;
    for (std::size_t j = threadIdx.x; j < words; j += blockDim.x) target[j] = source[j];
  }
}

/// Of a symmetric matrix of which the tile holds the upper triangle.
__global__ void add_symmetric(const float* tile, std::size_t d, double* sums) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= d * d) return;
  const std::size_t i = k / d, j = k % d;
  sums[k] += i <= j ? tile[k] : tile[j * d + i];
}

/// One of `splits` parts of a group's rows, 32 columns of it: eight rows at a time, then those eight.
__global__ void partial_group_sums(const float* x, std::size_t stride, std::size_t cols, const std::int32_t* rows,
                                   const std::int32_t* offsets, std::size_t groups, int splits, double* partial) {
  __shared__ double shared[8][33];
  const std::size_t j = blockIdx.y * 32 + threadIdx.x % 32, group = blockIdx.x;
  const int lane = threadIdx.x / 32, split = blockIdx.z;
  const int begin = offsets[group], size = offsets[group + 1] - begin;
  const int first = begin + static_cast<int>(static_cast<long long>(size) * split / splits);
  const int last = begin + static_cast<int>(static_cast<long long>(size) * (split + 1) / splits);
  double sum = 0;
  if (j < cols)
    for (int m = first + lane; m < last; m += 8) sum += x[rows[m] * stride + j];
  shared[lane][threadIdx.x % 32] = sum;
  __syncthreads();
  if (lane > 0 || j >= cols) return;
  for (int k = 1; k < 8; ++k) sum += shared[k][threadIdx.x];
  partial[(split * groups + group) * cols + j] = sum;
}

constexpr unsigned most_rows_of_blocks = 4096;

dim3 grid_for(std::size_t rows, std::size_t cols) {
  return {blocks_for(cols, threads), static_cast<unsigned>(std::min<std::size_t>(rows, most_rows_of_blocks))};
}

}  // namespace

Array<float> squared_norms(FloatView x) {
  Array<float> norms(x.rows());
  if (x.rows() == 0) return norms;
  row_squares<<<blocks_for(x.rows() * 32, threads), threads, 0, stream()>>>(x.data(), x.stride(), x.rows(), x.cols(),
                                                                            nullptr, norms.data());
  check_launch("sum rows");
  return norms;
}

std::vector<float> weighted_squares(FloatView x, std::span<const float> weights) {
  const Array<float> factors(weights);
  Array<float> sums(x.rows());
  row_squares<<<blocks_for(x.rows() * 32, threads), threads, 0, stream()>>>(x.data(), x.stride(), x.rows(), x.cols(),
                                                                            factors.data(), sums.data());
  check_launch("sum rows");
  return sums.on_host();
}

Array<double> column_sums(FloatView x) {
  return sums_of_columns<false>(x);
}

Array<double> column_squares(FloatView x) {
  return sums_of_columns<true>(x);
}

void subtract_from_rows(MatrixView<float> x, std::span<const float> row) {
  if (x.empty()) return;
  const Array<float> values(row);
  subtract_row<<<grid_for(x.rows(), x.cols()), threads, 0, stream()>>>(x.data(), x.stride(), x.rows(), x.cols(),
                                                                       values.data());
  check_launch("centre rows");
}

FloatMatrix minus_own_row(FloatView x, const Array<std::int32_t>& labels, MatrixView<const double> rows) {
  FloatMatrix rest(x.rows(), x.cols(), Place::device);
  const Array<double> means(std::span(rows.data(), rows.rows() * rows.cols()));
  subtract_own<<<grid_for(x.rows(), x.cols()), threads, 0, stream()>>>(x.data(), x.stride(), x.rows(), x.cols(),
                                                                       labels.data(), means.data(), rest.data());
  check_launch("centre rows");
  return rest;
}

void put_rows(FloatView x, std::span<const std::size_t> places, MatrixView<float> y) {
  if (x.empty()) return;
  const Array<std::size_t> where(places);
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>(x.rows(), 65535));
  move_rows<<<blocks, threads, 0, stream()>>>(reinterpret_cast<const std::uint32_t*>(x.data()), x.stride(), x.cols(),
                                              where.data(), x.rows(), true, reinterpret_cast<std::uint32_t*>(y.data()),
                                              y.stride());
  check_launch("move rows");
}

Groups::Groups(std::span<const std::int32_t> labels, std::size_t groups) : count(groups), sizes(groups) {
  std::vector<std::int32_t> at(groups + 1), order(labels.size());
  for (const std::int32_t l : labels)
    if (l >= 0) ++sizes[static_cast<std::size_t>(l)];
  for (std::size_t c = 0; c < groups; ++c) at[c + 1] = at[c] + sizes[c];
  offsets = Array<std::int32_t>(std::span<const std::int32_t>(at));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= 0)
      order[static_cast<std::size_t>(at[static_cast<std::size_t>(labels[i])]++)] = static_cast<std::int32_t>(i);
  rows = Array<std::int32_t>(std::span<const std::int32_t>(order));
}

Array<double> group_sums(FloatView x, const Groups& groups) {
  const int splits = static_cast<int>(std::clamp<std::size_t>(1024 / std::max<std::size_t>(1, groups.count), 1, 64));
  Array<double> partial(static_cast<std::size_t>(splits) * groups.count * x.cols()), sums(groups.count * x.cols());
  const dim3 grid(static_cast<unsigned>(groups.count), blocks_for(x.cols(), 32), static_cast<unsigned>(splits));
  partial_group_sums<<<grid, 256, 0, stream()>>>(x.data(), x.stride(), x.cols(), groups.rows.data(),
                                                 groups.offsets.data(), groups.count, splits, partial.data());
  check_launch("sum groups");
  add_partials<<<blocks_for(sums.size(), threads), threads, 0, stream()>>>(
      partial.data(), static_cast<std::size_t>(splits), sums.size(), sums.data());
  check_launch("sum groups");
  return sums;
}

Array<double> centred_products(MatrixView<float> x, std::vector<float>& mean) {
  const std::vector<double> sums = column_sums(x).on_host();
  mean.resize(x.cols());
  for (std::size_t j = 0; j < mean.size(); ++j) mean[j] = static_cast<float>(sums[j] / static_cast<double>(x.rows()));
  subtract_from_rows(x, mean);
  return inner_products(x);
}

Array<double> inner_products(FloatView x) {
  constexpr std::size_t at_once = 4096;
  const std::size_t d = x.cols();
  FloatMatrix tile(d, d, Place::device);
  Array<double> sums(d * d);
  check(cudaMemsetAsync(sums.data(), 0, sums.size() * sizeof(double), stream()), "clear memory");
  for (std::size_t first = 0; first < x.rows(); first += at_once) {
    const FloatView rows = x.row_range(first, std::min(x.rows(), first + at_once));
    multiply_by_itself(rows, tile);
    add_symmetric<<<blocks_for(d * d, threads), threads, 0, stream()>>>(tile.data(), d, sums.data());
    check_launch("add products");
  }
  return sums;
}

}  // namespace pssc::cuda

namespace pssc {

void gather_on_device(const void* from, std::size_t stride, std::size_t bytes, std::span<const std::size_t> rows,
                      void* to) {
  if (rows.empty() || bytes == 0) return;
  const cuda::Array<std::size_t> where(rows);
  const auto blocks = static_cast<unsigned>(std::min<std::size_t>(rows.size(), 65535));
  cuda::move_rows<<<blocks, cuda::threads, 0, cuda::stream()>>>(static_cast<const std::uint32_t*>(from), stride / 4,
                                                                bytes / 4, where.data(), rows.size(), false,
                                                                static_cast<std::uint32_t*>(to), bytes / 4);
  cuda::check_launch("gather rows");
}

}  // namespace pssc
