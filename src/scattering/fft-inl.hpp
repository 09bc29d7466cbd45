// Fourier transforms as templates over the lanes' type, compiled anew for each instruction set that includes them (that
// is what the toggling guard is for: Highway's way, since a function built for one set cannot be inlined into another).
#if defined(PSSC_SCATTERING_FFT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PSSC_SCATTERING_FFT_INL
#undef PSSC_SCATTERING_FFT_INL
#else
#define PSSC_SCATTERING_FFT_INL
#endif

#include "fft_plan.hpp"

#include <hwy/highway.h>

#include <complex>
#include <cstddef>
#include <numbers>

HWY_BEFORE_NAMESPACE();
namespace pssc::HWY_NAMESPACE {

/// A complex number of lanes. V is anything with V+V, V-V and V*Scalar: a float, or a vector of one image a lane.
template <class V>
struct Complex {
  V re, im;
};

template <class V>
HWY_INLINE Complex<V> operator+(const Complex<V>& a, const Complex<V>& b) {
  return {a.re + b.re, a.im + b.im};
}

template <class V>
HWY_INLINE Complex<V> operator-(const Complex<V>& a, const Complex<V>& b) {
  return {a.re - b.re, a.im - b.im};
}

template <class V, class Scalar>
HWY_INLINE Complex<V> scaled(const Complex<V>& a, Scalar s) {
  return {a.re * s, a.im * s};
}

/// a * w, or a * conj(w) for the inverse transform.
template <bool inverse, class V, class Scalar>
HWY_INLINE Complex<V> twiddled(const Complex<V>& a, const std::complex<Scalar>& w) {
  const Scalar c = w.real(), s = inverse ? -w.imag() : w.imag();
  return {a.re * c - a.im * s, a.re * s + a.im * c};
}

/// a * -i, or a * i for the inverse transform.
template <bool inverse, class V>
HWY_INLINE Complex<V> quarter_turn(const Complex<V>& a) {
  const V zero = a.re - a.re;
  if constexpr (inverse) return {zero - a.im, a.re};
  return {a.im, zero - a.re};
}

// The butterflies: a discrete Fourier transform of 2, 3, 4, 5 or any number of points, in place.
template <bool inverse, class Scalar, class V>
HWY_INLINE void butterfly2(Complex<V>* a) {
  const Complex<V> difference = a[0] - a[1];
  a[0] = a[0] + a[1];
  a[1] = difference;
}

template <bool inverse, class Scalar, class V>
HWY_INLINE void butterfly3(Complex<V>* a) {
  constexpr auto s = static_cast<Scalar>(std::numbers::sqrt3 / 2);
  const Complex<V> sum = a[1] + a[2], turned = quarter_turn<inverse>(scaled(a[1] - a[2], s));
  const Complex<V> middle = a[0] - scaled(sum, Scalar(0.5));
  a[0] = a[0] + sum;
  a[1] = middle + turned;
  a[2] = middle - turned;
}

template <bool inverse, class Scalar, class V>
HWY_INLINE void butterfly4(Complex<V>* a) {
  const Complex<V> s02 = a[0] + a[2], d02 = a[0] - a[2], s13 = a[1] + a[3];
  const Complex<V> d13 = quarter_turn<inverse>(a[1] - a[3]);
  a[0] = s02 + s13;
  a[1] = d02 + d13;
  a[2] = s02 - s13;
  a[3] = d02 - d13;
}

template <bool inverse, class Scalar, class V>
HWY_INLINE void butterfly5(Complex<V>* a) {
  constexpr auto c1 = static_cast<Scalar>(0.30901699437494742), c2 = static_cast<Scalar>(-0.80901699437494742);
  constexpr auto s1 = static_cast<Scalar>(0.95105651629515357), s2 = static_cast<Scalar>(0.58778525229247313);
  const Complex<V> s14 = a[1] + a[4], d14 = a[1] - a[4], s23 = a[2] + a[3], d23 = a[2] - a[3];
  const Complex<V> m1 = a[0] + scaled(s14, c1) + scaled(s23, c2), m2 = a[0] + scaled(s14, c2) + scaled(s23, c1);
  const Complex<V> r1 = quarter_turn<inverse>(scaled(d14, s1) + scaled(d23, s2));
  const Complex<V> r2 = quarter_turn<inverse>(scaled(d14, s2) - scaled(d23, s1));
  a[0] = a[0] + s14 + s23;
  a[1] = m1 + r1;
  a[4] = m1 - r1;
  a[2] = m2 + r2;
  a[3] = m2 - r2;
}

/// Points one line at stride apart; `in` and `out` may be the same line.
template <class V>
struct Line {
  Complex<V>* data;
  std::size_t stride;
  Complex<V>& operator[](std::size_t i) const { return data[i * stride]; }
};

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

}  // namespace pssc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
