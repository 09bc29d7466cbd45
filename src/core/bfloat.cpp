// y = (x - origin) B^T on bfloat16. Numbers come in pairs along K, as the processor's instructions take them: they add
// both products of a pair to a sum in single precision. K is cut into pieces so that a piece of 48 columns of B^T stays
// in the first cache while tiles of some rows of x pass by it. A tile is multiplied by AMX where the processor and the
// system have it, or else by AVX512_BF16.
#include <pssc/core/bfloat.hpp>
#include <pssc/core/error.hpp>

#include <algorithm>
#include <bit>
#include <memory>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

namespace pssc {

namespace {

constexpr std::size_t lanes = 16;                       // columns a vector
constexpr std::size_t vectors = 3;                      // a tile is so many vectors wide ...
[[maybe_unused]] constexpr std::size_t tile_rows = 16;  // ... and so many rows high
constexpr std::size_t tile_pairs = 16;                  // of K in a register of AMX
constexpr std::size_t piece_pairs = 128;                // of K at a time

std::uint16_t rounded(float value) {  // to the nearest, ties to even
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::size_t up_to(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

/// Pairs along K, filled up with zeros.
std::size_t pairs_of(std::size_t K) {
  return up_to((K + 1) / 2, tile_pairs);
}

/// Where the columns [first, first + width) of a piece of B^T begin.
std::size_t packed_at(std::size_t columns, std::size_t piece, std::size_t pairs, std::size_t first) {
  return 2 * (piece * piece_pairs * columns + first * pairs);
}

}  // namespace

BfloatMatrix::BfloatMatrix(FloatView b) : rows_(b.rows()), cols_(b.cols()) {
  const std::size_t pairs = pairs_of(cols_), columns = up_to(rows_, lanes);
  packed_.resize(2 * pairs * columns);
  for (std::size_t piece = 0; piece * piece_pairs < pairs; ++piece) {
    const std::size_t begin = piece * piece_pairs, count = std::min(piece_pairs, pairs - begin);
    for (std::size_t first = 0; first < columns; first += vectors * lanes) {
      const std::size_t width = std::min(vectors * lanes, columns - first);
      std::uint16_t* at = packed_.data() + packed_at(columns, piece, count, first);
      for (std::size_t pair = begin; pair < begin + count; ++pair)
        for (std::size_t j = first; j < first + width; ++j)
          for (std::size_t k = 2 * pair; k < 2 * pair + 2; ++k, ++at)
            *at = j < rows_ && k < cols_ ? rounded(b(j, k)) : std::uint16_t{0};
    }
  }
}

#if defined(__x86_64__)

#define PSSC_BFLOAT __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define PSSC_AMX __attribute__((target("amx-tile,amx-bf16")))

namespace {

/// `count` columns of x - origin from `begin` on, filled up with zeros to the right and below to `height` rows.
PSSC_BFLOAT void round_piece(FloatView x, std::span<const float> origin, std::size_t begin, std::size_t count,
                             std::size_t height, std::uint16_t* out) {
  for (std::size_t i = 0; i < x.rows(); ++i, out += count) {
    const float *from = x.row(i).data() + begin, *middle = origin.data() + begin;
    for (std::size_t k = 0; k < count; k += lanes) {
      const std::size_t left = std::min(lanes, x.cols() - std::min(x.cols(), begin + k));
      const auto valid = static_cast<__mmask16>((1U << left) - 1);
      const __m512 value =
          _mm512_sub_ps(_mm512_maskz_loadu_ps(valid, from + k), _mm512_maskz_loadu_ps(valid, middle + k));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + k), (__m256i)_mm512_cvtneps_pbh(value));
    }
  }
  std::fill_n(out, (height - x.rows()) * count, std::uint16_t{0});
}

/// Adds the products of tile_rows rows of `a` with V vectors of columns of `b` to `sums`.
using MultiplyTile = void (*)(const std::uint16_t* a, std::size_t pairs, const std::uint16_t* b, float* sums,
                              std::size_t stride);

template <std::size_t V>
PSSC_BFLOAT void by_vectors(const std::uint16_t* a, std::size_t pairs, const std::uint16_t* b, float* sums,
                            std::size_t stride) {
  constexpr std::size_t height = 8;  // 24 sums in registers
  static_assert(tile_rows % height == 0);
  for (std::size_t top = 0; top < tile_rows; top += height, a += 2 * height * pairs, sums += height * stride) {
    __m512 sum[height][V];
    for (std::size_t i = 0; i < height; ++i)
      for (std::size_t v = 0; v < V; ++v) sum[i][v] = _mm512_loadu_ps(sums + i * stride + v * lanes);
    const std::uint16_t* from = b;
    for (std::size_t pair = 0; pair < pairs; ++pair, from += 2 * V * lanes) {
      __m512bh columns[V];
      for (std::size_t v = 0; v < V; ++v) columns[v] = (__m512bh)_mm512_loadu_si512(from + v * 2 * lanes);
      for (std::size_t i = 0; i < height; ++i) {
        int both;
        __builtin_memcpy(&both, a + 2 * (i * pairs + pair), sizeof both);
        const auto row = (__m512bh)_mm512_set1_epi32(both);
        for (std::size_t v = 0; v < V; ++v) sum[i][v] = _mm512_dpbf16_ps(sum[i][v], row, columns[v]);
      }
    }
    for (std::size_t i = 0; i < height; ++i)
      for (std::size_t v = 0; v < V; ++v) _mm512_storeu_ps(sums + i * stride + v * lanes, sum[i][v]);
  }
}

/// Registers 0 to 2 hold the sums, 3 the rows of a, 4 to 6 those of b.
template <std::size_t V>
PSSC_AMX void by_amx(const std::uint16_t* a, std::size_t pairs, const std::uint16_t* b, float* sums,
                     std::size_t stride) {
  asm volatile("" ::: "memory");  // GCC's loads below do not say what they read
  constexpr int columns_apart = V * lanes * 2 * sizeof(std::uint16_t);
  const auto rows_apart = static_cast<int>(pairs * 2 * sizeof(std::uint16_t)),
             sums_apart = static_cast<int>(stride * sizeof(float));
  _tile_loadd(0, sums, sums_apart);
  if constexpr (V > 1) _tile_loadd(1, sums + lanes, sums_apart);
  if constexpr (V > 2) _tile_loadd(2, sums + 2 * lanes, sums_apart);
  for (std::size_t pair = 0; pair < pairs; pair += tile_pairs, a += 2 * tile_pairs, b += 2 * tile_pairs * V * lanes) {
    _tile_loadd(3, a, rows_apart);
    _tile_loadd(4, b, columns_apart);
    _tile_dpbf16ps(0, 3, 4);
    if constexpr (V > 1) _tile_loadd(5, b + 2 * lanes, columns_apart);
    if constexpr (V > 1) _tile_dpbf16ps(1, 3, 5);
    if constexpr (V > 2) _tile_loadd(6, b + 4 * lanes, columns_apart);
    if constexpr (V > 2) _tile_dpbf16ps(2, 3, 6);
  }
  _tile_stored(0, sums, sums_apart);
  if constexpr (V > 1) _tile_stored(1, sums + lanes, sums_apart);
  if constexpr (V > 2) _tile_stored(2, sums + 2 * lanes, sums_apart);
}

/// The calling thread's registers of AMX, all of 16 rows of 64 bytes, for as long as this lives.
class AmxRegisters {
 public:
  explicit AmxRegisters(bool used) : used_(used) {
    if (used_) configure();
  }
  ~AmxRegisters() {
    if (used_) release();
  }
  AmxRegisters(const AmxRegisters&) = delete;
  AmxRegisters& operator=(const AmxRegisters&) = delete;

