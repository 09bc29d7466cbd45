// Lloyd's algorithm with few, short centres, all starts side by side: a row of blocks a start. Nothing but the flags of
// the starts that have settled is seen by the host before the end.
#include "clustering.hpp"

#include <pssc/core/cuda_session.hpp>
#include <pssc/core/random.hpp>

#include <algorithm>
#include <climits>

namespace pssc::cuda {

namespace {

// A block's shared memory holds all centres of a start.
constexpr int threads = 512, rows_a_block = 512, most_numbers = 8192;

/// The numbers of all starts, one after the other.
struct State {
  const float* x;
  std::size_t stride;
  int n, d, k, blocks;
  float* centres;        ///< [start][k][d]
  std::int32_t* labels;  ///< [start][n]
  float* distances;      ///< [start][n]: to the own centre, or to the nearest so far
  double* sums;          ///< [start][block][k][d]
  int* counts;           ///< [start][block][k]
  double* inertia;       ///< [start][block]; while centres are drawn, the time of the block's first row to arrive
  float* farthest;       ///< [start][block]: largest distance ...
  int* farthest_row;     ///< ... and where; while centres are drawn, which row arrives first
  int* changed;          ///< [start][block]: rows that changed their cluster
  int* settled;          ///< [start]
  const std::size_t* otherwise;  ///< [start][k]: the first centre's row, and others' where no row is left
  const std::uint64_t* races;    ///< [start][k]: what draws the next centre
};

__device__ bool comes_before(double time, int row, double other_time, int other) {
  return time != other_time ? time < other_time : row < other;
}

__device__ double block_sum(double value, double* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  const double sum = shared[0];
  __syncthreads();
  return sum;
}

/// Distances to the newest centre, and which of a block's rows arrives first in the race for the next.
__global__ void lower_distances(State s, int centre) {
  __shared__ double times[threads];
  __shared__ int rows[threads];
  const int start = blockIdx.y, i = blockIdx.x * rows_a_block + threadIdx.x;
  double time = INFINITY;
  if (i < s.n) {
    const float* c = s.centres + (start * s.k + centre) * s.d;
    float distance = 0;
    for (int j = 0; j < s.d; ++j) {
      const float difference = s.x[i * s.stride + j] - c[j];
      distance += difference * difference;
    }
    float& least = s.distances[std::size_t{blockIdx.y} * s.n + i];
    distance = least = centre == 0 ? distance : fminf(least, distance);
    if (distance > 0) time = -log1p(-Random::uniform_at(s.races[start * s.k + centre + 1], i)) / distance;
  }
  times[threadIdx.x] = time;
  rows[threadIdx.x] = i;
  __syncthreads();
  for (int half = threads / 2; half > 0; half /= 2) {
    const int other = threadIdx.x + half;
    if (threadIdx.x < half && comes_before(times[other], rows[other], times[threadIdx.x], rows[threadIdx.x])) {
      times[threadIdx.x] = times[other];
      rows[threadIdx.x] = rows[other];
    }
    __syncthreads();
  }
  if (threadIdx.x > 0) return;
  s.inertia[start * s.blocks + blockIdx.x] = times[0];
  s.farthest_row[start * s.blocks + blockIdx.x] = rows[0];
}

/// The next centre is the first of all to arrive; the first one, or where all rows are centres, is drawn on the host. A
/// warp a start.
__global__ void draw_centre(State s, int centre) {
  const int start = blockIdx.x;
  double time = INFINITY;
  int chosen = INT_MAX;
  if (centre > 0)
    for (int b = start * s.blocks + threadIdx.x; b < (start + 1) * s.blocks; b += 32)
      if (comes_before(s.inertia[b], s.farthest_row[b], time, chosen)) {
        time = s.inertia[b];
        chosen = s.farthest_row[b];
      }
  for (int offset = 16; offset > 0; offset /= 2) {
    const double other_time = __shfl_xor_sync(~0U, time, offset);
    const int other = __shfl_xor_sync(~0U, chosen, offset);
    if (!comes_before(other_time, other, time, chosen)) continue;
    time = other_time;
    chosen = other;
  }
  if (time == INFINITY) chosen = static_cast<int>(s.otherwise[start * s.k + centre]);
  for (int j = threadIdx.x; j < s.d; j += blockDim.x)
    s.centres[(start * s.k + centre) * s.d + j] = s.x[chosen * s.stride + j];
}

/// Each row to its nearest centre; sums of each cluster over the block's rows, in their order.
__global__ void assign(State s) {
  extern __shared__ float centres[];  // numbers
  __shared__ std::int32_t own[rows_a_block];
  __shared__ double shared[threads];
  __shared__ float far[threads];
  __shared__ int far_row[threads];
  const int start = blockIdx.y, i = blockIdx.x * rows_a_block + threadIdx.x, numbers = s.k * s.d;
  if (s.settled[start]) return;
  for (int m = threadIdx.x; m < numbers; m += threads) centres[m] = s.centres[start * numbers + m];
  __syncthreads();
  float least = INFINITY;
  int best = -1;
  bool moved = false;
  if (i < s.n) {
    for (int c = 0; c < s.k; ++c) {
      float distance = 0;
      for (int j = 0; j < s.d; ++j) {
        const float difference = s.x[i * s.stride + j] - centres[c * s.d + j];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    best = max(best, 0);
    const std::size_t at = std::size_t{blockIdx.y} * s.n + i;
    moved = s.labels[at] != best;
    s.labels[at] = best;
    s.distances[at] = least;
  }
  own[threadIdx.x] = best;
  far[threadIdx.x] = i < s.n ? least : -1;
  far_row[threadIdx.x] = i;
  const int changes = __syncthreads_count(moved);
  const double inertia = block_sum(i < s.n ? least : 0, shared);
  for (int half = threads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && far[threadIdx.x + half] > far[threadIdx.x]) {
      far[threadIdx.x] = far[threadIdx.x + half];
      far_row[threadIdx.x] = far_row[threadIdx.x + half];
    }
    __syncthreads();
  }
  const int block = start * s.blocks + blockIdx.x, first = blockIdx.x * rows_a_block;
  if (threadIdx.x == 0) {
    s.inertia[block] = inertia;
    s.changed[block] = changes;
    s.farthest[block] = far[0];
    s.farthest_row[block] = far_row[0];
  }
  const int rows = min(rows_a_block, s.n - first);
  for (int m = threadIdx.x; m < numbers; m += threads) {
    const int c = m / s.d, j = m % s.d;
    double sum = 0;
    int count = 0;
    for (int r = 0; r < rows; ++r)
      if (own[r] == c) {
        sum += s.x[(first + r) * s.stride + j];
        ++count;
      }
    s.sums[std::size_t(block) * numbers + m] = sum;
    if (j == 0) s.counts[block * s.k + c] = count;
  }
}

/// Moves the centres of a start, unless no row changed its cluster. A block a start.
__global__ void move_centres(State s, bool first_time) {
  extern __shared__ int sizes[];  // k
  __shared__ int changed;
  const int start = blockIdx.x, numbers = s.k * s.d;
  if (s.settled[start]) return;
  if (threadIdx.x == 0) {
    changed = 0;
    for (int b = 0; b < s.blocks; ++b) changed += s.changed[start * s.blocks + b];
  }
  for (int c = threadIdx.x; c < s.k; c += threads) {
    sizes[c] = 0;
    for (int b = 0; b < s.blocks; ++b) sizes[c] += s.counts[(start * s.blocks + b) * s.k + c];
  }
  __syncthreads();
  if (changed == 0 && !first_time) {
    if (threadIdx.x == 0) s.settled[start] = 1;
    return;
  }
  for (int m = threadIdx.x; m < numbers; m += threads) {
    if (sizes[m / s.d] == 0) continue;
    double sum = 0;
    for (int b = 0; b < s.blocks; ++b) sum += s.sums[std::size_t(start * s.blocks + b) * numbers + m];
    s.centres[start * numbers + m] = static_cast<float>(sum / sizes[m / s.d]);
  }
  if (threadIdx.x > 0) return;
  for (int c = 0; c < s.k; ++c) {  // empty: restarts at the farthest row that no other took
    if (sizes[c] > 0) continue;
    int best = 0;
    for (int b = 1; b < s.blocks; ++b)
      if (s.farthest[start * s.blocks + b] > s.farthest[start * s.blocks + best]) best = b;
    const int row = s.farthest_row[start * s.blocks + best];
    s.farthest[start * s.blocks + best] = -1;
    for (int j = 0; j < s.d; ++j) s.centres[start * numbers + c * s.d + j] = s.x[row * s.stride + j];
  }
}

/// What the host draws, with the same streams as on the CPU.
struct Draws {
  std::vector<std::size_t> otherwise;
  std::vector<std::uint64_t> races;
};

Draws draw(const Context& context, std::size_t starts, std::size_t n, std::size_t k) {
  Draws draws{std::vector<std::size_t>(starts * k), std::vector<std::uint64_t>(starts * k)};
  for (std::size_t start = 0; start < starts; ++start) {
    Random random(context.seed(), start + 1);
    draws.otherwise[start * k] = random.below(n);
    for (std::size_t c = 1; c < k; ++c) {
      draws.races[start * k + c] = random.bits();
      draws.otherwise[start * k + c] = Random(draws.races[start * k + c]).below(n);
    }
  }
  return draws;
}

}  // namespace

bool fits_small_kmeans(const KMeansParams& params, std::size_t d) {
  return params.start == KMeansParams::Start::plus_plus && params.tolerance == 0 && params.clusters * d <= most_numbers;
}

KMeansResult small_kmeans(const Context& context, const KMeansParams& params, FloatView x) {
  const std::size_t starts = std::max<std::size_t>(1, params.starts), n = x.rows(), d = x.cols(), k = params.clusters;
  const unsigned blocks = blocks_for(n, rows_a_block), count = static_cast<unsigned>(starts);
  const Draws draws = draw(context, starts, n, k);
  const Array<std::size_t> otherwise{std::span<const std::size_t>(draws.otherwise)};
  const Array<std::uint64_t> races{std::span<const std::uint64_t>(draws.races)};
  Array<float> centres(starts * k * d), distances(starts * n), farthest(starts * blocks);
  Array<double> sums(starts * blocks * k * d), inertia(starts * blocks);
  Array<int> counts(starts * blocks * k), farthest_row(starts * blocks), changed(starts * blocks), settled(starts);
  Array<std::int32_t> labels(starts * n);
  check(cudaMemsetAsync(labels.data(), 0xff, labels.size() * sizeof(std::int32_t), stream()), "clear memory");
  check(cudaMemsetAsync(settled.data(), 0, starts * sizeof(int), stream()), "clear memory");
  const State s{x.data(),
                x.stride(),
                static_cast<int>(n),
                static_cast<int>(d),
                static_cast<int>(k),
                static_cast<int>(blocks),
                centres.data(),
                labels.data(),
                distances.data(),
                sums.data(),
                counts.data(),
                inertia.data(),
                farthest.data(),
                farthest_row.data(),
                changed.data(),
                settled.data(),
                otherwise.data(),
                races.data()};
  for (int c = 0; c < s.k; ++c) {
    draw_centre<<<count, 32, 0, stream()>>>(s, c);
    if (c + 1 < s.k) lower_distances<<<dim3(blocks, count), threads, 0, stream()>>>(s, c);
  }
  check_launch("start k-means");
  constexpr std::size_t between_looks = 8;
  const std::size_t centres_bytes = k * d * sizeof(float), sizes_bytes = k * sizeof(int);
  assign<<<dim3(blocks, count), threads, centres_bytes, stream()>>>(s);
  for (std::size_t iteration = 0; iteration < params.iterations; ++iteration) {
    move_centres<<<count, threads, sizes_bytes, stream()>>>(s, iteration == 0);
    assign<<<dim3(blocks, count), threads, centres_bytes, stream()>>>(s);
    check_launch("iterate k-means");
    if (iteration % between_looks + 1 < between_looks) continue;
    const std::vector<int> flags = settled.on_host();
    if (std::ranges::all_of(flags, [](int f) { return f != 0; })) break;
  }
  const std::vector<double> parts = inertia.on_host();
  std::size_t best = 0;
  std::vector<double> totals(starts);
  for (std::size_t start = 0; start < starts; ++start) {
    for (unsigned b = 0; b < blocks; ++b) totals[start] += parts[start * blocks + b];
    if (totals[start] < totals[best]) best = start;
  }
  KMeansResult result{std::vector<Label>(n), FloatMatrix(k, d), totals[best]};
  copy_numbers(labels.data() + best * n, Place::device, result.labels.data(), Place::host, n * sizeof(Label));
  copy_numbers(centres.data() + best * k * d, Place::device, result.centres.data(), Place::host, k * d * sizeof(float));
  return result;
}

}  // namespace pssc::cuda
