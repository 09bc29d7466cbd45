#include <pssc/core/cuda.hpp>
#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>

namespace pssc {

namespace {
constexpr std::size_t product_rows = 512;  // a block's share of A and C stays in L2 beside a panel of B
constexpr std::size_t small_product = std::size_t{1} << 16;

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

void multiply_transposed(const Context& context, FloatView a, FloatView b, MatrixView<float> c) {
  if constexpr (with_cuda)
    if (c.on_device()) return cuda::multiply_transposed(cuda::Resident(a), cuda::Resident(b), c);
  parallel_blocks(context, a.rows(), product_rows, [&](std::size_t begin, std::size_t end) {
    if ((end - begin) * a.cols() * b.rows() <= small_product)
      return multiply_small(
          a.row_range(begin, end), b.rows(), [&](std::size_t k, std::size_t j) { return b(j, k); },
          c.row_range(begin, end));
    as_eigen(c.row_range(begin, end)).noalias() = as_eigen(a.row_range(begin, end)) * as_eigen(b).transpose();
  });
}

void multiply(const Context& context, FloatView a, FloatView b, MatrixView<float> c) {
  if constexpr (with_cuda)
    if (c.on_device()) return cuda::multiply(cuda::Resident(a), cuda::Resident(b), c);
  parallel_blocks(context, a.rows(), product_rows, [&](std::size_t begin, std::size_t end) {
    if ((end - begin) * a.cols() * b.cols() <= small_product)
      return multiply_small(
          a.row_range(begin, end), b.cols(), [&](std::size_t k, std::size_t j) { return b(k, j); },
          c.row_range(begin, end));
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

namespace {

/// Of f(x), none larger than `largest`, over all ranks' n rows.
template <class F>
std::vector<double> column_sums(const Context& context, FloatView x, std::size_t n, double largest, F&& f) {
  const Grid grid(largest * row_unit, n / row_unit + context.ranks().ranks() + 1);
  std::vector<std::int64_t> sums(x.cols());
  parallel_blocks(context, x.cols(), 64, [&](std::size_t begin, std::size_t end) {
    std::vector<double> sum(end - begin);
    for (std::size_t first = 0; first < x.rows(); first += row_unit) {
      std::ranges::fill(sum, 0.0);
      for (std::size_t i = first; i < std::min(x.rows(), first + row_unit); ++i)
        for (std::size_t j = begin; j < end; ++j) sum[j - begin] += f(double{x(i, j)});
      for (std::size_t j = begin; j < end; ++j) sums[j] += grid(sum[j - begin]);
    }
  });
  context.ranks().sum(sums);
  std::vector<double> values;
  for (const std::int64_t s : sums) values.push_back(grid.value(s));
  return values;
}

}  // namespace

std::vector<float> column_means(const Context& context, FloatView x) {
  std::vector<float> means(x.cols());
  if constexpr (with_cuda)
    if (x.on_device()) {
      const std::vector<double> sums = cuda::column_sums(x).on_host();
      std::ranges::transform(sums, means.begin(),
                             [&](double s) { return static_cast<float>(s / static_cast<double>(x.rows())); });
      return means;
    }
  const std::size_t n = sum_of_all(context, x.rows());
  const std::vector<double> sums = column_sums(context, x, n, largest_size(context, x), [](double v) { return v; });
  for (std::size_t j = 0; j < means.size(); ++j) means[j] = static_cast<float>(sums[j] / static_cast<double>(n));
  return means;
}

std::vector<double> column_mean_squares(const Context& context, FloatView x) {
  std::size_t n = x.rows();
  std::vector<double> squares;
  if constexpr (with_cuda)
    if (x.on_device()) squares = cuda::column_squares(x).on_host();
  if (squares.empty()) {
    n = sum_of_all(context, n);
    const double largest = largest_size(context, x);
    squares = column_sums(context, x, n, largest * largest, [](double v) { return v * v; });
  }
  for (double& s : squares) s /= static_cast<double>(n);
  return squares;
}

SumsByLabel::SumsByLabel(const Context& context, FloatView x, std::size_t labels)
    : x_(x),
      labels_(labels),
      grid_(largest_size(context, x), sum_of_all(context, x.rows())),
      current_(x.rows(), -1),
      sums_(labels * (x.cols() + 1)) {}

void SumsByLabel::update(const Context& context, std::span<const std::int32_t> labels) {
  const std::size_t d = x_.cols();
  const auto sum_of = [&](std::int32_t label) { return sums_.data() + static_cast<std::size_t>(label) * d; };
  parallel_blocks(context, d, 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::int32_t from = current_[i], to = labels[i];
      if (from == to) continue;
      const float* row = x_.row(i).data();
      if (from >= 0)
        for (std::size_t j = begin; j < end; ++j) sum_of(from)[j] -= grid_(double{row[j]});
      if (to >= 0)
        for (std::size_t j = begin; j < end; ++j) sum_of(to)[j] += grid_(double{row[j]});
    }
  });
  std::int64_t* counts = sums_.data() + labels_ * d;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (current_[i] >= 0) --counts[static_cast<std::size_t>(current_[i])];
    if (labels[i] >= 0) ++counts[static_cast<std::size_t>(labels[i])];
  }
  current_.assign(labels.begin(), labels.end());
}

std::vector<std::int64_t> SumsByLabel::over_all_ranks(const Context& context) const {
  std::vector<std::int64_t> all = sums_;
  context.ranks().sum(all);
  return all;
}

Matrix<double> SumsByLabel::sums(const Context& context) const {
  const std::vector<std::int64_t> all = over_all_ranks(context);
  Matrix<double> result(labels_, x_.cols());
  for (std::size_t i = 0; i < result.size(); ++i) result.data()[i] = grid_.value(all[i]);
  return result;
}

Matrix<double> SumsByLabel::means(const Context& context) const {
  const std::vector<std::int64_t> all = over_all_ranks(context);
  Matrix<double> result(labels_, x_.cols());
  for (std::size_t c = 0; c < labels_; ++c)
    for (std::size_t j = 0; j < x_.cols(); ++j)
      result(c, j) =
          grid_.value(all[c * x_.cols() + j]) / std::max(1.0, static_cast<double>(all[labels_ * x_.cols() + c]));
  return result;
}

Matrix<double> means_by_label(const Context& context, FloatView x, std::span<const std::int32_t> labels,
                              std::size_t clusters) {
  SumsByLabel sums(context, x, clusters);
  sums.update(context, labels);
  return sums.means(context);
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

Moments::Moments(std::size_t dimension, double reach, std::size_t rows)
    : block_(rows_at_once(dimension)),
      sum_grid_(reach * static_cast<double>(block_), rows),
      product_grid_(reach * reach * static_cast<double>(block_), rows),
      sum_(dimension),
      products_(dimension, dimension) {}

void Moments::add(const Context& context, FloatView rows, std::span<const float> origin) {
  const std::size_t d = sum_.size(), moment_tile = d > 512 ? 512 : 160, tiles = (d + moment_tile - 1) / moment_tile;
  for (std::size_t first = 0; first < rows.rows(); first += block_) {
    const std::size_t n = std::min(block_, rows.rows() - first);
    FloatMatrix centred(n, d);
    parallel_blocks(context, n, 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t j = 0; j < d; ++j) centred(i, j) = rows(first + i, j) - origin[j];
    });
    parallel_blocks(context, d, moment_tile, [&](std::size_t begin, std::size_t end) {
      std::vector<double> sum(end - begin);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = begin; j < end; ++j) sum[j - begin] += centred(i, j);
      for (std::size_t j = begin; j < end; ++j) sum_[j] += sum_grid_(sum[j - begin]);
    });
    context.pool().run(tiles * tiles, [&](std::size_t t) {
      const std::size_t a = t / tiles * moment_tile, b = t % tiles * moment_tile;
      if (a > b) return;  // symmetric
      const std::size_t a_end = std::min(d, a + moment_tile), b_end = std::min(d, b + moment_tile);
      const RowMajor<float> tile =
          as_eigen(centred.view().col_range(a, a_end)).transpose() * as_eigen(centred.view().col_range(b, b_end));
      for (std::size_t i = a; i < a_end; ++i) {
        const float* from = tile.data() + (i - a) * (b_end - b);
        std::int64_t* to = &products_(i, b);
        for (std::size_t j = 0; j < b_end - b; ++j) to[j] += product_grid_(double{from[j]});
      }
    });
    count_ += n;
  }
}

