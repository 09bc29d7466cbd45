#include "reference.hpp"

#include "scattering/fft-inl.hpp"
#include "scattering/filter_bank.hpp"

#include <cmath>
#include <complex>

namespace pssc::test {

namespace {

using Value = HWY_NAMESPACE::Complex<double>;

struct Plane {
  std::size_t rows, cols;
  std::vector<Value> values;
  Plane(std::size_t r, std::size_t c) : rows(r), cols(c), values(r * c) {}
  Value& operator()(std::size_t i, std::size_t j) { return values[i * cols + j]; }
};

template <bool inverse>
void transform(Plane& plane) {
  std::vector<Value> scratch(2 * std::max(plane.rows, plane.cols));
  const FftPlan<double> by_row(plane.rows), by_col(plane.cols);
  HWY_NAMESPACE::fft2<inverse>(by_row, by_col, plane.values.data(), scratch.data());
  if constexpr (inverse)
    for (Value& v : plane.values) v = scaled(v, 1.0 / static_cast<double>(plane.values.size()));
}

/// U * filter on the grid subsampled by k, from the spectrum of U.
Plane convolve(Plane& spectrum, const Matrix<double>& filter, std::size_t k) {
  Plane out(spectrum.rows / k, spectrum.cols / k);
  for (std::size_t i = 0; i < spectrum.rows; ++i)
    for (std::size_t j = 0; j < spectrum.cols; ++j) {
      Value& to = out(i % out.rows, j % out.cols);
      to = to + scaled(spectrum(i, j), filter(i, j) / static_cast<double>(k * k));
    }
  transform<true>(out);
  return out;
}

Plane modulus_spectrum(Plane wave) {
  for (Value& v : wave.values) v = {std::hypot(v.re, v.im), 0};
  transform<false>(wave);
  return wave;
}

std::size_t reflect(std::ptrdiff_t i, std::ptrdiff_t n) {
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
  return static_cast<std::size_t>(i);
}

Plane padded_spectrum(const ScatteringParams& p, std::span<const float> image, std::size_t rows, std::size_t cols) {
  Plane padded(rows, cols);
  const auto top = static_cast<std::ptrdiff_t>((rows - p.height) / 2);
  const auto left = static_cast<std::ptrdiff_t>((cols - p.width) / 2);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      padded(i, j) = {
          image[reflect(static_cast<std::ptrdiff_t>(i) - top, static_cast<std::ptrdiff_t>(p.height)) * p.width +
                reflect(static_cast<std::ptrdiff_t>(j) - left, static_cast<std::ptrdiff_t>(p.width))],
          0};
  transform<false>(padded);
  return padded;
}

std::size_t padded_size(std::size_t n, std::size_t J) {
  return ((n >> J) + 2) << J;
}

}  // namespace

Matrix<double> scatter_by_definition(const ScatteringParams& p, FloatView pixels) {
  const std::size_t J = p.scales, L = p.angles, h = p.height >> J, w = p.width >> J;
  const std::size_t rows = padded_size(p.height, J), cols = padded_size(p.width, J);
  const FilterBank bank(rows, cols, J, L);
  Matrix<double> features(pixels.rows(), Scattering(p).dimension());
  for (std::size_t n = 0; n < pixels.rows(); ++n) {
    double* out = features.row(n).data();
    const auto emit = [&](Plane& spectrum, std::size_t resolution) {
      Plane smooth = convolve(spectrum, bank.phi(resolution), std::size_t{1} << (J - resolution));
      for (std::size_t i = 0; i < h; ++i)
        for (std::size_t j = 0; j < w; ++j) *out++ = smooth(i + 1, j + 1).re;
    };
    Plane x = padded_spectrum(p, pixels.row(n), rows, cols);
    emit(x, 0);
    std::vector<Plane> first;
    for (std::size_t j = 0; p.order >= 1 && j < J; ++j)
      for (std::size_t t = 0; t < L; ++t) {
        first.push_back(modulus_spectrum(convolve(x, bank.psi(j, t, 0), std::size_t{1} << j)));
        emit(first.back(), j);
      }
    for (std::size_t j1 = 0; p.order >= 2 && j1 < J; ++j1)
      for (std::size_t t1 = 0; t1 < L; ++t1)
        for (std::size_t j2 = j1 + 1; j2 < J; ++j2)
          for (std::size_t t2 = 0; t2 < L; ++t2) {
            Plane second =
                modulus_spectrum(convolve(first[j1 * L + t1], bank.psi(j2, t2, j1), std::size_t{1} << (j2 - j1)));
            emit(second, j2);
          }
  }
  return features;
}

}  // namespace pssc::test
