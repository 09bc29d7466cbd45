// The scattering transform of one image a block: from the padded image to the last output its planes stay in shared
// memory and registers; device memory sees the pixels once and the features once.
//
// A transform of a plane is a thread a row, then a thread a column, each in registers. Where |x * psi| is transformed
// further, the thread that has a column takes its modulus, its share of the low-pass and its forward transform at once,
// so that the real plane is nowhere stored. Spectra of real planes hold rows 0 .. N/2; the others are mirror images.
#include "dft.cuh"
#include "scatter.hpp"

#include <pssc/core/cuda.hpp>
#include <pssc/core/cuda_session.hpp>

#include <algorithm>

namespace pssc::cuda {

namespace {

constexpr int threads = 96;
constexpr int side = 4;  ///< of an output map: every grid below ends at 6 x 6, less a border

/// What depends on neither image nor filter; as a parameter it lies in constant memory.
template <int N, int J>
struct Tables {
  static constexpr int low_size = side * (2 * N - (N >> (J - 1)));
  float low[low_size];  ///< [resolution][side x points]
  short row_source[N], col_source[N];
  short width;
  int angles, order;
  const float* weights;  ///< see filter_offset
  const std::uint16_t* masks;

  /// Where the low-pass of resolution r begins.
  static constexpr int low_offset(int r) { return side * (2 * N - (2 * N >> r)); }
};

/// Filters lie by (j, from), then t: [ky][kx][c / 4][r][c % 4], so that the threads of a warp, a row r each, read one
/// piece. Before those of (j, from) lie all of lower j, and of the same j with lower `from`.
template <int N>
__host__ __device__ constexpr int filters_before(int j, int from) {
  int size = 0;
  for (int k = 0; k <= j; ++k)
    for (int f = 0; f <= k && (k < j || f < from); ++f) size += (N >> f) * (N >> f);
  return size;
}
template <int N>
__host__ __device__ constexpr int masks_before(int j, int from) {
  int size = 0;
  for (int k = 0; k <= j; ++k)
    for (int f = 0; f <= k && (k < j || f < from); ++f) size += N >> k;
  return size;
}

/// Rows r, r + NT, ... of a spectrum times a filter, folded onto NT points.
template <int NF, int NT>
__device__ __forceinline__ void product_row(const float2* spectrum, const float* weights, unsigned mask, int r,
                                            float2 (&v)[NT]) {
  constexpr int K = NF / NT;
  static_for<NT>([&](auto c) { v[c] = {0, 0}; });
  const auto add_row = [&](auto ky, auto mirrored) {
    const int y = r + ky * NT;
    const float2* row = spectrum + (mirrored ? NF - y : y) * (NF + 1);
    static_for<K>([&](auto kx) {
      if (!(mask >> (ky * K + kx) & 1)) return;
      const float4* at = reinterpret_cast<const float4*>(weights) + (ky * K + kx) * (NT / 4) * NT + r;
      static_for<NT / 4>([&](auto c4) {
        const float4 four = __ldg(at + c4 * NT);
        const float w[4] = {four.x, four.y, four.z, four.w};
        static_for<4>([&](auto i) {
          constexpr int c = 4 * c4.value + i.value, x = kx.value * NT + c;
          const float2 z = row[mirrored ? (NF - x) % NF : x];
          v[c].x += w[i] * z.x;
          v[c].y += (mirrored ? -w[i] : w[i]) * z.y;
        });
      });
    });
  };
  // Row NF/2 is its own mirror image, so that the halves are the same for all threads wherever there is more than one.
  static_for<K>([&](auto ky) {
    if constexpr (K > 1) {
      add_row(ky, std::bool_constant<(2 * ky.value >= K)>{});
    } else if (r < NT / 2) {
      add_row(ky, std::false_type{});
    } else {
      add_row(ky, std::true_type{});
    }
  });
}

/// A block's shared memory.
template <int N, int J>
struct Planes {
  static constexpr int spectrum_size = (N / 2 + 1) * (N + 1);
  /// At resolution j1 as many planes at once as there are threads for. A slot holds a plane, later its spectrum and
  /// behind it the planes of the second layer.
  static constexpr int slot_size(int j1) {
    const int n = N >> j1, half = n / 2;
    const int later = j1 + 1 < J ? (n / 2 + 1) * (n + 1) + 2 * half * (half + 1) : 0;
    return n * (n + 1) > later ? n * (n + 1) : later;
  }
  static constexpr int slots_size() {
    int most = 0;
    for (int j = 0; j < J; ++j) most = std::max(most, threads / (N >> j) * slot_size(j));
    return most;
  }
  float2 spectrum[spectrum_size];
  float2 slots[slots_size()];
  float smoothed[side * threads];  ///< after the low-pass along the columns: [plane][side][points]
  float low[Tables<N, J>::low_size];
};

/// Of a column: its share of the low-pass along it.
template <int N, int J, int R, class Value>
__device__ __forceinline__ void smooth_column(const Tables<N, J>& tables, Value&& value, float* smoothed, int c) {
  constexpr int n = N >> R;
  float sums[side] = {};
  static_for<n>([&](auto r) {
    const float v = value(r);
    static_for<side>([&](auto i) { sums[i] += tables.low[Tables<N, J>::low_offset(R) + i * n + r] * v; });
  });
  static_for<side>([&](auto i) { smoothed[i * n + c] = sums[i]; });
}

/// The low-pass along the rows of `planes` planes, to global memory. `path(plane)` says where.
template <int N, int J, int R, class Path>
__device__ __forceinline__ void store_outputs(const Planes<N, J>& shared, int planes, float* features, Path&& path) {
  constexpr int n = N >> R;
  for (int k = threadIdx.x; k < planes * side * side; k += threads) {
    const int plane = k / (side * side), i = k / side % side, o = k % side;
    const float* in = shared.smoothed + (plane * side + i) * n;
    const float* low = shared.low + Tables<N, J>::low_offset(R) + o * n;
    float sum = 0;
#pragma unroll
    for (int c = 0; c < n; ++c) sum += in[c] * low[c];
    features[path(plane) * side * side + k % (side * side)] = sum;
  }
}

/// || x * psi_{j1,t1} | * psi_{j2,t2} | * phi for the spectra in `count` slots, of the angles from `first` on.
template <int N, int J, int J1, int J2>
__device__ void second_layer(const Tables<N, J>& tables, Planes<N, J>& shared, int first, int count, float* features) {
  constexpr int n1 = N >> J1, n2 = N >> J2, at_once = threads / n2, in_slot = n1 / n2;
  const int L = tables.angles, plane = threadIdx.x / n2, r = threadIdx.x % n2;
  int before = 1 + J * L;
  for (int j = 0; j < J1; ++j) before += L * (J - 1 - j) * L;
  const auto path = [&](int k) {  // k counts (slot, t2)
    return before + (first + k / L) * (J - 1 - J1) * L + (J2 - J1 - 1) * L + k % L;
  };
  float2* scratch = shared.slots + plane / in_slot * Planes<N, J>::slot_size(J1) + (n1 / 2 + 1) * (n1 + 1) +
                    plane % in_slot * n2 * (n2 + 1);
  const float* weights = tables.weights + filters_before<N>(J2, J1) * L;
  const std::uint16_t* masks = tables.masks + masks_before<N>(J2, J1) * L;
  for (int begin = 0; begin < count * L; begin += at_once) {
    const int k = begin + plane, planes = min(at_once, count * L - begin);
    if (k < count * L) {
      float2 v[n2];
      product_row<n1, n2>(shared.slots + k / L * Planes<N, J>::slot_size(J1), weights + k % L * n1 * n1,
                          masks[k % L * n2 + r], r, v);
      dft<n2, true>(v);
      static_for<n2>([&](auto c) { scratch[r * (n2 + 1) + c] = v[c]; });
    }
    __syncthreads();
    if (k < count * L) {
      float2 v[n2];
      static_for<n2>([&](auto y) { v[y] = scratch[y * (n2 + 1) + r]; });
      dft<n2, true>(v);
      smooth_column<N, J, J2>(
          tables, [&](auto y) { return modulus(v[y]); }, shared.smoothed + plane * side * n2, r);
    }
    __syncthreads();
    store_outputs<N, J, J2>(shared, planes, features, [&](int p) { return path(begin + p); });
  }
  __syncthreads();
}

/// | x * psi_{j,t} | * phi and what follows from it, as many angles at once as there are threads for.
template <int N, int J, int J1>
__device__ void first_layer(const Tables<N, J>& tables, Planes<N, J>& shared, float* features) {
  constexpr int n = N >> J1, at_once = threads / n;
  constexpr bool last = J1 + 1 == J;
  const int L = tables.angles, slot = threadIdx.x / n, r = threadIdx.x % n;
  float2* plane = shared.slots + slot * Planes<N, J>::slot_size(J1);
  const float* weights = tables.weights + filters_before<N>(J1, 0) * L;
  const std::uint16_t* masks = tables.masks + masks_before<N>(J1, 0) * L;
  for (int first = 0; first < L; first += at_once) {
    const int count = min(at_once, L - first), t = first + slot;
    if (slot < count) {
      float2 v[n];
      product_row<N, n>(shared.spectrum, weights + t * N * N, masks[t * n + r], r, v);
      dft<n, true>(v);
      static_for<n>([&](auto c) { plane[r * (n + 1) + c] = v[c]; });
    }
    __syncthreads();
    if (slot < count) {
      float2 v[n];
      static_for<n>([&](auto y) { v[y] = plane[y * (n + 1) + r]; });
      dft<n, true>(v);
      float2 pairs[n / 2];  // the moduli
      static_for<n / 2>([&](auto y) { pairs[y] = {modulus(v[2 * y]), modulus(v[2 * y + 1])}; });
      smooth_column<N, J, J1>(
          tables, [&](auto y) { return y % 2 == 0 ? pairs[y / 2].x : pairs[y / 2].y; },
          shared.smoothed + slot * side * n, r);
      if constexpr (!last)
        if (tables.order > 1) dft_of_real<n>(pairs, [&](auto f, float2 z) { plane[f * (n + 1) + r] = z; });
    }
    __syncthreads();
    store_outputs<N, J, J1>(shared, count, features, [&](int p) { return 1 + J1 * L + first + p; });
    if constexpr (!last) {
      if (tables.order > 1) {
        if (slot < count && r <= n / 2) {
          float2 v[n];
          static_for<n>([&](auto c) { v[c] = plane[r * (n + 1) + c]; });
          dft<n, false>(v);
          static_for<n>([&](auto c) { plane[r * (n + 1) + c] = v[c]; });
        }
        __syncthreads();
        static_for<J - 1 - J1>([&](auto j) {
          second_layer<N, J, J1, J1 + 1 + decltype(j)::value>(tables, shared, first, count, features);
        });
      }
    }
    __syncthreads();
  }
}

template <int N, int J>
__global__ __launch_bounds__(threads, 4) void scatter_images(const __grid_constant__ Tables<N, J> tables,
                                                             const float* pixels, std::size_t pixel_stride,
                                                             float* features, std::size_t feature_stride) {
  extern __shared__ float4 memory[];
  auto& shared = *reinterpret_cast<Planes<N, J>*>(memory);
  pixels += blockIdx.x * pixel_stride;
  features += blockIdx.x * feature_stride;
  for (int k = threadIdx.x; k < Tables<N, J>::low_size; k += threads) shared.low[k] = tables.low[k];

  const int c = threadIdx.x;
  if (c < N) {
    const float* column = pixels + tables.col_source[c];
    float2 pairs[N / 2];
    static_for<N / 2>([&](auto y) {
      pairs[y] = {__ldg(column + tables.row_source[2 * y] * tables.width),
                  __ldg(column + tables.row_source[2 * y + 1] * tables.width)};
    });
    smooth_column<N, J, 0>(
        tables, [&](auto y) { return y % 2 == 0 ? pairs[y / 2].x : pairs[y / 2].y; }, shared.smoothed, c);
    dft_of_real<N>(pairs, [&](auto f, float2 z) { shared.spectrum[f * (N + 1) + c] = z; });
  }
  __syncthreads();
  store_outputs<N, J, 0>(shared, 1, features, [](int) { return 0; });
  if (tables.order == 0) return;
  if (c <= N / 2) {
    float2 v[N];
    static_for<N>([&](auto x) { v[x] = shared.spectrum[c * (N + 1) + x]; });
    dft<N, false>(v);
    static_for<N>([&](auto x) { shared.spectrum[c * (N + 1) + x] = v[x]; });
  }
  __syncthreads();
  static_for<J>([&](auto j) { first_layer<N, J, decltype(j)::value>(tables, shared, features); });
}

template <int N, int J>
class FusedPlan : public ScatterPlan {
 public:
  explicit FusedPlan(const Scattering::Plan& plan) {
    const int L = static_cast<int>(plan.params.angles);
    std::vector<float> weights(static_cast<std::size_t>(filters_before<N>(J, 0) * L));
    std::vector<std::uint16_t> masks(static_cast<std::size_t>(masks_before<N>(J, 0) * L));
    for (int j = 0; plan.params.order > 0 && j < J; ++j)
      for (int from = 0; from <= j; ++from)
        for (int t = 0; t < L; ++t)
          arrange(plan, j, t, from, weights.data() + filters_before<N>(j, from) * L + t * (N >> from) * (N >> from),
                  masks.data() + masks_before<N>(j, from) * L + t * (N >> j));
    weights_ = Array<float>(std::span<const float>(weights));
    masks_ = Array<std::uint16_t>(std::span<const std::uint16_t>(masks));
    for (int r = 0; r < J; ++r)
      std::copy_n(plan.low_rows[static_cast<std::size_t>(r)].data(), side * (N >> r),
                  tables_.low + Tables<N, J>::low_offset(r));
    for (int i = 0; i < N; ++i) {
      tables_.row_source[i] = static_cast<short>(plan.row_source[static_cast<std::size_t>(i)]);
      tables_.col_source[i] = static_cast<short>(plan.col_source[static_cast<std::size_t>(i)]);
    }
    tables_.width = static_cast<short>(plan.params.width);
    tables_.angles = L;
    tables_.order = static_cast<int>(plan.params.order);
    tables_.weights = weights_.data();
    tables_.masks = masks_.data();
    check(cudaFuncSetAttribute(scatter_images<N, J>, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Planes<N, J>)),
          "prepare scattering");
    finish();  // the vectors above go
  }