void Moments::combine(const Context& context, bool everywhere) {
  if (context.ranks().ranks() == 1) return;
  const std::size_t d = sum_.size();
  std::vector<std::int64_t> all(sum_);
  all.reserve(d + d * (d + 1) / 2 + 1);
  all.push_back(static_cast<std::int64_t>(count_));
  for (std::size_t i = 0; i < d; ++i) all.insert(all.end(), &products_(i, i), &products_(i, 0) + d);
  everywhere ? context.ranks().sum(all) : context.ranks().sum_at_first(all);
  std::copy_n(all.begin(), d, sum_.begin());
  count_ = static_cast<std::size_t>(all[d]);
  const std::int64_t* from = all.data() + d + 1;
  for (std::size_t i = 0; i < d; from += d - i, ++i) std::copy_n(from, d - i, &products_(i, i));
}

Matrix<double> inner_products(const Context& context, FloatView x) {
  const std::size_t d = x.cols();
  if constexpr (with_cuda)
    if (x.on_device()) {
      Matrix<double> products(d, d);
      cuda::inner_products(x).copy_to(std::span(products.data(), d * d));
      return products;
    }
  Moments moments(d, largest_size(context, x), sum_of_all(context, x.rows()));
  const std::vector<float> origin(d);
  for (std::size_t first = 0; first < x.rows(); first += row_unit)  // a rank's rows begin at a multiple of it
    moments.add(context, x.row_range(first, std::min(x.rows(), first + row_unit)), origin);
  moments.combine(context, true);
  return moments.products();
}

std::vector<double> Moments::mean(std::span<const float> origin) const {
  std::vector<double> mean(sum_.size());
  for (std::size_t j = 0; j < mean.size(); ++j)
    mean[j] = origin[j] + sum_grid_.value(sum_[j]) / static_cast<double>(count_);
  return mean;
}

Matrix<double> Moments::products() const {
  const std::size_t d = sum_.size();
  Matrix<double> products(d, d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i; j < d; ++j) products(i, j) = products(j, i) = product_grid_.value(products_(i, j));
  return products;
}

Matrix<double> Moments::covariance() const {
  const std::size_t d = sum_.size();
  const auto n = static_cast<double>(count_);
  Matrix<double> covariance(d, d);
  for (std::size_t i = 0; i < d; ++i) {
    const double sum = sum_grid_.value(sum_[i]);
    for (std::size_t j = i; j < d; ++j) {
      covariance(i, j) =
          (product_grid_.value(products_(i, j)) - sum * sum_grid_.value(sum_[j]) / n) / std::max(1.0, n - 1);
      covariance(j, i) = covariance(i, j);
    }
  }
  return covariance;
}

}  // namespace pssc
