// Lloyd's algorithm with many or long centres: neighbours on the device, the rows of each cluster listed on the host.
#include "../spread_kmeans.hpp"
#include "clustering.hpp"

#include <pssc/core/cuda_session.hpp>
#include <pssc/core/random.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace pssc::cuda {

namespace {

constexpr unsigned threads = 256;

__global__ void means_of(const double* sums, const std::int32_t* offsets, std::size_t clusters, std::size_t cols,
                         float* centres) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= clusters * cols) return;
  const int size = offsets[k / cols + 1] - offsets[k / cols];
  if (size > 0) centres[k] = static_cast<float>(sums[k] / size);
}

__global__ void lower_distances(const float* x, std::size_t stride, std::size_t rows, std::size_t cols,
                                const float* centre, float* distances) {
  const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (i >= rows) return;
  float sum = 0;
  for (std::size_t j = threadIdx.x % 32; j < cols; j += 32) {
    const float difference = x[i * stride + j] - centre[j];
    sum += difference * difference;
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0U, sum, offset);
  if (threadIdx.x % 32 == 0) distances[i] = fminf(distances[i], sum);
}

/// As on the CPU, with the draw itself on the host.
FloatMatrix plus_plus(const Context& context, FloatView x, std::size_t clusters, Random& random) {
  const std::size_t n = x.rows();
  std::vector<float> far(n, std::numeric_limits<float>::max());
  Array<float> distances{std::span<const float>(far)};
  std::vector<std::size_t> chosen{random.below(n)};
  while (chosen.size() < clusters) {
    const FloatMatrix centre = gather_rows(x, std::span<const std::size_t>(chosen).last(1));
    lower_distances<<<blocks_for(n * 32, threads), threads, 0, stream()>>>(x.data(), x.stride(), n, x.cols(),
                                                                           centre.data(), distances.data());
    check_launch("start k-means");
    distances.copy_to(far);
    chosen.push_back(draw_row(context, far, {0, n}, random));
  }
  return gather_rows(x, chosen);
}

struct Assignment {
  std::vector<Label> labels;
  std::vector<float> distances;
};

Assignment assign(FloatView x, FloatView centres) {
  const Nearest own = find_nearest(1, x, centres, cuda::squared_norms(centres));
  return {own.indices.on_host(), own.distances.on_host()};
}

/// An empty cluster restarts at the point farthest from its centre.
void restart_empty(FloatView x, const Assignment& a, const Groups& groups, FloatMatrix& centres) {
  std::vector<std::size_t> empty;
  for (std::size_t c = 0; c < groups.count; ++c)
    if (groups.sizes[c] == 0) empty.push_back(c);
  if (empty.empty()) return;
  std::vector<std::size_t> far(x.rows());
  std::iota(far.begin(), far.end(), 0);
  std::partial_sort(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(empty.size()), far.end(),
                    [&](std::size_t i, std::size_t j) {
                      return a.distances[i] != a.distances[j] ? a.distances[i] > a.distances[j] : i < j;
                    });
  far.resize(empty.size());
  cuda::put_rows(gather_rows(x, far), empty, centres);
}

/// The sum of the squared distances that centres moved.
double shift(const FloatMatrix& before, const FloatMatrix& after) {
  const FloatMatrix a = copy_to(Place::host, before.view()), b = copy_to(Place::host, after.view());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = double{a.data()[i]} - double{b.data()[i]};
    sum += d * d;
  }
  return sum;
}

/// The mean of the columns' variances.
double mean_variance(FloatView x) {
  const auto n = static_cast<double>(x.rows());
  const std::vector<double> squares = column_squares(x).on_host(), sums = column_sums(x).on_host();
  double sum = 0;
  for (std::size_t j = 0; j < sums.size(); ++j) sum += squares[j] / n - sums[j] / n * (sums[j] / n);
  return std::max(0.0, sum / static_cast<double>(x.cols()));
}

/// Ends where no label changes, or where the centres move no more than `least_shift`.
KMeansResult run_from(std::size_t iterations, double least_shift, FloatView x, FloatMatrix centres) {
  const std::size_t k = centres.rows();
  Assignment current = assign(x, centres);
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
    const FloatMatrix before = least_shift > 0 ? centres.copy() : FloatMatrix();
    const Groups groups(current.labels, k);
    const Array<double> sums = group_sums(x, groups);
    means_of<<<blocks_for(centres.size(), threads), threads, 0, stream()>>>(sums.data(), groups.offsets.data(), k,
                                                                            x.cols(), centres.data());
    check_launch("move centres");
    restart_empty(x, current, groups, centres);
    Assignment next = assign(x, centres);
    const bool settled = next.labels == current.labels || (least_shift > 0 && shift(before, centres) <= least_shift);
    current = std::move(next);
    if (settled) break;
  }
  const double inertia = std::accumulate(current.distances.begin(), current.distances.end(), 0.0);
  return {std::move(current.labels), copy_to(Place::host, FloatView(centres)), inertia};
}

}  // namespace

KMeansResult kmeans(const Context& context, const KMeansParams& params, FloatView x) {
  if (fits_small_kmeans(params, x.cols())) return small_kmeans(context, params, x);
  const double least_shift = params.tolerance > 0 ? params.tolerance * mean_variance(x) : 0;
  KMeansResult best;
  for (std::size_t start = 0; start < std::max<std::size_t>(1, params.starts); ++start) {
    Random random(context.seed(), start + 1);
    FloatMatrix centres = params.start == KMeansParams::Start::plus_plus
                              ? plus_plus(context, x, params.clusters, random)
                              : gather_rows(x, random.choose(x.rows(), params.clusters));
    KMeansResult result = run_from(params.iterations, least_shift, x, std::move(centres));
    if (start == 0 || result.inertia < best.inertia) best = std::move(result);
  }
  return best;
}

}  // namespace pssc::cuda