  void transform(FloatView pixels, MatrixView<float> features) const override {
    if (pixels.rows() == 0) return;
    scatter_images<N, J><<<static_cast<unsigned>(pixels.rows()), threads, sizeof(Planes<N, J>), stream()>>>(
        tables_, pixels.data(), pixels.stride(), features.data(), features.stride());
    check_launch("scatter images");
  }

 private:
  /// A filter in the order that threads read it, and which pieces of it are not zero.
  static void arrange(const Scattering::Plan& plan, int j, int t, int from, float* weights, std::uint16_t* masks) {
    const FloatMatrix filter =
        dense_filter(plan, static_cast<std::size_t>(j), static_cast<std::size_t>(t), static_cast<std::size_t>(from));
    const int n = N >> j, K = (N >> from) / n;
    for (int ky = 0; ky < K; ++ky)
      for (int kx = 0; kx < K; ++kx)
        for (int r = 0; r < n; ++r)
          for (int c = 0; c < n; ++c) {
            const float w = filter(static_cast<std::size_t>(ky * n + r), static_cast<std::size_t>(kx * n + c));
            weights[(((ky * K + kx) * (n / 4) + c / 4) * n + r) * 4 + c % 4] = w;
            if (w != 0) masks[r] = static_cast<std::uint16_t>(masks[r] | 1U << (ky * K + kx));
          }
  }

  Tables<N, J> tables_{};
  Array<float> weights_;
  Array<std::uint16_t> masks_;
};

}  // namespace

std::unique_ptr<const ScatterPlan> make_fused_plan(const Scattering::Plan& plan) {
  const std::size_t n = plan.padded_rows, J = plan.params.scales;
  if (plan.padded_cols != n) return nullptr;
  if (n == 48 && J == 3) return std::make_unique<FusedPlan<48, 3>>(plan);
  if (n == 24 && J == 2) return std::make_unique<FusedPlan<24, 2>>(plan);
  if (n == 12 && J == 1) return std::make_unique<FusedPlan<12, 1>>(plan);
  return nullptr;
}

}  // namespace pssc::cuda
