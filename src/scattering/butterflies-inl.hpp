// Complex numbers of lanes and the smallest transforms, compiled anew for each instruction set that includes them (that
// is what the toggling guard is for: Highway's way, since a function built for one set cannot be inlined into another).
#if defined(PSSC_SCATTERING_BUTTERFLIES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PSSC_SCATTERING_BUTTERFLIES_INL
#undef PSSC_SCATTERING_BUTTERFLIES_INL
#else
#define PSSC_SCATTERING_BUTTERFLIES_INL
#endif

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

// For lanes of one number, as in the tests: a * s + b.
HWY_INLINE float multiply_add(float a, float s, float b) {
  return a * s + b;
}
HWY_INLINE double multiply_add(double a, double s, double b) {
  return a * s + b;
}

/// a * w, or a * conj(w) for the inverse transform.
template <bool inverse, class V, class Scalar>
HWY_INLINE Complex<V> twiddled(const Complex<V>& a, const std::complex<Scalar>& w) {
  const Scalar c = w.real(), s = inverse ? -w.imag() : w.imag();
  return {multiply_add(a.im, -s, a.re * c), multiply_add(a.im, c, a.re * s)};
}

/// a - i b, or a + i b for the inverse transform.
template <bool inverse, class V>
HWY_INLINE Complex<V> plus_turned(const Complex<V>& a, const Complex<V>& b) {
  if constexpr (inverse) return {a.re - b.im, a.im + b.re};
  return {a.re + b.im, a.im - b.re};
}

/// a + i b, or a - i b for the inverse transform.
template <bool inverse, class V>
HWY_INLINE Complex<V> minus_turned(const Complex<V>& a, const Complex<V>& b) {
  return plus_turned<!inverse>(a, b);
}

/// a * s + b
template <class V, class Scalar>
HWY_INLINE Complex<V> scaled_plus(const Complex<V>& a, Scalar s, const Complex<V>& b) {
  return {multiply_add(a.re, s, b.re), multiply_add(a.im, s, b.im)};
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
  constexpr auto s = static_cast<Scalar>(inverse ? std::numbers::sqrt3 / 2 : -std::numbers::sqrt3 / 2);
  const Complex<V> sum = a[1] + a[2], difference = a[1] - a[2], middle = scaled_plus(sum, Scalar(-0.5), a[0]);
  a[0] = a[0] + sum;
  a[1] = {multiply_add(difference.im, -s, middle.re), multiply_add(difference.re, s, middle.im)};
  a[2] = {multiply_add(difference.im, s, middle.re), multiply_add(difference.re, -s, middle.im)};
}

template <bool inverse, class Scalar, class V>
HWY_INLINE void butterfly4(Complex<V>* a) {
  const Complex<V> s02 = a[0] + a[2], d02 = a[0] - a[2], s13 = a[1] + a[3], d13 = a[1] - a[3];
  a[0] = s02 + s13;
  a[1] = plus_turned<inverse>(d02, d13);
  a[2] = s02 - s13;
  a[3] = minus_turned<inverse>(d02, d13);
}

template <bool inverse, class Scalar, class V>
HWY_INLINE void butterfly5(Complex<V>* a) {
  constexpr auto c1 = static_cast<Scalar>(0.30901699437494742), c2 = static_cast<Scalar>(-0.80901699437494742);
  constexpr auto s1 = static_cast<Scalar>(0.95105651629515357), s2 = static_cast<Scalar>(0.58778525229247313);
  const Complex<V> s14 = a[1] + a[4], d14 = a[1] - a[4], s23 = a[2] + a[3], d23 = a[2] - a[3];
  const Complex<V> m1 = scaled_plus(s14, c1, scaled_plus(s23, c2, a[0]));
  const Complex<V> m2 = scaled_plus(s14, c2, scaled_plus(s23, c1, a[0]));
  const Complex<V> r1 = scaled_plus(d14, s1, scaled(d23, s2)), r2 = scaled_plus(d14, s2, scaled(d23, -s1));
  a[0] = a[0] + s14 + s23;
  a[1] = plus_turned<inverse>(m1, r1);
  a[4] = minus_turned<inverse>(m1, r1);
  a[2] = plus_turned<inverse>(m2, r2);
  a[3] = minus_turned<inverse>(m2, r2);
}

/// Points one line at stride apart; `in` and `out` may be the same line.
template <class V>
struct Line {
  Complex<V>* data;
  std::size_t stride;
  Complex<V>& operator[](std::size_t i) const { return data[i * stride]; }
};

}  // namespace pssc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
