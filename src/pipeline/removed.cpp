#include "removed.hpp"

#include <algorithm>
#include <numeric>

namespace pssc {

namespace {

constexpr std::size_t most_directions = 8, images_an_end = 8, images_a_strip = 16;

/// Images with the lowest and the highest positions, the outermost first, and some from one end to the other.
RemovedDirection ends_of(const std::vector<double>& positions, double share, const ImageNames& names) {
  RemovedDirection direction{share, {}, {}, {}};
  const std::size_t n = positions.size(), m = std::min(images_an_end, n / 2);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return positions[i]; });
  for (std::size_t i = 0; i < m; ++i) direction.low.push_back(names.id(order[i]));
  for (std::size_t i = 0; i < m; ++i) direction.high.push_back(names.id(order[n - 1 - i]));
  const std::size_t length = std::min(images_a_strip, n);
  for (std::size_t i = 0; i < length; ++i)
    direction.strip.push_back(names.numbers[order[length == 1 ? 0 : i * (n - 1) / (length - 1)]]);
  return direction;
}

}  // namespace

std::vector<RemovedDirection> directions_dropped(const Projection& projection, FloatView y, std::size_t dropped,
                                                 const ImageNames& names) {
  std::vector<RemovedDirection> removed;
  for (std::size_t v = 0; v < std::min(dropped, most_directions); ++v) {
    std::vector<double> positions(y.rows());
    for (std::size_t i = 0; i < y.rows(); ++i) positions[i] = y(i, v);
    removed.push_back(ends_of(positions, projection.variances[v] / projection.total_variance, names));
  }
  return removed;
}

std::vector<RemovedDirection> directions_whitened(const Whitening& whitening, FloatView y, const Clustering& clustering,
                                                  const ImageNames& names) {
  const Matrix<double> means = cluster_means(y, clustering.labels, clustering.clusters);
  const double total = std::accumulate(whitening.variances.begin(), whitening.variances.end(), 0.0);
  std::vector<RemovedDirection> removed;
  for (std::size_t v = 0; v < std::min(whitening.directions.rows(), most_directions); ++v) {
    std::vector<double> positions(y.rows());
    for (std::size_t i = 0; i < y.rows(); ++i) {
      const auto mean = means.row(static_cast<std::size_t>(clustering.labels[i]));
      for (std::size_t j = 0; j < y.cols(); ++j)
        positions[i] += (y(i, j) - mean[j]) * double{whitening.directions(v, j)};
    }
    removed.push_back(ends_of(positions, total > 0 ? whitening.variances[v] / total : 0, names));
  }
  return removed;
}

}  // namespace pssc
