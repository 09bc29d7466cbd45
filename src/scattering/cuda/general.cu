// The scattering transform of any shape: planes go through device memory, and a Fourier transform is a product with the
// matrix of its roots of unity. Slower than the fused kernel by far, but for every size, number of scales and of
// angles.
#include "scatter.hpp"

#include <pssc/core/cuda.hpp>
#include <pssc/core/cuda_session.hpp>

#include <cmath>
#include <numbers>

namespace pssc::cuda {

namespace {

constexpr unsigned threads = 256;

struct Grid {
  std::size_t rows, cols;
  std::size_t points() const { return rows * cols; }
};

__global__ void pad(const float* pixels, std::size_t pixel_stride, std::size_t width, const std::size_t* row_source,
                    const std::size_t* col_source, Grid grid, std::size_t count, float2* planes) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count * grid.rows * grid.cols) return;
  const std::size_t c = k % grid.cols, r = k / grid.cols % grid.rows, image = k / (grid.rows * grid.cols);
  planes[k] = {pixels[image * pixel_stride + row_source[r] * width + col_source[c]], 0};
}

/// Along each row of the planes: out[c] = sum over x of in[x] exp(sign 2 pi i x c / cols); `across`: along the columns.
__global__ void transform_lines(const float2* in, Grid grid, std::size_t count, bool across, float sign,
                                const float2* roots, float2* out) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count * grid.rows * grid.cols) return;
  const std::size_t c = k % grid.cols, r = k / grid.cols % grid.rows, plane = k - r * grid.cols - c;
  const std::size_t length = across ? grid.rows : grid.cols, step = across ? grid.cols : 1;
  const std::size_t frequency = across ? r : c;
  const float2* line = in + plane + (across ? c : r * grid.cols);
  float2 sum{0, 0};
  std::size_t phase = 0;
  for (std::size_t x = 0; x < length; ++x) {
    const float2 z = line[x * step], w = roots[phase];
    sum.x += z.x * w.x - sign * z.y * w.y;
    sum.y += z.y * w.x + sign * z.x * w.y;
    phase += frequency;
    if (phase >= length) phase -= length;
  }
  out[k] = sum;
}

__global__ void multiply_and_fold(const float2* spectra, const float* filter, Grid from, Grid to, std::size_t count,
                                  float2* folded) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count * to.rows * to.cols) return;
  const std::size_t c = k % to.cols, r = k / to.cols % to.rows, image = k / (to.rows * to.cols);
  const float2* spectrum = spectra + image * from.rows * from.cols;
  float2 sum{0, 0};
  for (std::size_t y = r; y < from.rows; y += to.rows)
    for (std::size_t x = c; x < from.cols; x += to.cols) {
      const float w = filter[y * from.cols + x];
      const float2 z = spectrum[y * from.cols + x];
      sum.x += w * z.x;
      sum.y += w * z.y;
    }
  folded[k] = sum;
}

__global__ void take_modulus(float2* planes, std::size_t points) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < points) planes[k] = {sqrtf(planes[k].x * planes[k].x + planes[k].y * planes[k].y), 0};
}

/// Along the columns first: half[image][output row][col].
__global__ void smooth_columns(const float2* planes, Grid grid, const float* low_rows, std::size_t outputs,
                               std::size_t count, float* half) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count * outputs * grid.cols) return;
  const std::size_t c = k % grid.cols, i = k / grid.cols % outputs, image = k / (grid.cols * outputs);
  float sum = 0;
  for (std::size_t r = 0; r < grid.rows; ++r)
    sum += low_rows[i * grid.rows + r] * planes[(image * grid.rows + r) * grid.cols + c].x;
  half[k] = sum;
}

__global__ void smooth_rows(const float* half, std::size_t cols, const float* low_cols, Grid outputs, std::size_t count,
                            float* features, std::size_t feature_stride) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count * outputs.rows * outputs.cols) return;
  const std::size_t o = k % outputs.cols, i = k / outputs.cols % outputs.rows;
  const std::size_t image = k / (outputs.rows * outputs.cols);
  float sum = 0;
  for (std::size_t c = 0; c < cols; ++c) sum += half[(image * outputs.rows + i) * cols + c] * low_cols[o * cols + c];
  features[image * feature_stride + i * outputs.cols + o] = sum;
}

template <class T>
Array<T> upload(const std::vector<T>& values) {
  return Array<T>(std::span<const T>(values));
}

Array<float2> roots_of(std::size_t n) {
  std::vector<float2> roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    roots[k] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }
  return upload(roots);
}

class GeneralPlan : public ScatterPlan {
 public:
  explicit GeneralPlan(const Scattering::Plan& plan)
      : params_(plan.params),
        outputs_{plan.output_rows, plan.output_cols},
        row_source_(upload(plan.row_source)),
        col_source_(upload(plan.col_source)) {
    for (std::size_t r = 0; r < params_.scales; ++r) {
      grids_.push_back({plan.rows(r), plan.cols(r)});
      row_roots_.push_back(roots_of(plan.rows(r)));
      col_roots_.push_back(roots_of(plan.cols(r)));
      low_rows_.emplace_back(std::span(plan.low_rows[r].data(), plan.low_rows[r].size()));
      low_cols_.emplace_back(std::span(plan.low_cols[r].data(), plan.low_cols[r].size()));
    }
    filters_.resize(params_.scales * params_.angles * params_.scales);
    for (std::size_t j = 0; params_.order > 0 && j < params_.scales; ++j)
      for (std::size_t t = 0; t < params_.angles; ++t)
        for (std::size_t from = 0; from <= j; ++from) {
          const FloatMatrix dense = dense_filter(plan, j, t, from);
          filters_[(j * params_.angles + t) * params_.scales + from] =
              Array<float>(std::span(dense.data(), dense.size()));
        }
    finish();
  }

