#include "removed.hpp"

#include <algorithm>
#include <numeric>

namespace pssc {

namespace {

constexpr std::size_t most_directions = 8, images_an_end = 8;

/// Ids of the images with the lowest and the highest positions, the outermost first.
RemovedDirection ends_of(const std::vector<double>& positions, double share, const std::vector<std::string>& ids) {
  RemovedDirection direction{share, {}, {}};
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), 0);
  const auto by_position = [&](std::size_t a, std::size_t b) {
    return positions[a] != positions[b] ? positions[a] < positions[b] : a < b;
  };
  const std::size_t m = std::min(images_an_end, order.size() / 2);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(m), order.end(), by_position);
  for (std::size_t i = 0; i < m; ++i) direction.low.push_back(ids[order[i]]);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(m), order.end(),
                    [&](std::size_t a, std::size_t b) { return by_position(b, a); });
  for (std::size_t i = 0; i < m; ++i) direction.high.push_back(ids[order[i]]);
  return direction;
}

}  // namespace

std::vector<RemovedDirection> directions_dropped(const Projection& projection, FloatView y, std::size_t dropped,
                                                 const std::vector<std::string>& ids) {
  std::vector<RemovedDirection> removed;
  for (std::size_t v = 0; v < std::min(dropped, most_directions); ++v) {
    std::vector<double> positions(y.rows());
    for (std::size_t i = 0; i < y.rows(); ++i) positions[i] = y(i, v);
    removed.push_back(ends_of(positions, projection.variances[v] / projection.total_variance, ids));
  }
  return removed;
}

std::vector<RemovedDirection> directions_whitened(const Whitening& whitening, FloatView y, const Clustering& clustering,
                                                  const std::vector<std::string>& ids) {
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
    removed.push_back(ends_of(positions, total > 0 ? whitening.variances[v] / total : 0, ids));
  }
  return removed;
}

}  // namespace pssc
