// y = (x - origin) B^T on bfloat16. Numbers come in pairs along K, as the processor's instruction takes them: it adds
// both products of a pair to a sum in single precision. K is cut into pieces so that a piece of 48 columns of B^T stays
// in the first cache while tiles of 8 rows of x pass by it.
#include "bfloat.hpp"

#include <pssc/core/error.hpp>

#include <algorithm>
#include <bit>
#include <memory>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pssc {

namespace {

constexpr std::size_t lanes = 16;         // columns a vector
constexpr std::size_t vectors = 3;        // a tile is so many vectors wide ...
constexpr std::size_t tile_rows = 8;      // ... and so many rows high: 24 sums in registers
constexpr std::size_t piece_pairs = 128;  // of K at a time

std::uint16_t rounded(float value) {  // to the nearest, ties to even
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::size_t up_to(std::size_t n, std::size_t step) {
  return (n + step - 1) / step * step;
}

/// Where the columns [first, first + width) of a piece of B^T begin.
std::size_t packed_at(std::size_t columns, std::size_t piece, std::size_t pairs, std::size_t first) {
  return 2 * (piece * piece_pairs * columns + first * pairs);
}

}  // namespace

BfloatMatrix::BfloatMatrix(FloatView b) : rows_(b.rows()), cols_(b.cols()) {
  const std::size_t pairs = (cols_ + 1) / 2, columns = up_to(rows_, lanes);
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

namespace {

/// x - origin of a block of rows, a piece of K after another, in each piece row by row; rows are filled up with zeros.
PSSC_BFLOAT void round_rows(FloatView x, std::span<const float> origin, std::size_t height, std::uint16_t* out) {
  const std::size_t K = x.cols(), pairs = (K + 1) / 2;
  for (std::size_t begin = 0; begin < 2 * pairs; begin += 2 * piece_pairs) {
    const std::size_t count = std::min(2 * piece_pairs, 2 * pairs - begin);
    for (std::size_t i = 0; i < height; ++i, out += count) {
      if (i >= x.rows()) {
        std::fill_n(out, count, std::uint16_t{0});
        continue;
      }
      const float *from = x.row(i).data() + begin, *middle = origin.data() + begin;
      for (std::size_t k = 0; k < count; k += lanes) {
        const std::size_t left = std::min(lanes, K - begin - k), held = std::min(lanes, count - k);
        const auto valid = static_cast<__mmask16>((1U << left) - 1), kept = static_cast<__mmask16>((1U << held) - 1);
        const __m512 value =
            _mm512_sub_ps(_mm512_maskz_loadu_ps(valid, from + k), _mm512_maskz_loadu_ps(valid, middle + k));
        _mm256_mask_storeu_epi16(out + k, kept, (__m256i)_mm512_cvtneps_pbh(value));
      }
    }
  }
}

template <std::size_t V>
PSSC_BFLOAT void multiply_tile(const std::uint16_t* a, std::size_t pairs, const std::uint16_t* b, float* sums,
                               std::size_t stride) {
  __m512 sum[tile_rows][V];
  for (std::size_t i = 0; i < tile_rows; ++i)
    for (std::size_t v = 0; v < V; ++v) sum[i][v] = _mm512_loadu_ps(sums + i * stride + v * lanes);
  for (std::size_t pair = 0; pair < pairs; ++pair, b += 2 * V * lanes) {
    __m512bh columns[V];
    for (std::size_t v = 0; v < V; ++v) columns[v] = (__m512bh)_mm512_loadu_si512(b + v * 2 * lanes);
    for (std::size_t i = 0; i < tile_rows; ++i) {
      int both;
      __builtin_memcpy(&both, a + 2 * (i * pairs + pair), sizeof both);
      const auto row = (__m512bh)_mm512_set1_epi32(both);
      for (std::size_t v = 0; v < V; ++v) sum[i][v] = _mm512_dpbf16_ps(sum[i][v], row, columns[v]);
    }
  }
  for (std::size_t i = 0; i < tile_rows; ++i)
    for (std::size_t v = 0; v < V; ++v) _mm512_storeu_ps(sums + i * stride + v * lanes, sum[i][v]);
}

}  // namespace

bool multiplies_bfloats() {
  return __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw");
}

void BfloatMatrix::multiply(FloatView x, std::span<const float> origin, MatrixView<float> y) const {
  const std::size_t pairs = (cols_ + 1) / 2, columns = up_to(rows_, lanes), height = up_to(x.rows(), tile_rows);
  const auto rounded_rows = std::make_unique_for_overwrite<std::uint16_t[]>(2 * pairs * height);
  round_rows(x, origin, height, rounded_rows.get());
  FloatMatrix sums(height, columns);
  for (std::size_t piece = 0; piece * piece_pairs < pairs; ++piece) {
    const std::size_t begin = piece * piece_pairs, count = std::min(piece_pairs, pairs - begin);
    const std::uint16_t* a = rounded_rows.get() + 2 * begin * height;
    for (std::size_t first = 0; first < columns; first += vectors * lanes) {
      const std::uint16_t* b = packed_.data() + packed_at(columns, piece, count, first);
      const std::size_t wide = std::min(vectors, (columns - first) / lanes);
      const auto tile = wide == 3 ? multiply_tile<3> : wide == 2 ? multiply_tile<2> : multiply_tile<1>;
      for (std::size_t i = 0; i < height; i += tile_rows)
        tile(a + 2 * i * count, count, b, sums.data() + i * columns + first, columns);
    }
  }
  for (std::size_t i = 0; i < x.rows(); ++i) std::copy_n(sums.row(i).data(), rows_, y.row(i).data());
}

#else

bool multiplies_bfloats() {
  return false;
}

void BfloatMatrix::multiply(FloatView, std::span<const float>, MatrixView<float>) const {
  throw run_error("this processor does not multiply bfloats");
}

#endif

}  // namespace pssc
