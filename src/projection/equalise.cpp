#include "cuda/projection.hpp"
#include "logarithm.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>
#include <pssc/projection.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {

namespace {

constexpr std::size_t rows_per_block = 256;

double largest_squared_norm(FloatView path) {
  double largest = 0;
  for (std::size_t i = 0; i < path.rows(); ++i) {
    float norm = 0;
    for (const float v : path.row(i)) norm += v * v;
    largest = std::max(largest, double{norm});
  }
  return largest;
}

double largest_positive(FloatView path) {
  float largest = 0;
  for (std::size_t i = 0; i < path.rows(); ++i)
    for (const float v : path.row(i)) largest = std::max(largest, v);
  return double{largest};
}

/// By blocks of rows that are the same for any number of ranks.
std::int64_t sum_of_positive(FloatView path, const Grid& grid) {
  std::int64_t total = 0;
  for (std::size_t first = 0; first < path.rows(); first += row_unit) {
    double sum = 0;
    for (std::size_t i = first; i < std::min(path.rows(), first + row_unit); ++i)
      for (const float v : path.row(i)) sum += std::max(v, 0.0F);
    total += grid(sum);
  }
  return total;
}

/// Calls body(path, its columns) for every path.
template <class Body>
void for_each_path(const Context& context, FloatView features, std::size_t length, Body&& body) {
  parallel_blocks(context, features.cols() / length, 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) body(p, features.col_range(p * length, (p + 1) * length));
  });
}

/// Of each path, over all ranks' n rows: the largest squared norm, or the sum.
std::vector<double> path_statistics(const Context& context, Equalisation kind, FloatView features, std::size_t length,
                                    std::size_t n) {
  if constexpr (with_cuda)
    if (features.on_device()) return cuda::path_statistics(kind, features, length);
  std::vector<double> largest(features.cols() / length);
  const bool maxnorm = kind == Equalisation::maxnorm;
  for_each_path(context, features, length, [&](std::size_t p, FloatView path) {
    largest[p] = maxnorm ? largest_squared_norm(path) : largest_positive(path);
  });
  context.ranks().largest(largest);
  if (maxnorm) return largest;
  std::vector<std::int64_t> sums(largest.size());
  const auto grid = [&](std::size_t p) { return Grid(largest[p] * static_cast<double>(row_unit * length), n); };
  for_each_path(context, features, length,
                [&](std::size_t p, FloatView path) { sums[p] = sum_of_positive(path, grid(p)); });
  context.ranks().sum(sums);
  for (std::size_t p = 0; p < sums.size(); ++p) largest[p] = grid(p).value(sums[p]);
  return largest;
}

}  // namespace

Equaliser fit_equaliser(const Context& context, Equalisation kind, FloatView features, std::size_t path_length) {
  constexpr double smallest = 1e-12;  // a path that is zero in every image stays zero
  if (path_length == 0 || features.cols() % path_length != 0)
    throw usage_error("the features do not divide into paths of " + std::to_string(path_length));
  Equaliser result{kind, path_length, {}};
  if (kind == Equalisation::none) return result;
  const std::size_t n = sum_of_all(context, features.rows());
  for (const double s : path_statistics(context, kind, features, path_length, n)) {
    const double scale = kind == Equalisation::maxnorm ? std::sqrt(s) : s / static_cast<double>(n * path_length);
    result.scale.push_back(static_cast<float>(std::max(scale, smallest)));
  }
  return result;
}

void Equaliser::apply(MatrixView<float> features) const {
  if (kind == Equalisation::none) return;
  if constexpr (with_cuda)
    if (features.on_device()) return cuda::equalise(*this, features);
  for (std::size_t i = 0; i < features.rows(); ++i) {
    float* at = features.row(i).data();
    for (const float s : scale) {
      const std::span<float> path(at, path_length);
      if (kind == Equalisation::log)
        log_of_one_plus(path, 1 / s);
      else
        for (float& v : path) v *= 1 / s;
      at += path_length;
    }
  }
}

void equalise(const Context& context, const Equaliser& equaliser, MatrixView<float> features) {
  if (features.on_device()) return equaliser.apply(features);
  parallel_blocks(context, features.rows(), rows_per_block,
                  [&](std::size_t begin, std::size_t end) { equaliser.apply(features.row_range(begin, end)); });
}

}  // namespace pssc
