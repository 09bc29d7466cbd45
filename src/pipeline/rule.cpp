#include "rule.hpp"

#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>

namespace pssc {

std::vector<float> distances_to_means(const Context& context, FloatView z, const std::vector<Label>& labels,
                                      const Matrix<double>& means) {
  std::vector<float> distances(z.rows());
  parallel_blocks(context, z.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto mean = means.row(static_cast<std::size_t>(labels[i]));
      for (std::size_t j = 0; j < mean.size(); ++j)
        distances[i] += static_cast<float>((z(i, j) - mean[j]) * (z(i, j) - mean[j]));
    }
  });
  return distances;
}

Placer::Placer(const ClusterRule& rule) : rule_(rule) {
  if (rule.graph && !rule.gaussians) graph_.emplace(*rule.graph);
}

Clustering Placer::place(const Context& context, FloatView y) const {
  FloatMatrix whitened;
  if (!rule_.whitening.empty()) {
    whitened = FloatMatrix(y.rows(), y.cols());
    multiply(context, y, rule_.whitening, whitened);
  }
  const FloatView seen = whitened.empty() ? y.col_range(rule_.dropped, y.cols()) : FloatView(whitened);
  Placed placed = rule_.gaussians ? rule_.gaussians->place(context, y.col_range(0, rule_.gaussian_dims))
                  : graph_        ? graph_->place(context, seen)
                                  : place_by_centres(context, rule_.centres, seen);
  if (!rule_.means.empty()) placed.distances = distances_to_means(context, seen, placed.labels, rule_.means);

  Clustering result;
  result.clusters = rule_.clusters;
  result.outliers = beyond_limits(placed.distances, placed.labels, rule_.limits);
  result.distances = std::move(placed.distances);
  result.labels = std::move(placed.labels);
  result.confidence = std::move(placed.confidence);
  rule_.strays.file(y, rule_.strays.find(y), result);
  for (Label& l : result.labels) l = rule_.renamed[static_cast<std::size_t>(l)];
  return result;
}

}  // namespace pssc
