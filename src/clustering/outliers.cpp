#include <pssc/clustering.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {

namespace {

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Median plus so many robust standard deviations (1.4826 times the median absolute deviation).
double threshold(std::vector<double> values) {
  if (values.empty()) return INFINITY;
  const double centre = median(values);
  for (double& v : values) v = std::abs(v - centre);
  return centre + outlier_deviations * 1.4826 * std::max(median(values), 0.05);  // 5 %: no cluster is tighter than that
}

}  // namespace

std::vector<std::uint8_t> flag_outliers(const std::vector<float>& distances, const std::vector<Label>& labels,
                                        std::size_t clusters) {
  std::vector<std::vector<double>> logs(clusters);
  const auto log_distance = [&](std::size_t i) { return std::log(std::max(double{distances[i]}, 1e-20)) / 2; };
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= 0) logs[static_cast<std::size_t>(labels[i])].push_back(log_distance(i));
  std::vector<double> limits;
  for (auto& values : logs) limits.push_back(threshold(std::move(values)));
  std::vector<std::uint8_t> outliers(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    outliers[i] = labels[i] < 0 || log_distance(i) > limits[static_cast<std::size_t>(labels[i])];
  return outliers;
}

}  // namespace pssc
