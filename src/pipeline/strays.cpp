#include "strays.hpp"

#include <pssc/core/linalg.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pssc {

namespace {

std::size_t nearest_mean(const Matrix<double>& means, std::span<const float> point) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t c = 0; c < means.rows(); ++c) {
    double distance = 0;
    for (std::size_t j = 0; j < point.size(); ++j) distance += (point[j] - means(c, j)) * (point[j] - means(c, j));
    if (distance < least) {
      least = distance;
      best = c;
    }
  }
  return best;
}

}  // namespace

std::vector<std::uint8_t> StrayRule::find(FloatView y) const {
  std::vector<std::uint8_t> strays(y.rows());
  if (inverse_variances.empty()) return strays;
  const std::vector<float> distances = weighted_squares(y, inverse_variances);
  for (std::size_t i = 0; i < strays.size(); ++i) strays[i] = distances[i] > limit;
  return strays;
}

void StrayRule::file(FloatView y, const std::vector<std::uint8_t>& strays, Clustering& clustering) const {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < strays.size(); ++i)
    if (strays[i]) rows.push_back(i);
  if (rows.empty()) return;
  const FloatMatrix points = to_host(gather_rows(y, rows));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    clustering.labels[rows[k]] = static_cast<Label>(nearest_mean(means, points.row(k)));
    clustering.confidence[rows[k]] = 0;
    clustering.outliers[rows[k]] = 1;
  }
}

StrayRule fit_strays(const Context& context, FloatView y, double ridge) {
  const std::size_t d = y.cols();
  StrayRule rule;
  const std::vector<double> variances = column_mean_squares(context, y);
  const double added = ridge * std::accumulate(variances.begin(), variances.end(), 0.0) / static_cast<double>(d);
  for (const double v : variances) rule.inverse_variances.push_back(static_cast<float>(1 / std::max(v + added, 1e-30)));
  const std::vector<float> distances = weighted_squares(y, rule.inverse_variances);
  rule.limit = outlier_limits(context, distances, std::vector<Label>(distances.size()), 1).front();
  const std::size_t n = sum_of_all(context, y.rows());
  const std::size_t strays = sum_of_all(
      context, static_cast<std::size_t>(std::ranges::count_if(distances, [&](float s) { return s > rule.limit; })));
  if (strays == 0 || 100 * strays > n) return {};
  return rule;
}

}  // namespace pssc
