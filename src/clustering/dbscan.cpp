#include <pssc/clustering.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

namespace pssc {

namespace {

constexpr std::size_t rows_per_block = 256;

/// Sets joined by a common root, the lowest member.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) {
    i = root(i);
    j = root(j);
    parent_[std::max(i, j)] = std::min(i, j);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// The median, over up to 1,000 images, of the distance to the min_points-th nearest.
double usual_radius(const Context& context, const DbscanParams& params, FloatView x) {
  constexpr std::size_t sample = 1000;
  auto rows = Random(context.seed()).choose(x.rows(), sample);
  const FloatMatrix picked = gather_rows(x, rows);
  const std::size_t k = std::min(params.min_points, x.rows());
  const Neighbours found = nearest(context, Search::exact, k, picked, x);
  std::vector<float> distances(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) distances[i] = found.distances(i, k - 1);
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return std::sqrt(*middle);
}

/// Calls visit(i, distances to all rows) for every row, a block of rows to a thread.
template <class Visit>
void for_each_row(const Context& context, std::string_view stage, FloatView x, Visit&& visit) {
  const std::vector<float> norms = squared_norms(x);
  parallel_blocks(context, stage, x.rows(), rows_per_block, [&](std::size_t begin, std::size_t end) {
    FloatMatrix distances(end - begin, x.rows());
    squared_distances(x.row_range(begin, end), x, norms, distances);
    for (std::size_t i = begin; i < end; ++i) visit(i, std::span<const float>(distances.row(i - begin)));
  });
}

}  // namespace

Clustering dbscan(const Context& context, const DbscanParams& params, FloatView x) {
  if (x.on_device()) return dbscan(context, params, copy_to(Place::host, x));  // a baseline: on the processor
  if (params.min_points == 0) throw usage_error("DBSCAN needs at least 1 point");
  const std::size_t n = x.rows();
  const double radius = params.radius > 0 ? params.radius : usual_radius(context, params, x);
  const auto limit = static_cast<float>(radius * radius);
  std::vector<std::uint8_t> core(n);
  for_each_row(context, "density", x, [&](std::size_t i, std::span<const float> distances) {
    core[i] = std::ranges::count_if(distances, [&](float d) { return d <= limit; }) >=
              static_cast<std::ptrdiff_t>(params.min_points);
  });

  // Cores within reach of each other share a cluster; any other image joins its nearest core within reach.
  DisjointSets sets(n);
  std::mutex mutex;
  std::vector<std::size_t> nearest_core(n, n);
  for_each_row(context, "joining", x, [&](std::size_t i, std::span<const float> distances) {
    std::vector<std::size_t> joined;
    float best = limit;
    for (std::size_t j = 0; j < n; ++j) {
      if (!core[j] || distances[j] > limit) continue;
      if (core[i] && j < i) joined.push_back(j);
      if (!core[i] && (nearest_core[i] == n || distances[j] < best)) {
        best = distances[j];
        nearest_core[i] = j;
      }
    }
    const std::lock_guard lock(mutex);
    for (const std::size_t j : joined) sets.join(i, j);
  });

  Clustering result{.labels = std::vector<Label>(n, noise_label),
                    .confidence = std::vector<float>(n),
                    .outliers = std::vector<std::uint8_t>(n)};
  std::vector<Label> label_of_root(n, noise_label);
  for (std::size_t i = 0; i < n; ++i)
    if (core[i] && sets.root(i) == i) label_of_root[i] = static_cast<Label>(result.clusters++);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t representative = core[i] ? i : nearest_core[i];
    if (representative < n) result.labels[i] = label_of_root[sets.root(representative)];
    result.confidence[i] = core[i] ? 1.0F : representative < n ? 0.5F : 0.0F;
    result.outliers[i] = result.labels[i] == noise_label;
  }
  order_by_size(context, result);
  return result;
}

}  // namespace pssc
