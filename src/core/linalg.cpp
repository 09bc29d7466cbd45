#include "blas.hpp"

#include <pssc/core/cuda.hpp>
#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>

#include <cblas.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <mutex>

// OpenBLAS's own; weak, since another BLAS has none.
extern "C" {
__attribute__((weak)) void* blas_memory_alloc(int position);
__attribute__((weak)) void blas_memory_free(void* memory);
}

namespace pssc {

namespace {
constexpr std::size_t product_rows = 512;  // a block's share of A and C stays in L2 beside a panel of B
constexpr std::size_t moment_tile = 512;
constexpr std::size_t moment_rows = 2048;
constexpr std::size_t small_product = std::size_t{1} << 16;

std::mutex blas_mutex;
std::size_t blas_users = 0;
int blas_threads_before = 1;

/// Small products are summed in double, so that a row's result does not depend on the rows beside it: BLAS has other
/// kernels for the edges of a matrix, which round otherwise. `b(k, j)` is an entry of B.
template <class Entry>
void multiply_small(FloatView a, std::size_t columns, Entry&& b, MatrixView<float> c) {
  for (std::size_t i = 0; i < a.rows(); ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < a.cols(); ++k) sum += double{a(i, k)} * double{b(k, j)};
      c(i, j) = static_cast<float>(sum);
    }
}
}  // namespace

OneBlasThread::OneBlasThread() {
  const std::lock_guard lock(blas_mutex);
  if (blas_users++ > 0) return;
  blas_threads_before = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  const std::lock_guard lock(blas_mutex);
  if (--blas_users == 0) openblas_set_num_threads(blas_threads_before);
}

void reserve_blas_memory(unsigned threads) {
  constexpr std::size_t buffer = (std::size_t{128} << 20) + (1 << 20);  // of one product, with something to spare
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
  const std::size_t wanted = threads * buffer;
  void* room = mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    throw run_error("out of memory: the address space is limited to " + std::to_string(limit.rlim_cur >> 20) +
                    " MiB, and each thread's products need 129; raise the limit (ulimit -v) or lower --threads");
  munmap(room, wanted);
  std::vector<void*> taken;
  for (unsigned i = 0; i < threads; ++i) taken.push_back(blas_memory_alloc(0));
  for (void* memory : taken) blas_memory_free(memory);  // it keeps them for its next calls
}

void multiply_transposed(const Context& context, FloatView a, FloatView b, MatrixView<float> c) {
  if constexpr (with_cuda)
    if (c.on_device()) return cuda::multiply_transposed(cuda::Resident(a), cuda::Resident(b), c);
  if (a.rows() * a.cols() * b.rows() <= small_product)
    return multiply_small(
        a, b.rows(), [&](std::size_t k, std::size_t j) { return b(j, k); }, c);
  parallel_blocks(context, a.rows(), product_rows, [&](std::size_t begin, std::size_t end) {
    as_eigen(c.row_range(begin, end)).noalias() = as_eigen(a.row_range(begin, end)) * as_eigen(b).transpose();
  });
}

void multiply(const Context& context, FloatView a, FloatView b, MatrixView<float> c) {
  if constexpr (with_cuda)
    if (c.on_device()) return cuda::multiply(cuda::Resident(a), cuda::Resident(b), c);
  if (a.rows() * a.cols() * b.cols() <= small_product)
    return multiply_small(
        a, b.cols(), [&](std::size_t k, std::size_t j) { return b(k, j); }, c);
  parallel_blocks(context, a.rows(), product_rows, [&](std::size_t begin, std::size_t end) {
    as_eigen(c.row_range(begin, end)).noalias() = as_eigen(a.row_range(begin, end)) * as_eigen(b);
  });
}

void squared_distances(FloatView x, FloatView y, std::span<const float> y_norms, MatrixView<float> distances) {
  squared_distances(x, y, squared_norms(x), y_norms, distances);
}

void squared_distances(FloatView x, FloatView y, std::span<const float> x_norms, std::span<const float> y_norms,
                       MatrixView<float> distances) {
  auto d = as_eigen(distances);
  d.noalias() = as_eigen(x) * as_eigen(y).transpose();
  for (std::size_t i = 0; i < x.rows(); ++i) {
    auto row = distances.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = std::max(0.0F, x_norms[i] + y_norms[j] - 2 * row[j]);
  }
}

