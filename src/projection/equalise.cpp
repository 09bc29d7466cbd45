#include "cuda/projection.hpp"
#include "logarithm.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
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

double sum_of_positive(FloatView path) {
  double sum = 0;
  for (std::size_t i = 0; i < path.rows(); ++i)
    for (const float v : path.row(i)) sum += std::max(v, 0.0F);
  return sum;
}

}  // namespace

EqualiserFit::EqualiserFit(Equalisation kind, std::size_t dimension, std::size_t path_length)
    : equaliser_{kind, path_length, {}} {
  if (path_length == 0 || dimension % path_length != 0)
    throw usage_error("the features do not divide into paths of " + std::to_string(path_length));
  statistic_.resize(dimension / path_length);
}

void EqualiserFit::add(const Context& context, FloatView features) {
  if (equaliser_.kind == Equalisation::none) return;
  count_ += features.rows();
  const std::size_t length = equaliser_.path_length;
  if constexpr (with_cuda)
    if (features.on_device()) {
      const std::vector<double> more = cuda::path_statistics(equaliser_.kind, features, length);
      for (std::size_t p = 0; p < more.size(); ++p)
        statistic_[p] =
            equaliser_.kind == Equalisation::maxnorm ? std::max(statistic_[p], more[p]) : statistic_[p] + more[p];
      return;
    }
  parallel_blocks(context, statistic_.size(), 4, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      const FloatView path = features.col_range(p * length, (p + 1) * length);
      if (equaliser_.kind == Equalisation::maxnorm)
        statistic_[p] = std::max(statistic_[p], largest_squared_norm(path));
      else
        statistic_[p] += sum_of_positive(path);
    }
  });
}

Equaliser EqualiserFit::finish() const {
  constexpr double smallest = 1e-12;  // a path that is zero in every image stays zero
  Equaliser result = equaliser_;
  if (result.kind == Equalisation::none) return result;
  for (const double s : statistic_) {
    const double scale =
        result.kind == Equalisation::maxnorm ? std::sqrt(s) : s / static_cast<double>(count_ * result.path_length);
    result.scale.push_back(static_cast<float>(std::max(scale, smallest)));
  }
  return result;
}

Equaliser fit_equaliser(const Context& context, Equalisation kind, FloatView features, std::size_t path_length) {
  EqualiserFit fit(kind, features.cols(), path_length);
  fit.add(context, features);
  return fit.finish();
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
