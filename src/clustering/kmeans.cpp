#include <pssc/clustering.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace pssc {

namespace {

constexpr std::size_t rows_per_block = 512;

struct Assignment {
  std::vector<Label> labels;
  std::vector<float> distances;  ///< squared, to the own centre
};

void assign(const Context& context, FloatView x, FloatView centres, Assignment& result) {
  const std::vector<float> norms = squared_norms(centres);
  parallel_blocks(context, x.rows(), rows_per_block, [&](std::size_t begin, std::size_t end) {
    FloatMatrix distances(end - begin, centres.rows());
    squared_distances(x.row_range(begin, end), centres, norms, distances);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = distances.row(i - begin);
      const auto nearest = std::min_element(row.begin(), row.end());
      result.labels[i] = static_cast<Label>(nearest - row.begin());
      result.distances[i] = *nearest;
    }
  });
}

/// members[offsets[c] .. offsets[c+1]) are the rows of cluster c, rising.
struct Members {
  std::vector<std::size_t> offsets, rows;
  Members(const std::vector<Label>& labels, std::size_t clusters) : offsets(clusters + 1), rows(labels.size()) {
    for (const Label l : labels) ++offsets[static_cast<std::size_t>(l) + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    std::vector<std::size_t> at(offsets.begin(), offsets.end() - 1);
    for (std::size_t i = 0; i < labels.size(); ++i) rows[at[static_cast<std::size_t>(labels[i])]++] = i;
  }
};

void move_centres(const Context& context, FloatView x, const Assignment& a, FloatMatrix& centres) {
  const Members members(a.labels, centres.rows());
  parallel_blocks(context, centres.rows(), 1, [&](std::size_t c, std::size_t) {
    const std::size_t first = members.offsets[c], last = members.offsets[c + 1];
    if (first == last) return;
    std::vector<double> sum(x.cols());
    for (std::size_t m = first; m < last; ++m) {
      const auto row = x.row(members.rows[m]);
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += row[j];
    }
    for (std::size_t j = 0; j < sum.size(); ++j)
      centres(c, j) = static_cast<float>(sum[j] / static_cast<double>(last - first));
  });

  std::vector<std::size_t> empty;
  for (std::size_t c = 0; c < centres.rows(); ++c)
    if (members.offsets[c] == members.offsets[c + 1]) empty.push_back(c);
  if (empty.empty()) return;
  std::vector<std::size_t> far(x.rows());
  std::iota(far.begin(), far.end(), 0);
  std::partial_sort(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(empty.size()), far.end(),
                    [&](std::size_t i, std::size_t j) {
                      return a.distances[i] != a.distances[j] ? a.distances[i] > a.distances[j] : i < j;
                    });
  for (std::size_t e = 0; e < empty.size(); ++e) std::ranges::copy(x.row(far[e]), centres.row(empty[e]).begin());
}

/// Arthur and Vassilvitskii (2007): each next centre is a row, drawn in proportion to its squared distance to the
/// nearest centre so far.
FloatMatrix plus_plus(const Context& context, FloatView x, std::size_t clusters, Random& random) {
  FloatMatrix centres(clusters, x.cols());
  std::vector<float> distance(x.rows(), std::numeric_limits<float>::max());
  std::size_t chosen = random.below(x.rows());
  for (std::size_t c = 0;; ++c) {
    const auto centre = centres.row(c);
    std::ranges::copy(x.row(chosen), centre.begin());
    if (c + 1 == clusters) return centres;
    parallel_blocks(context, x.rows(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto row = x.row(i);
        float d = 0;
        for (std::size_t j = 0; j < row.size(); ++j) d += (row[j] - centre[j]) * (row[j] - centre[j]);
        distance[i] = std::min(distance[i], d);
      }
    });
    const double total = std::accumulate(distance.begin(), distance.end(), 0.0);
    double left = random.uniform() * total;
    chosen = 0;
    while (chosen + 1 < x.rows() && (left -= distance[chosen]) >= 0) ++chosen;
    if (total == 0) chosen = random.below(x.rows());  // fewer different rows than clusters
  }
}

KMeansResult run_once(const Context& context, const KMeansParams& params, FloatView x, Random random) {
  FloatMatrix centres = params.start == KMeansParams::Start::plus_plus
                            ? plus_plus(context, x, params.clusters, random)
                            : gather_rows(x, random.choose(x.rows(), params.clusters));
  Assignment current{std::vector<Label>(x.rows(), -1), std::vector<float>(x.rows())};
  assign(context, x, centres, current);
  for (std::size_t iteration = 0; iteration < params.iterations; ++iteration) {
    const std::vector<Label> before = current.labels;
    move_centres(context, x, current, centres);
    assign(context, x, centres, current);
    if (current.labels == before) break;
  }
  const double inertia = std::accumulate(current.distances.begin(), current.distances.end(), 0.0);
  return {std::move(current.labels), std::move(centres), inertia};
}

}  // namespace

KMeansResult kmeans(const Context& context, const KMeansParams& params, FloatView x) {
  if (params.clusters == 0) throw usage_error("k-means needs at least 1 cluster");
  if (x.rows() < params.clusters)
    throw input_error("asked for " + std::to_string(params.clusters) + " clusters, but there are only " +
                      std::to_string(x.rows()) + " images; ask for fewer with -k");
  KMeansResult best;
  for (std::size_t start = 0; start < std::max<std::size_t>(1, params.starts); ++start) {
    KMeansResult result = run_once(context, params, x, Random(context.seed(), start + 1));
    if (start == 0 || result.inertia < best.inertia) best = std::move(result);
  }
  return best;
}

Clustering cluster_kmeans(const Context& context, const KMeansParams& params, FloatView x) {
  KMeansResult result = kmeans(context, params, x);
  Clustering clustering{.labels = std::move(result.labels),
                        .confidence = std::vector<float>(x.rows(), 1),
                        .outliers = std::vector<std::uint8_t>(x.rows()),
                        .clusters = params.clusters};
  const std::vector<float> norms = squared_norms(result.centres);
  if (params.clusters > 1)
    parallel_blocks(context, x.rows(), rows_per_block, [&](std::size_t begin, std::size_t end) {
      FloatMatrix distances(end - begin, params.clusters);
      squared_distances(x.row_range(begin, end), result.centres, norms, distances);
      for (std::size_t i = begin; i < end; ++i) {
        auto row = distances.row(i - begin);
        std::partial_sort(row.begin(), row.begin() + 2, row.end());
        clustering.confidence[i] = row[1] > 0 ? 1 - row[0] / row[1] : 0;
      }
    });
  order_by_size(clustering);
  return clustering;
}

}  // namespace pssc
