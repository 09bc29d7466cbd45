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
    const std::size_t points = plan.padded_rows * plan.stride(0), half = plan.padded_rows * plan.half_stride(0);
    const std::size_t longest = std::max(plan.padded_rows, plan.padded_cols);
    const auto take = [&](std::size_t lanes) {
      const std::size_t begin = std::exchange(total, total + lanes);
      return memory ? static_cast<Lanes*>(memory) + begin : nullptr;  // without memory, only to measure
    };
    const auto take_complex = [&](std::size_t n) { return reinterpret_cast<Complex<Lanes>*>(take(2 * n)); };
    spectrum0 = take_complex(half);
    spectrum1 = take_complex(half);
    wave = take_complex(points);
    line = take_complex(longest);
    scratch = take_complex(2 * longest);
    real = take(points);
    column = take(longest);
    half_smoothed = take(plan.output_rows * plan.padded_cols);
    output = take(plan.paths.size() * plan.output_rows * plan.output_cols);
  }
  Complex<Lanes>*spectrum0, *spectrum1;  ///< of x and of U1: columns 0 .. cols/2
  Complex<Lanes>* wave;                  ///< U * psi
  Complex<Lanes>*line, *scratch;         ///< of the transforms
  Lanes* real;                           ///< |U * psi|
  Lanes* column;                         ///< one column of it
  Lanes* half_smoothed;                  ///< after the low-pass along the columns
  Lanes* output;
  std::size_t total = 0;
};

/// out[i] = sum over k of weights(i, k) in[k], for rows of `weights`; outputs lie `stride` apart. Four at a time share
/// the loads.
HWY_INLINE void multiply_small(const FloatMatrix& weights, const Lanes* in, Lanes* out, std::size_t stride) {
  const std::size_t n = weights.cols();
  std::size_t i = 0;
  for (; i + 4 <= weights.rows(); i += 4) {
    const float *w0 = &weights(i, 0), *w1 = w0 + n, *w2 = w1 + n, *w3 = w2 + n;
    Lanes s0 = Lanes::zero(), s1 = s0, s2 = s0, s3 = s0;
    for (std::size_t k = 0; k < n; ++k) {
      const Lanes v = in[k];
      s0 = multiply_add(v, w0[k], s0);
      s1 = multiply_add(v, w1[k], s1);
      s2 = multiply_add(v, w2[k], s2);
      s3 = multiply_add(v, w3[k], s3);
    }
    out[i * stride] = s0;
    out[(i + 1) * stride] = s1;
    out[(i + 2) * stride] = s2;
    out[(i + 3) * stride] = s3;
  }
  for (; i < weights.rows(); ++i) {
    Lanes sum = Lanes::zero();
    for (std::size_t k = 0; k < n; ++k) sum = multiply_add(in[k], weights(i, k), sum);
    out[i * stride] = sum;
  }
}

/// S = U * phi_J, subsampled to 2^J, borders cut: low_rows U low_cols^T. The product with low_rows is already there.
void finish_low_pass(const Scattering::Plan& plan, std::size_t resolution, const Buffers& b, Lanes* S) {
  const std::size_t cols = plan.cols(resolution);
  for (std::size_t i = 0; i < plan.output_rows; ++i)
    multiply_small(plan.low_cols[resolution], b.half_smoothed + i * cols, S + i * plan.output_cols, 1);
}

/// The same from the beginning, for the image itself.
void low_pass(const Scattering::Plan& plan, const Buffers& b, Lanes* S) {
  const std::size_t rows = plan.rows(0), cols = plan.cols(0);
  for (std::size_t c = 0; c < cols; ++c) {
    for (std::size_t r = 0; r < rows; ++r) b.column[r] = b.real[r * plan.stride(0) + c];
    multiply_small(plan.low_rows[0], b.column, b.half_smoothed + c, cols);
  }
  finish_low_pass(plan, 0, b, S);
}

/// One row of the spectrum of U * psi on a coarser grid: product and folding.
HWY_INLINE void multiply_and_fold(const SparseFilter& psi, const SparseFilter::Row& row, const Complex<Lanes>* spectrum,
                                  Complex<Lanes>* folded) {
  const SparseFilter::Term* term = psi.terms.data() + row.begin;
  for (const std::uint32_t end : row.ends) {
    Complex<Lanes> sum{Lanes::zero(), Lanes::zero()};
    for (const SparseFilter::Term* last = psi.terms.data() + end; term != last; ++term) {
      const Complex<Lanes>& z = spectrum[term->source];
      sum = {multiply_add(z.re, term->re, sum.re), multiply_add(z.im, term->im, sum.im)};
    }
    *folded++ = sum;
  }
}

