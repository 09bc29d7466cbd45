#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <numbers>

namespace pssc {

/// The standard library's sine is no constant expression.
constexpr double constant_sine(double x) {
  double term = x, sum = x;
  for (int k = 1; k < 16; ++k) {
    term *= -x * x / ((2 * k) * (2 * k + 1));
    sum += term;
  }
  return sum;
}

/// exp(-2 pi i k / N)
template <std::size_t N, class Scalar>
constexpr std::array<std::complex<Scalar>, N> make_roots_of_unity() {
  std::array<std::complex<Scalar>, N> roots{};
  for (std::size_t k = 0; k < N; ++k) {
    // Angles in (-pi, pi], where the series is precise.
    const double turn = static_cast<double>(k) / N, angle = 2 * std::numbers::pi * (turn > 0.5 ? turn - 1 : turn);
    const double s = constant_sine(angle);
    const double c = constant_sine(std::numbers::pi / 2 - (angle < 0 ? -angle : angle));
    roots[k] = {static_cast<Scalar>(c), static_cast<Scalar>(-s)};
  }
  return roots;
}

template <std::size_t N, class Scalar>
constexpr std::array<std::complex<Scalar>, N> roots_of_unity = make_roots_of_unity<N, Scalar>();

}  // namespace pssc
