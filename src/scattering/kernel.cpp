// The transform itself, one image a SIMD lane, compiled once for each instruction set and chosen at run time.
// clang-format off: foreach_target includes this file again for each set, and must come first
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include "fft-inl.hpp"
#include "kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace pssc::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A register with one image a lane.
struct Lanes {
  using D = hn::ScalableTag<float>;
  using Register = hn::Vec<D>;
  Register v;

  HWY_INLINE friend Lanes operator+(Lanes a, Lanes b) { return {hn::Add(a.v, b.v)}; }
  HWY_INLINE friend Lanes operator-(Lanes a, Lanes b) { return {hn::Sub(a.v, b.v)}; }
  HWY_INLINE friend Lanes operator*(Lanes a, float s) { return {hn::Mul(a.v, hn::Set(D(), s))}; }
  /// a * s + b
  HWY_INLINE friend Lanes multiply_add(Lanes a, float s, Lanes b) { return {hn::MulAdd(a.v, hn::Set(D(), s), b.v)}; }
  HWY_INLINE friend Lanes modulus(const Complex<Lanes>& z) {
    return {hn::Sqrt(hn::MulAdd(z.re.v, z.re.v, hn::Mul(z.im.v, z.im.v)))};
  }
  HWY_INLINE static Lanes zero() { return {hn::Zero(D())}; }
};

/// Memory for one group of images, in lanes.
struct Buffers {
  Buffers(const Scattering::Plan& plan, void* memory) {
    const std::size_t points = plan.padded_rows * plan.padded_cols;
    auto* at = static_cast<Lanes*>(memory);
    const auto take = [&at](std::size_t lanes) { return std::exchange(at, at + lanes); };
    const auto take_complex = [&](std::size_t n) { return reinterpret_cast<Complex<Lanes>*>(take(2 * n)); };
    spectrum0 = take_complex(points);
    spectrum1 = take_complex(points);
    wave = take_complex(points);
    line = take_complex(2 * std::max(plan.padded_rows, plan.padded_cols));
    real = take(points);
    half_smoothed = take(plan.padded_cols);
    output = take(plan.paths.size() * plan.output_rows * plan.output_cols);
    total = static_cast<std::size_t>(at - static_cast<Lanes*>(memory));
  }
  Complex<Lanes>*spectrum0, *spectrum1;  ///< of x and of U1
  Complex<Lanes>* wave;                  ///< U * psi
  Complex<Lanes>* line;                  ///< scratch of the transforms
  Lanes* real;                           ///< |U * psi|
  Lanes* half_smoothed;                  ///< after the low-pass along one axis
  Lanes* output;
  std::size_t total;
};

/// S = U * phi_J, subsampled to 2^J, borders cut: low_rows U low_cols^T.
void low_pass(const Scattering::Plan& plan, std::size_t resolution, const Lanes* U, Lanes* half, Lanes* S) {
  const FloatMatrix &by_row = plan.low_rows[resolution], &by_col = plan.low_cols[resolution];
  const std::size_t rows = by_row.cols(), cols = by_col.cols();
  for (std::size_t i = 0; i < plan.output_rows; ++i) {
    for (std::size_t c = 0; c < cols; ++c) {
      Lanes sum = Lanes::zero();
      for (std::size_t r = 0; r < rows; ++r) sum = multiply_add(U[r * cols + c], by_row(i, r), sum);
      half[c] = sum;
    }
    for (std::size_t k = 0; k < plan.output_cols; ++k) {
      Lanes sum = Lanes::zero();
      for (std::size_t c = 0; c < cols; ++c) sum = multiply_add(half[c], by_col(k, c), sum);
      *S++ = sum;
    }
  }
}

/// The spectrum of U * psi on the grid subsampled by 2^(to - from): product, then folding.
void multiply_and_fold(const Scattering::Plan& plan, const Complex<Lanes>* spectrum, const FloatMatrix& psi,
                       std::size_t from, std::size_t to, Complex<Lanes>* folded) {
  const std::size_t cols = plan.cols(from), out_rows = plan.rows(to), out_cols = plan.cols(to);
  const std::size_t folds = std::size_t{1} << (to - from);
  for (std::size_t i = 0; i < out_rows; ++i)
    for (std::size_t k = 0; k < out_cols; ++k) {
      Complex<Lanes> sum{Lanes::zero(), Lanes::zero()};
      for (std::size_t a = 0; a < folds; ++a)
        for (std::size_t b = 0; b < folds; ++b) {
          const std::size_t row = i + a * out_rows, col = k + b * out_cols;
          const Complex<Lanes>& z = spectrum[row * cols + col];
          const float w = psi(row, col);
          sum = {multiply_add(z.re, w, sum.re), multiply_add(z.im, w, sum.im)};
        }
      folded[i * out_cols + k] = sum;
    }
}

