#include "filter_bank.hpp"

#include "fft-inl.hpp"

#include <cmath>
#include <complex>
#include <numbers>

namespace pssc {

namespace {

using Plane = Matrix<std::complex<double>>;
using HWY_NAMESPACE::Complex;
using std::numbers::pi;

/// A wave of frequency xi at angle theta under a Gaussian of width sigma, 1/slant times as long along the wave's crest,
/// summed over the 5 x 5 nearest periods of the grid. slant 1 is round.
Plane gabor(std::size_t rows, std::size_t cols, double sigma, double theta, double xi, double slant) {
  constexpr double negligible = 60;  // exp(-60) is below double's precision beside 1
  const double c = std::cos(theta), s = std::sin(theta), two_var = 2 * sigma * sigma, slant2 = slant * slant;
  const double xx = (c * c + slant2 * s * s) / two_var, yy = (s * s + slant2 * c * c) / two_var;
  const double xy = 2 * c * s * (1 - slant2) / two_var;
  const double scale = slant / (pi * two_var);
  Plane plane(rows, cols);
  for (int a = -2; a <= 2; ++a)
    for (int b = -2; b <= 2; ++b)
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t k = 0; k < cols; ++k) {
          const double x = static_cast<double>(i) + a * static_cast<double>(rows);
          const double y = static_cast<double>(k) + b * static_cast<double>(cols);
          const double q = xx * x * x + xy * x * y + yy * y * y;
          if (q < negligible) plane(i, k) += std::polar(scale * std::exp(-q), xi * (x * c + y * s));
        }
  return plane;
}

std::complex<double> sum(const Plane& plane) {
  std::complex<double> total = 0;
  for (std::size_t i = 0; i < plane.size(); ++i) total += plane.data()[i];
  return total;
}

/// A Gabor less the multiple of its own envelope that makes its mean zero.
Plane morlet(std::size_t rows, std::size_t cols, double sigma, double theta, double xi, double slant) {
  Plane wave = gabor(rows, cols, sigma, theta, xi, slant);
  const Plane envelope = gabor(rows, cols, sigma, theta, 0, slant);
  const std::complex<double> excess = sum(wave) / sum(envelope);
  for (std::size_t i = 0; i < wave.size(); ++i) wave.data()[i] -= excess * envelope.data()[i];
  return wave;
}

Matrix<double> real_spectrum(const Plane& plane) {
  const std::size_t rows = plane.rows(), cols = plane.cols();
  const FftPlan<double> row_plan(rows), col_plan(cols);
  std::vector<Complex<double>> values(plane.size()), scratch(2 * std::max(rows, cols));
  for (std::size_t i = 0; i < plane.size(); ++i) values[i] = {plane.data()[i].real(), plane.data()[i].imag()};
  HWY_NAMESPACE::fft2<false>(row_plan, col_plan, values.data(), scratch.data());
  Matrix<double> spectrum(rows, cols);
  for (std::size_t i = 0; i < plane.size(); ++i) spectrum.data()[i] = values[i].re;
  return spectrum;
}

/// Whether frequency i of n survives a subsampling by k: the n / k around zero, the negative Nyquist included.
bool survives(std::size_t i, std::size_t n, std::size_t k) {
  return k == 1 || i < n / (2 * k) || i >= n - n / (2 * k);
}

/// A spectrum on the grid subsampled by k: the low frequencies that survive, folded.
Matrix<double> coarser(const Matrix<double>& spectrum, std::size_t k) {
  const std::size_t rows = spectrum.rows(), cols = spectrum.cols();
  Matrix<double> folded(rows / k, cols / k);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      if (survives(i, rows, k) && survives(j, cols, k)) folded(i % (rows / k), j % (cols / k)) += spectrum(i, j);
  return folded;
}

double phi_sigma(std::size_t J) {
  return 0.8 * std::pow(2.0, static_cast<double>(J) - 1);
}

}  // namespace

FilterBank::FilterBank(std::size_t rows, std::size_t cols, std::size_t J, std::size_t L) : L_(L) {
  const int middle = static_cast<int>(static_cast<double>(L) - static_cast<double>(L) / 2 - 1);
  for (std::size_t j = 0; j < J; ++j)
    for (std::size_t t = 0; t < L; ++t) {
      const double scale = std::pow(2.0, static_cast<double>(j));
      const double theta = (middle - static_cast<int>(t)) * pi / static_cast<double>(L);
      const Matrix<double> full =
          real_spectrum(morlet(rows, cols, 0.8 * scale, theta, 0.75 * pi / scale, 4.0 / static_cast<double>(L)));
      auto& resolutions = psi_.emplace_back();
      for (std::size_t r = 0; r <= j; ++r) resolutions.push_back(coarser(full, std::size_t{1} << r));
    }
  const Matrix<double> full = real_spectrum(gabor(rows, cols, phi_sigma(J), 0, 0, 1));
  for (std::size_t r = 0; r < J; ++r) phi_.push_back(coarser(full, std::size_t{1} << r));
}

const Matrix<double>& FilterBank::psi(std::size_t j, std::size_t t, std::size_t resolution) const {
  return psi_[j * L_ + t][resolution];
}

Matrix<double> low_pass_matrix(std::size_t padded, std::size_t J, std::size_t resolution) {
  const std::size_t points = padded >> resolution, coarse = padded >> J, step = points / coarse;
  Plane axis(padded, 1);
  for (int a = -2; a <= 2; ++a)
    for (std::size_t i = 0; i < padded; ++i) {
      const double x = static_cast<double>(i) + a * static_cast<double>(padded);
      axis(i, 0) += std::exp(-x * x / (2 * phi_sigma(J) * phi_sigma(J)));
    }
  const double integral = std::sqrt(2 * pi) * phi_sigma(J);
  Matrix<double> spectrum = real_spectrum(axis);
  Matrix<double> kept(points, 1);
  for (std::size_t i = 0; i < padded; ++i)
    if (survives(i, padded, std::size_t{1} << resolution)) kept(i % points, 0) += spectrum(i, 0) / integral;

  // Output i is sample (i + 1) * step of the circular convolution: one sample is dropped at each border.
  Matrix<double> matrix(coarse - 2, points);
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t k = 0; k < points; ++k) {
      double value = 0;
      for (std::size_t f = 0; f < points; ++f) {
        const std::size_t phase = f * ((i + 1) * step + points - k) % points;
        value += kept(f, 0) * std::cos(2 * pi * static_cast<double>(phase) / static_cast<double>(points));
      }
      matrix(i, k) = value / static_cast<double>(points);
    }
  return matrix;
}

}  // namespace pssc