  void transform(FloatView pixels, MatrixView<float> features) const override {
    constexpr std::size_t scratch_numbers = std::size_t{1} << 24;  // of a plane's buffer
    const std::size_t at_once = std::max<std::size_t>(1, scratch_numbers / grids_[0].points());
    for (std::size_t first = 0; first < pixels.rows(); first += at_once) {
      const std::size_t last = std::min(pixels.rows(), first + at_once);
      scatter_some(pixels.row_range(first, last), features.row_range(first, last));
    }
  }

 private:
  static void launch_over(std::size_t count, auto&& launch) {
    if (count == 0) return;
    launch(blocks_for(count, threads));
    check_launch("scatter images");
  }

  /// In place, by way of `other`.
  void fourier(std::size_t resolution, std::size_t count, float sign, Array<float2>& planes,
               Array<float2>& other) const {
    const Grid grid = grids_[resolution];
    launch_over(count * grid.points(), [&](unsigned blocks) {
      transform_lines<<<blocks, threads, 0, stream()>>>(planes.data(), grid, count, false, sign,
                                                        col_roots_[resolution].data(), other.data());
      transform_lines<<<blocks, threads, 0, stream()>>>(other.data(), grid, count, true, sign,
                                                        row_roots_[resolution].data(), planes.data());
    });
  }

  void low_pass(std::size_t resolution, const Array<float2>& planes, MatrixView<float> features, std::size_t path,
                Array<float>& half) const {
    const Grid grid = grids_[resolution];
    const std::size_t count = features.rows();
    launch_over(count * outputs_.rows * grid.cols, [&](unsigned blocks) {
      smooth_columns<<<blocks, threads, 0, stream()>>>(planes.data(), grid, low_rows_[resolution].data(), outputs_.rows,
                                                       count, half.data());
    });
    launch_over(count * outputs_.points(), [&](unsigned blocks) {
      smooth_rows<<<blocks, threads, 0, stream()>>>(half.data(), grid.cols, low_cols_[resolution].data(), outputs_,
                                                    count, features.data() + path * outputs_.points(),
                                                    features.stride());
    });
  }

  /// U = | spectra * psi_{j,t} | on the grid of j, and its low-pass.
  void wavelet_modulus(const Array<float2>& spectra, std::size_t from, std::size_t j, std::size_t t,
                       MatrixView<float> features, std::size_t path, Array<float2>& U, Array<float2>& other,
                       Array<float>& half) const {
    const std::size_t count = features.rows(), points = count * grids_[j].points();
    launch_over(points, [&](unsigned blocks) {
      multiply_and_fold<<<blocks, threads, 0, stream()>>>(
          spectra.data(), filters_[(j * params_.angles + t) * params_.scales + from].data(), grids_[from], grids_[j],
          count, U.data());
    });
    fourier(j, count, 1, U, other);
    launch_over(points, [&](unsigned blocks) { take_modulus<<<blocks, threads, 0, stream()>>>(U.data(), points); });
    low_pass(j, U, features, path, half);
  }

  void scatter_some(FloatView pixels, MatrixView<float> features) const {
    const std::size_t n = pixels.rows(), J = params_.scales, L = params_.angles, points = n * grids_[0].points();
    Array<float2> x(points), U1(points), U2(points), other(points);
    Array<float> half(n * outputs_.rows * grids_[0].cols);
    launch_over(points, [&](unsigned blocks) {
      pad<<<blocks, threads, 0, stream()>>>(pixels.data(), pixels.stride(), params_.width, row_source_.data(),
                                            col_source_.data(), grids_[0], n, x.data());
    });
    low_pass(0, x, features, 0, half);
    if (params_.order == 0) return;
    fourier(0, n, -1, x, other);
    std::size_t path = 1, path2 = 1 + J * L;
    for (std::size_t j1 = 0; j1 < J; ++j1)
      for (std::size_t t1 = 0; t1 < L; ++t1) {
        wavelet_modulus(x, 0, j1, t1, features, path++, U1, other, half);
        if (params_.order == 1 || j1 + 1 == J) continue;
        fourier(j1, n, -1, U1, other);
        for (std::size_t j2 = j1 + 1; j2 < J; ++j2)
          for (std::size_t t2 = 0; t2 < L; ++t2) wavelet_modulus(U1, j1, j2, t2, features, path2++, U2, other, half);
      }
  }

  ScatteringParams params_;
  Grid outputs_;
  Array<std::size_t> row_source_, col_source_;
  std::vector<Grid> grids_;
  std::vector<Array<float2>> row_roots_, col_roots_;
  std::vector<Array<float>> low_rows_, low_cols_, filters_;
};

}  // namespace

std::unique_ptr<const ScatterPlan> make_general_plan(const Scattering::Plan& plan) {
  return std::make_unique<GeneralPlan>(plan);
}

}  // namespace pssc::cuda
