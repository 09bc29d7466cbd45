#pragma once

// Fourier transforms of 12, 24 and 48 points by one thread, in its registers: every index is known to the compiler.
#include <utility>

namespace pssc::cuda {

template <int Count, class Body>
__device__ __forceinline__ void static_for(Body&& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (body(std::integral_constant<int, I>{}), ...);
  }
  (std::make_integer_sequence<int, Count>{});
}

/// sin(x) for |x| <= pi / 2 by its series; the compiler evaluates it.
constexpr double sine_series(double x) {
  double term = x, sum = x;
  for (int n = 1; n < 14; ++n) {
    term *= -x * x / ((2 * n) * (2 * n + 1));
    sum += term;
  }
  return sum;
}

/// sin(2 pi k / n)
constexpr double sine(int k, int n) {
  k = (k % n + n) % n;
  if (2 * k > n) return -sine(n - k, n);
  if (4 * k > n) return sine_series(3.14159265358979323846 * (n - 2 * k) / n);
  return sine_series(3.14159265358979323846 * 2 * k / n);
}

constexpr double cosine(int k, int n) {
  return sine(4 * k + n, 4 * n);
}

template <int K, int N>
inline constexpr float cos_of = static_cast<float>(cosine(K, N));
template <int K, int N>
inline constexpr float sin_of = static_cast<float>(sine(K, N));

__device__ __forceinline__ float2 operator+(float2 a, float2 b) {
  return {a.x + b.x, a.y + b.y};
}
__device__ __forceinline__ float2 operator-(float2 a, float2 b) {
  return {a.x - b.x, a.y - b.y};
}

/// z exp(-2 pi i K / N), or with the other sign.
template <int K, int N, bool inverse>
__device__ __forceinline__ float2 turned(float2 z) {
  if constexpr (K == 0) {
    return z;
  } else if constexpr (4 * K == N) {
    return inverse ? float2{-z.y, z.x} : float2{z.y, -z.x};
  } else {
    constexpr float c = cos_of<K, N>, s = inverse ? sin_of<K, N> : -sin_of<K, N>;
    return {z.x * c - z.y * s, z.x * s + z.y * c};
  }
}

/// N = 2^a points.
template <int N, bool inverse>
__device__ __forceinline__ void dft_power_of_two(float2 (&v)[N]) {
  if constexpr (N == 2) {
    const float2 a = v[0], b = v[1];
    v[0] = a + b;
    v[1] = a - b;
  } else {
    float2 even[N / 2], odd[N / 2];
    static_for<N / 2>([&](auto k) {
      even[k] = v[2 * k];
      odd[k] = v[2 * k + 1];
    });
    dft_power_of_two<N / 2, inverse>(even);
    dft_power_of_two<N / 2, inverse>(odd);
    static_for<N / 2>([&](auto k) {
      const float2 t = turned<k.value, N, inverse>(odd[k]);
      v[k] = even[k] + t;
      v[k + N / 2] = even[k] - t;
    });
  }
}

constexpr int inverse_modulo(int a, int n) {
  for (int x = 1; x < n; ++x)
    if (a * x % n == 1) return x;
  return 0;
}

/// N = 3 * 2^a points by Good and Thomas: no factors between the transforms of 3 and of 2^a points.
template <int N, bool inverse>
__device__ __forceinline__ void dft(float2 (&v)[N]) {
  constexpr int M = N / 3, a = inverse_modulo(M % 3, 3), b = inverse_modulo(3, M);
  static_assert(N % 3 == 0 && (M & (M - 1)) == 0 && M > 1);
  constexpr float half_root_3 = 0.86602540378443864676F;
  float2 t[3][M];
  static_for<M>([&](auto n) {
    const float2 x0 = v[3 * n % N], x1 = v[(M + 3 * n) % N], x2 = v[(2 * M + 3 * n) % N];
    const float2 sum = x1 + x2, difference = x1 - x2;
    const float2 middle{x0.x - 0.5F * sum.x, x0.y - 0.5F * sum.y};
    constexpr float s = inverse ? -half_root_3 : half_root_3;
    t[0][n] = x0 + sum;
    t[1][n] = {middle.x + s * difference.y, middle.y - s * difference.x};
    t[2][n] = {middle.x - s * difference.y, middle.y + s * difference.x};
  });
  static_for<3>([&](auto k1) {
    dft_power_of_two<M, inverse>(t[k1]);
    static_for<M>([&](auto k2) { v[(M * a * k1 + 3 * b * k2) % N] = t[k1][k2]; });
  });
}

/// N real points, two a complex one: frequencies 0 .. N/2 are handed to put(frequency, value).
template <int N, class Put>
__device__ __forceinline__ void dft_of_real(float2 (&pairs)[N / 2], Put&& put) {
  constexpr int H = N / 2;
  dft<H, false>(pairs);
  static_for<H + 1>([&](auto k) {
    const float2 z = pairs[k % H], m = pairs[(H - k) % H];
    const float2 sum{0.5F * (z.x + m.x), 0.5F * (z.y - m.y)}, difference{0.5F * (z.x - m.x), 0.5F * (z.y + m.y)};
    const float2 w = turned<k.value, N, false>(difference);
    put(k, float2{sum.x + w.y, sum.y - w.x});
  });
}

__device__ __forceinline__ float modulus(float2 z) {
  float root;  // within two units of the last place
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(z.x * z.x + z.y * z.y));
  return root;
}

}  // namespace pssc::cuda