/// S = | U * psi_{j,t} | * phi_J from the spectrum of U on the grid of resolution `from`; the modulus itself goes to
/// b.real where it is to be transformed further.
/// The whole runs at 0.57 of the machine's peak (bench/table.py); what is missing are loads and stores, since a plane
/// of 24 x 24 points in 16 lanes is 74 KB, more than a first-level cache.
template <bool keep>
void wavelet_modulus(const Scattering::Plan& plan, const Complex<Lanes>* spectrum, std::size_t from, std::size_t j,
                     std::size_t t, const Buffers& b, Lanes* S) {
  const SparseFilter& psi = plan.filter(j, t, from);
  const std::size_t rows = plan.rows(j), cols = plan.cols(j), stride = plan.stride(j);
  for (std::size_t r = 0; r < rows; ++r) {
    const Line<Lanes> row{b.wave + r * stride, 1};
    multiply_and_fold(psi, psi.rows[r], spectrum, row.data);
    if (!psi.rows[r].empty) fast_fft<true>(plan.col_fft[j], row, row, b.scratch);
  }
  for (std::size_t c = 0; c < cols; ++c) {
    fast_fft<true>(plan.row_fft[j], Line<Lanes>{b.wave + c, stride}, Line<Lanes>{b.line, 1}, b.scratch);
    for (std::size_t r = 0; r < rows; ++r) {
      b.column[r] = modulus(b.line[r]);
      if constexpr (keep) b.real[r * stride + c] = b.column[r];
    }
    multiply_small(plan.low_rows[j], b.column, b.half_smoothed + c, cols);
  }
  finish_low_pass(plan, j, b, S);
}

/// Twice the spectrum of the real plane b.real, for columns 0 .. cols/2. Two rows share one complex transform.
void real_spectrum(const Scattering::Plan& plan, std::size_t resolution, const Buffers& b, Complex<Lanes>* spectrum) {
  const std::size_t rows = plan.rows(resolution), cols = plan.cols(resolution), stride = plan.stride(resolution);
  const std::size_t half = cols / 2, half_stride = plan.half_stride(resolution);
  for (std::size_t r = 0; r < rows; r += 2) {  // padded grids are even
    const Lanes *even = b.real + r * stride, *odd = even + stride;
    for (std::size_t c = 0; c < cols; ++c) b.line[c] = {even[c], odd[c]};
    fast_fft<false>(plan.col_fft[resolution], Line<Lanes>{b.line, 1}, Line<Lanes>{b.line, 1}, b.scratch);
    Complex<Lanes>*of_even = spectrum + r * half_stride, *of_odd = of_even + half_stride;
    for (std::size_t c = 0; c <= half; ++c) {
      const Complex<Lanes> z = b.line[c], m = b.line[c == 0 ? 0 : cols - c];
      of_even[c] = {z.re + m.re, z.im - m.im};
      of_odd[c] = {z.im + m.im, m.re - z.re};
    }
  }
  for (std::size_t c = 0; c <= half; ++c) {
    const Line<Lanes> column{spectrum + c, half_stride};
    fast_fft<false>(plan.row_fft[resolution], column, column, b.scratch);
  }
}

/// S_J x: order 0 is x * phi, order 1 |x * psi_{j1,t1}| * phi, order 2 ||x * psi_{j1,t1}| * psi_{j2,t2}| * phi.
void scatter_group(const Scattering::Plan& plan, const Buffers& b) {
  const std::size_t J = plan.params.scales, L = plan.params.angles, order = plan.params.order;
  const std::size_t outputs = plan.output_rows * plan.output_cols;
  Lanes* S0 = b.output;
  Lanes* S1 = S0 + outputs;
  Lanes* S2 = S1 + J * L * outputs;

  low_pass(plan, b, S0);
  if (order == 0) return;
  real_spectrum(plan, 0, b, b.spectrum0);
  for (std::size_t j1 = 0; j1 < J; ++j1)
    for (std::size_t t1 = 0; t1 < L; ++t1, S1 += outputs) {
      if (order == 1 || j1 + 1 == J) {
        wavelet_modulus<false>(plan, b.spectrum0, 0, j1, t1, b, S1);
        continue;
      }
      wavelet_modulus<true>(plan, b.spectrum0, 0, j1, t1, b, S1);
      real_spectrum(plan, j1, b, b.spectrum1);
      for (std::size_t j2 = j1 + 1; j2 < J; ++j2)
        for (std::size_t t2 = 0; t2 < L; ++t2, S2 += outputs)
          wavelet_modulus<false>(plan, b.spectrum1, j1, j2, t2, b, S2);
    }
}

/// Pixels of up to one image a lane, reflected at the borders; lanes without an image are zero.
void load_padded(const Scattering::Plan& plan, const ScatterTask& task, Lanes* padded) {
  constexpr std::size_t lanes = sizeof(Lanes) / sizeof(float);
  auto* out = reinterpret_cast<float*>(padded);
  for (std::size_t r = 0; r < plan.padded_rows; ++r)
    for (std::size_t c = 0; c < plan.padded_cols; ++c) {
      float* at = out + (r * plan.stride(0) + c) * lanes;
      const std::size_t source = plan.row_source[r] * plan.params.width + plan.col_source[c];
      for (std::size_t i = 0; i < lanes; ++i)
        at[i] = i < task.count ? task.pixels[i * task.pixel_stride + source] : 0.0F;
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
