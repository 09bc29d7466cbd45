#include "ties.hpp"

#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {

namespace {

double length(float squared, bool as_published_code) {
  return as_published_code ? double{squared} : std::sqrt(double{squared});
}

}  // namespace

double kernel_width(const Context& context, const Neighbours& neighbours, bool as_published_code) {
  constexpr double least = 1e-10;  // where all images lie on representatives
  const FloatMatrix& squared = neighbours.distances;
  const std::size_t count = sum_of_all(context, squared.size());
  const Grid grid(length(static_cast<float>(largest_size(context, squared)), as_published_code), count);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < squared.size(); ++i) sum += grid(length(squared.data()[i], as_published_code));
  context.ranks().sum({&sum, 1});
  return std::max(grid.value(sum) / static_cast<double>(count), least);
}

Ties make_ties(const Context& context, Neighbours neighbours, double width, bool as_published_code,
               std::vector<double>* degrees) {
  const std::size_t n = neighbours.indices.rows(), k = neighbours.indices.cols();
  Ties ties{std::move(neighbours.indices), std::move(neighbours.distances), std::vector<float>(n)};
  if (degrees) degrees->resize(n);
  parallel_blocks(context, n, 4096, [&](std::size_t begin, std::size_t end) {
    std::vector<double> affinity(k);
    for (std::size_t i = begin; i < end; ++i) {
      auto row = ties.weights.row(i);  // squared distances so far
      ties.distances[i] = row[0];
      double degree = 0;
      for (std::size_t j = 0; j < k; ++j) {
        const double d = length(row[j], as_published_code) / width;
        degree += affinity[j] = std::exp(-d * d / 2);
      }
      for (std::size_t j = 0; j < k; ++j)
        row[j] = degree > 1e-300 ? static_cast<float>(affinity[j] / degree) : (j == 0 ? 1.0F : 0.0F);
      if (degrees) (*degrees)[i] = degree;
    }
  });
  return ties;
}

}  // namespace pssc