 private:
  PSSC_AMX static void configure() {
    struct alignas(64) Shape {
      std::uint8_t palette, first_row, reserved[14];
      std::uint16_t bytes_a_row[16];
      std::uint8_t rows[16];
    };
    // Not on the stack: GCC 12 takes the instruction to read the first 8 bytes alone, and drops the rest.
    static constexpr Shape shape{1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    _tile_loadconfig(&shape);
  }
  PSSC_AMX static void release() { _tile_release(); }
  bool used_;
};

/// The system gives the registers only to a process that asks.
bool may_use_amx() {
#if defined(__linux__)
  constexpr long ask = 0x1023, tile_data = 18;              // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  constexpr unsigned bfloats = 1U << 22, tiles = 1U << 24;  // of leaf 7; clang 14 has no names for them
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & bfloats) && (d & tiles) &&
         syscall(SYS_arch_prctl, ask, tile_data) == 0;
#else
  return false;
#endif
}

}  // namespace

bool multiplies_bfloats() {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw");
}

bool multiplies_bfloats_by_amx() {
  static const bool it_does = multiplies_bfloats() && may_use_amx();
  return it_does;
}

void BfloatMatrix::multiply(FloatView x, std::span<const float> origin, MatrixView<float> y, bool amx) const {
  const std::size_t pairs = pairs_of(cols_), columns = up_to(rows_, lanes), height = up_to(x.rows(), tile_rows);
  const auto a = std::make_unique_for_overwrite<std::uint16_t[]>(2 * std::min(piece_pairs, pairs) * height);
  FloatMatrix sums(height, columns);
  const AmxRegisters registers(amx);
  const MultiplyTile by_width[] = {amx ? by_amx<1> : by_vectors<1>, amx ? by_amx<2> : by_vectors<2>,
                                   amx ? by_amx<3> : by_vectors<3>};
  for (std::size_t piece = 0; piece * piece_pairs < pairs; ++piece) {
    const std::size_t begin = piece * piece_pairs, count = std::min(piece_pairs, pairs - begin);
    round_piece(x, origin, 2 * begin, 2 * count, height, a.get());
    for (std::size_t first = 0; first < columns; first += vectors * lanes) {
      const std::uint16_t* b = packed_.data() + packed_at(columns, piece, count, first);
      const MultiplyTile multiply_tile = by_width[std::min(vectors, (columns - first) / lanes) - 1];
      for (std::size_t i = 0; i < height; i += tile_rows)
        multiply_tile(a.get() + 2 * i * count, count, b, sums.data() + i * columns + first, columns);
    }
  }
  for (std::size_t i = 0; i < x.rows(); ++i) std::copy_n(sums.row(i).data(), rows_, y.row(i).data());
}

#else

bool multiplies_bfloats() {
  return false;
}

bool multiplies_bfloats_by_amx() {
  return false;
}

void BfloatMatrix::multiply(FloatView, std::span<const float>, MatrixView<float>, bool) const {
  throw run_error("this processor does not multiply bfloats");
}

#endif

}  // namespace pssc