std::vector<float> squared_norms(FloatView x) {
  std::vector<float> norms(x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (const float v : x.row(i)) norms[i] += v * v;
  return norms;
}

std::vector<float> column_means(const Context& context, FloatView x) {
  std::vector<float> means(x.cols());
  if constexpr (with_cuda)
    if (x.on_device()) {
      const std::vector<double> sums = cuda::column_sums(x).on_host();
      std::ranges::transform(sums, means.begin(),
                             [&](double s) { return static_cast<float>(s / static_cast<double>(x.rows())); });
      return means;
    }
  parallel_blocks(context, x.cols(), 64, [&](std::size_t begin, std::size_t end) {
    std::vector<double> sum(end - begin);
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = begin; j < end; ++j) sum[j - begin] += x(i, j);
    for (std::size_t j = begin; j < end; ++j)
      means[j] = static_cast<float>(sum[j - begin] / static_cast<double>(x.rows()));
  });
  return means;
}

std::vector<double> column_mean_squares(const Context& context, FloatView x) {
  const auto n = static_cast<double>(x.rows());
  std::vector<double> squares(x.cols());
  if constexpr (with_cuda)
    if (x.on_device()) {
      squares = cuda::column_squares(x).on_host();
      for (double& s : squares) s /= n;
      return squares;
    }
  parallel_blocks(context, x.cols(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < x.rows(); ++i)
      for (std::size_t j = begin; j < end; ++j) squares[j] += double{x(i, j)} * x(i, j) / n;
  });
  return squares;
}

std::vector<float> weighted_squares(FloatView x, const std::vector<float>& weights) {
  if constexpr (with_cuda)
    if (x.on_device()) return cuda::weighted_squares(x, weights);
  std::vector<float> squares(x.rows());
  const Eigen::Map<const Eigen::RowVectorXf> w(weights.data(), static_cast<Eigen::Index>(weights.size()));
  const auto rows = as_eigen(x);
  for (std::size_t i = 0; i < x.rows(); ++i) squares[i] = rows.row(static_cast<Eigen::Index>(i)).cwiseAbs2().dot(w);
  return squares;
}

void put_rows(FloatView x, std::span<const std::size_t> places, MatrixView<float> y) {
  if constexpr (with_cuda)
    if (y.on_device()) return cuda::put_rows(cuda::Resident(x), places, y);
  for (std::size_t i = 0; i < places.size(); ++i) std::ranges::copy(x.row(i), y.row(places[i]).begin());
}

Moments::Moments(std::size_t dimension) : sum_(dimension), products_(dimension, dimension) {}

void Moments::add(const Context& context, FloatView rows, std::span<const float> origin) {
  const std::size_t d = sum_.size(), tiles = (d + moment_tile - 1) / moment_tile;
  for (std::size_t first = 0; first < rows.rows(); first += moment_rows) {
    const std::size_t n = std::min(moment_rows, rows.rows() - first);
    FloatMatrix centred(n, d);
    parallel_blocks(context, n, 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t j = 0; j < d; ++j) centred(i, j) = rows(first + i, j) - origin[j];
    });
    parallel_blocks(context, d, moment_tile, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = begin; j < end; ++j) sum_[j] += centred(i, j);
    });
    context.pool().run(tiles * tiles, [&](std::size_t t) {
      const std::size_t a = t / tiles * moment_tile, b = t % tiles * moment_tile;
      if (a > b) return;  // symmetric
      const std::size_t a_end = std::min(d, a + moment_tile), b_end = std::min(d, b + moment_tile);
      const RowMajor<float> tile =
          as_eigen(centred.view().col_range(a, a_end)).transpose() * as_eigen(centred.view().col_range(b, b_end));
      as_eigen(MatrixView<double>(&products_(a, b), a_end - a, b_end - b, d)) += tile.cast<double>();
    });
    count_ += n;
  }
}

std::vector<double> Moments::mean(std::span<const float> origin) const {
  std::vector<double> mean(sum_.size());
  for (std::size_t j = 0; j < mean.size(); ++j) mean[j] = origin[j] + sum_[j] / static_cast<double>(count_);
  return mean;
}

Matrix<double> Moments::covariance() const {
  const std::size_t d = sum_.size();
  const auto n = static_cast<double>(count_);
  Matrix<double> covariance(d, d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i; j < d; ++j) {
      covariance(i, j) = (products_(i, j) - sum_[i] * sum_[j] / n) / std::max(1.0, n - 1);
      covariance(j, i) = covariance(i, j);
    }
  return covariance;
}

}  // namespace pssc
