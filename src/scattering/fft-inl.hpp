// Fourier transforms of any length as templates over the lanes' type, compiled anew for each instruction set.
#if defined(PSSC_SCATTERING_FFT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PSSC_SCATTERING_FFT_INL
#undef PSSC_SCATTERING_FFT_INL
#else
#define PSSC_SCATTERING_FFT_INL
#endif

#include "butterflies-inl.hpp"
#include "dft-inl.hpp"
#include "fft_plan.hpp"

#include <hwy/highway.h>

#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace pssc::HWY_NAMESPACE {

/// One stage of Stockham's self-sorting algorithm: `interleaved` sequences of `length` points become radix times as
/// many sequences of length / radix points. The exponent of a root of the whole transform is p * u * interleaved.
template <std::size_t radix, bool inverse, class V, class Scalar>
void fft_stage(const FftPlan<Scalar>& plan, Line<V> in, Line<V> out, std::size_t length, std::size_t interleaved) {
  const std::size_t m = length / radix, s = interleaved;
  for (std::size_t p = 0; p < m; ++p)
    for (std::size_t q = 0; q < s; ++q) {
      Complex<V> a[radix];
      for (std::size_t k = 0; k < radix; ++k) a[k] = in[q + s * (p + m * k)];
      if constexpr (radix == 2) butterfly2<inverse, Scalar>(a);
      if constexpr (radix == 3) butterfly3<inverse, Scalar>(a);
      if constexpr (radix == 4) butterfly4<inverse, Scalar>(a);
      if constexpr (radix == 5) butterfly5<inverse, Scalar>(a);
      out[q + s * radix * p] = a[0];
      for (std::size_t u = 1; u < radix; ++u)
        out[q + s * (radix * p + u)] = p == 0 ? a[u] : twiddled<inverse>(a[u], plan.roots[p * u * s]);
    }
}

/// The same for any radix, straight from the definition.
template <bool inverse, class V, class Scalar>
void fft_stage_any(const FftPlan<Scalar>& plan, Line<V> in, Line<V> out, std::size_t length, std::size_t interleaved,
                   std::size_t radix) {
  const std::size_t m = length / radix, s = interleaved, unit = plan.n / radix;
  for (std::size_t p = 0; p < m; ++p)
    for (std::size_t q = 0; q < s; ++q)
      for (std::size_t u = 0; u < radix; ++u) {
        Complex<V> sum = in[q + s * p];
        for (std::size_t k = 1; k < radix; ++k)
          sum = sum + twiddled<inverse>(in[q + s * (p + m * k)], plan.roots[unit * (k * u % radix)]);
        out[q + s * (radix * p + u)] = p == 0 ? sum : twiddled<inverse>(sum, plan.roots[p * u * s]);
      }
}

/// out = DFT(in), unscaled in both directions. `scratch` holds 2 n points. `in` and `out` may be the same.
template <bool inverse, class V, class Scalar>
void fft(const FftPlan<Scalar>& plan, Line<V> in, Line<V> out, Complex<V>* scratch) {
  std::size_t length = plan.n, interleaved = 1;
  Line<V> from = in;
  const std::size_t stages = plan.radices.size();
  if (stages == 0) out[0] = in[0];
  for (std::size_t i = 0; i < stages; ++i) {
    const std::size_t radix = plan.radices[i];
    // A single stage in place must not overwrite what it still reads.
    const bool last = i + 1 == stages, direct = last && (stages > 1 || in.data != out.data || radix <= 5);
    const Line<V> to = direct ? out : Line<V>{scratch + (i % 2) * plan.n, 1};
    switch (radix) {
      case 2:
        fft_stage<2, inverse>(plan, from, to, length, interleaved);
        break;
      case 3:
        fft_stage<3, inverse>(plan, from, to, length, interleaved);
        break;
      case 4:
        fft_stage<4, inverse>(plan, from, to, length, interleaved);
        break;
      case 5:
        fft_stage<5, inverse>(plan, from, to, length, interleaved);
        break;
      default:
        fft_stage_any<inverse>(plan, from, to, length, interleaved, radix);
    }
    if (last && !direct)
      for (std::size_t k = 0; k < plan.n; ++k) out[k] = to[k];
    from = to;
    length /= radix;
    interleaved *= radix;
  }
}

/// A plane [rows x cols] in place. `scratch` holds 2 max(rows, cols) points.
template <bool inverse, class V, class Scalar>
void fft2(const FftPlan<Scalar>& rows, const FftPlan<Scalar>& cols, Complex<V>* plane, Complex<V>* scratch) {
  for (std::size_t i = 0; i < rows.n; ++i)
    fft<inverse>(cols, Line<V>{plane + i * cols.n, 1}, Line<V>{plane + i * cols.n, 1}, scratch);
  for (std::size_t j = 0; j < cols.n; ++j)
    fft<inverse>(rows, Line<V>{plane + j, cols.n}, Line<V>{plane + j, cols.n}, scratch);
}

/// `fft` by the fastest way there is for the length; tested against it.
template <bool inverse, class V, class Scalar>
void fast_fft(const FftPlan<Scalar>& plan, Line<V> in, Line<V> out, Complex<V>* scratch) {
  switch (plan.n) {
    case 8:
      return dft<8, inverse, Scalar>(in, out);
    case 10:
      return dft<10, inverse, Scalar>(in, out);
    case 12:
      return dft<12, inverse, Scalar>(in, out);
    case 16:
      return dft<16, inverse, Scalar>(in, out);
    case 20:
      return dft<20, inverse, Scalar>(in, out);
    case 24:
      return dft<24, inverse, Scalar>(in, out);
    case 32:
      return dft<32, inverse, Scalar>(in, out);
    case 40:
      return dft<40, inverse, Scalar>(in, out);
    case 48:
      return dft<48, inverse, Scalar>(in, out);
    case 64:
      return dft<64, inverse, Scalar>(in, out);
    case 80:
      return dft<80, inverse, Scalar>(in, out);
    case 96:
      return dft<96, inverse, Scalar>(in, out);
    default:
      return fft<inverse>(plan, in, out, scratch);
  }
}

}  // namespace pssc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