/// real = | U * psi_{j,t} | from the spectrum of U on the grid of resolution `from`, onto the grid of resolution j.
void wavelet_modulus(const Scattering::Plan& plan, const Complex<Lanes>* spectrum, std::size_t from, std::size_t j,
                     std::size_t t, const Buffers& b) {
  multiply_and_fold(plan, spectrum, plan.filter(j, t, from), from, j, b.wave);
  fft2<true>(plan.row_fft[j], plan.col_fft[j], b.wave, b.line);
  for (std::size_t i = 0, n = plan.rows(j) * plan.cols(j); i < n; ++i) b.real[i] = modulus(b.wave[i]);
}

void real_spectrum(const Scattering::Plan& plan, std::size_t resolution, const Buffers& b, Complex<Lanes>* spectrum) {
  const std::size_t points = plan.rows(resolution) * plan.cols(resolution);
  for (std::size_t i = 0; i < points; ++i) spectrum[i] = {b.real[i], Lanes::zero()};
  fft2<false>(plan.row_fft[resolution], plan.col_fft[resolution], spectrum, b.line);
}

/// S_J x: order 0 is x * phi, order 1 |x * psi_{j1,t1}| * phi, order 2 ||x * psi_{j1,t1}| * psi_{j2,t2}| * phi.
void scatter_group(const Scattering::Plan& plan, const Buffers& b) {
  const std::size_t J = plan.params.scales, L = plan.params.angles, order = plan.params.order;
  const std::size_t outputs = plan.output_rows * plan.output_cols;
  Lanes* S0 = b.output;
  Lanes* S1 = S0 + outputs;
  Lanes* S2 = S1 + J * L * outputs;

  low_pass(plan, 0, b.real, b.half_smoothed, S0);
  if (order == 0) return;
  real_spectrum(plan, 0, b, b.spectrum0);
  for (std::size_t j1 = 0; j1 < J; ++j1)
    for (std::size_t t1 = 0; t1 < L; ++t1, S1 += outputs) {
      wavelet_modulus(plan, b.spectrum0, 0, j1, t1, b);
      low_pass(plan, j1, b.real, b.half_smoothed, S1);
      if (order == 1 || j1 + 1 == J) continue;
      real_spectrum(plan, j1, b, b.spectrum1);
      for (std::size_t j2 = j1 + 1; j2 < J; ++j2)
        for (std::size_t t2 = 0; t2 < L; ++t2, S2 += outputs) {
          wavelet_modulus(plan, b.spectrum1, j1, j2, t2, b);
          low_pass(plan, j2, b.real, b.half_smoothed, S2);
        }
    }
}

/// Pixels of up to one image a lane, reflected at the borders; lanes without an image are zero.
void load_padded(const Scattering::Plan& plan, const ScatterTask& task, Lanes* padded) {
  constexpr std::size_t lanes = sizeof(Lanes) / sizeof(float);
  auto* out = reinterpret_cast<float*>(padded);
  for (std::size_t r = 0; r < plan.padded_rows; ++r)
    for (std::size_t c = 0; c < plan.padded_cols; ++c, out += lanes) {
      const std::size_t source = plan.row_source[r] * plan.params.width + plan.col_source[c];
      for (std::size_t i = 0; i < lanes; ++i)
        out[i] = i < task.count ? task.pixels[i * task.pixel_stride + source] : 0.0F;
    }
}

void store_features(const Scattering::Plan& plan, const ScatterTask& task, const Lanes* output) {
  constexpr std::size_t lanes = sizeof(Lanes) / sizeof(float);
  const auto* in = reinterpret_cast<const float*>(output);
  const std::size_t dimension = plan.paths.size() * plan.output_rows * plan.output_cols;
  for (std::size_t i = 0; i < task.count; ++i)
    for (std::size_t k = 0; k < dimension; ++k) task.features[i * task.feature_stride + k] = in[k * lanes + i];
}

void ScatterImages(const Scattering::Plan& plan, const ScatterTask& all, void* memory) {
  constexpr std::size_t lanes = sizeof(Lanes) / sizeof(float);
  const Buffers b(plan, memory);
  for (std::size_t first = 0; first < all.count; first += lanes) {
    const ScatterTask group{all.pixels + first * all.pixel_stride, all.pixel_stride,
                            all.features + first * all.feature_stride, all.feature_stride,
                            std::min(lanes, all.count - first)};
    load_padded(plan, group, b.real);
    scatter_group(plan, b);
    store_features(plan, group, b.output);
  }
}

std::size_t BufferBytes(const Scattering::Plan& plan) {
  return Buffers(plan, nullptr).total * sizeof(Lanes);
}

const char* TargetName() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace pssc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pssc {

HWY_EXPORT(ScatterImages);
HWY_EXPORT(BufferBytes);
HWY_EXPORT(TargetName);

void scatter_images(const Scattering::Plan& plan, const ScatterTask& task, void* memory) {
  HWY_DYNAMIC_DISPATCH(ScatterImages)(plan, task, memory);
}

std::size_t scatter_buffer_bytes(const Scattering::Plan& plan) {
  return HWY_DYNAMIC_DISPATCH(BufferBytes)(plan);
}

std::string scattering_simd() {
  return HWY_DYNAMIC_DISPATCH(TargetName)();
}

}  // namespace pssc
#endif
