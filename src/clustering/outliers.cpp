#include <pssc/clustering.hpp>
#include <pssc/core/spread.hpp>

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

std::vector<float> outlier_limits(const Context& context, const std::vector<float>& own_distances,
                                  const std::vector<Label>& own_labels, std::size_t clusters) {
  // Medians need them all, 8 bytes each of the images that clusters are found among.
  const std::vector<float> distances = gather(context, own_distances);
  const std::vector<Label> labels = gather(context, own_labels);
  std::vector<std::vector<double>> logs(clusters);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= 0)
      logs[static_cast<std::size_t>(labels[i])].push_back(std::log(std::max(double{distances[i]}, 1e-20)) / 2);
  std::vector<float> limits;
  for (auto& values : logs) limits.push_back(static_cast<float>(std::exp(2 * threshold(std::move(values)))));
  return limits;
}

std::vector<std::uint8_t> beyond_limits(const std::vector<float>& distances, const std::vector<Label>& labels,
                                        const std::vector<float>& limits) {
  constexpr float rounding = 1e-20F;  // a distance of nothing is never too large
  std::vector<std::uint8_t> outliers(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i)
    outliers[i] = labels[i] < 0 || std::max(distances[i], rounding) > limits[static_cast<std::size_t>(labels[i])];
  return outliers;
}

std::vector<std::uint8_t> flag_outliers(const Context& context, const std::vector<float>& distances,
                                        const std::vector<Label>& labels, std::size_t clusters) {
  return beyond_limits(distances, labels, outlier_limits(context, distances, labels, clusters));
}

}  // namespace pssc
