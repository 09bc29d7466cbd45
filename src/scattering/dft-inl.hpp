// Fourier transforms of lengths known to the compiler: 2^a, 3 * 2^a and 5 * 2^a, the lengths that padded grids have.
// Compiled anew for each instruction set, like fft-inl.hpp, which handles every other length.
#if defined(PSSC_SCATTERING_DFT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef PSSC_SCATTERING_DFT_INL
#undef PSSC_SCATTERING_DFT_INL
#else
#define PSSC_SCATTERING_DFT_INL
#endif

#include "butterflies-inl.hpp"
#include "roots.hpp"

#include <hwy/highway.h>

#include <cstddef>

// Unrolled under a sanitizer, these take the compiler many minutes and are as right as they are looped.
#undef PSSC_UNROLL
#if defined(PSSC_SANITIZED)
#define PSSC_UNROLL(n)
#else
#define PSSC_PRAGMA(text) _Pragma(#text)
#define PSSC_UNROLL(n) PSSC_PRAGMA(GCC unroll n)
#endif

HWY_BEFORE_NAMESPACE();
namespace pssc::HWY_NAMESPACE {

/// N = 2^a points in place, in natural order: Cooley and Tukey with N = A B, both unrolled.
template <std::size_t N, bool inverse, class Scalar, class V>
HWY_INLINE void dft_power_of_two(Complex<V>* x) {
  if constexpr (N == 2) butterfly2<inverse, Scalar>(x);
  if constexpr (N == 4) butterfly4<inverse, Scalar>(x);
  if constexpr (N > 4) {
    constexpr std::size_t A = N == 8 ? 2 : 4, B = N / A;
    Complex<V> t[N];
    PSSC_UNROLL(16)
    for (std::size_t b = 0; b < B; ++b) {
      Complex<V> u[A];
      PSSC_UNROLL(4)
      for (std::size_t a = 0; a < A; ++a) u[a] = x[b + B * a];
      dft_power_of_two<A, inverse, Scalar>(u);
      t[b] = u[0];
      PSSC_UNROLL(4)
      for (std::size_t k = 1; k < A; ++k)
        t[k * B + b] = b == 0 ? u[k] : twiddled<inverse>(u[k], roots_of_unity<N, Scalar>[b * k]);
    }
    PSSC_UNROLL(4)
    for (std::size_t k = 0; k < A; ++k) {
      dft_power_of_two<B, inverse, Scalar>(t + k * B);
      PSSC_UNROLL(16)
      for (std::size_t m = 0; m < B; ++m) x[k + A * m] = t[k * B + m];
    }
  }
}

/// The x of 0 .. n-1 with a x = 1 modulo n.
constexpr std::size_t inverse_modulo(std::size_t a, std::size_t n) {
  for (std::size_t x = 1; x < n; ++x)
    if (a * x % n == 1) return x;
  return 0;
}

/// out = DFT(in), unscaled; they may be the same line. P * 2^a points by Good and Thomas: with indices taken modulo P
/// and modulo 2^a there are no twiddles between the factors.
template <std::size_t N, bool inverse, class Scalar, class V>
HWY_NOINLINE void dft(Line<V> in, Line<V> out) {
  constexpr std::size_t P = N % 3 == 0 ? 3 : N % 5 == 0 ? 5 : 1, M = N / P;
  if constexpr (P > 1) {
    constexpr std::size_t of_P = M * inverse_modulo(M, P);  // 1 modulo P, 0 modulo M
    constexpr std::size_t of_M = P * inverse_modulo(P, M);  // 0 modulo P, 1 modulo M
    Complex<V> t[P][M];
    PSSC_UNROLL(5)
    for (std::size_t n1 = 0; n1 < P; ++n1) {
      PSSC_UNROLL(16)
      for (std::size_t n2 = 0; n2 < M; ++n2) t[n1][n2] = in[(M * n1 + P * n2) % N];
      dft_power_of_two<M, inverse, Scalar>(t[n1]);
    }
    PSSC_UNROLL(16)
    for (std::size_t k2 = 0; k2 < M; ++k2) {
      Complex<V> b[P];
      PSSC_UNROLL(5)
      for (std::size_t n1 = 0; n1 < P; ++n1) b[n1] = t[n1][k2];
      if constexpr (P == 3) butterfly3<inverse, Scalar>(b);
      if constexpr (P == 5) butterfly5<inverse, Scalar>(b);
      PSSC_UNROLL(5)
      for (std::size_t k1 = 0; k1 < P; ++k1) out[(k1 * of_P + k2 * of_M) % N] = b[k1];
    }
  } else {
    Complex<V> t[N];
    PSSC_UNROLL(16)
    for (std::size_t n = 0; n < N; ++n) t[n] = in[n];
    dft_power_of_two<N, inverse, Scalar>(t);
    PSSC_UNROLL(16)
    for (std::size_t n = 0; n < N; ++n) out[n] = t[n];
  }
}

}  // namespace pssc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
