#include "bounded_kmeans.hpp"
#include "cuda/clustering.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>

namespace pssc {

namespace {

constexpr std::size_t rows_per_block = 512;

struct Assignment {
  std::vector<Label> labels;
  std::vector<float> distances;  ///< squared, to the own centre
};

/// Rows to be clustered, and |x|^2 of each.
struct Rows {
  FloatView x;
  std::vector<float> norms;
};

/// Each row to the nearest of all centres: the plain version.
void assign(const Context& context, const Rows& rows, FloatView centres, Assignment& result) {
  constexpr std::size_t block = 256;  // as many as `nearest` takes, so that both round alike
  const std::vector<float> norms = squared_norms(centres);
  parallel_blocks(context, rows.x.rows(), block, [&](std::size_t begin, std::size_t end) {
    FloatMatrix distances(end - begin, centres.rows());
    const auto own_norms = std::span(rows.norms).subspan(begin, end - begin);
    squared_distances(rows.x.row_range(begin, end), centres, own_norms, norms, distances);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = distances.row(i - begin);
      const auto least = std::ranges::min_element(row);
      result.labels[i] = static_cast<Label>(least - row.begin());
      result.distances[i] = *least;
    }
  });
}

/// The same after the centres marked in `moved` have moved: a row whose own centre has not need only be compared with
/// those that have. Late iterations of thousands of clusters move few.
void reassign(const Context& context, const Rows& all, FloatView centres, const std::vector<std::uint8_t>& moved,
              Assignment& result) {
  const FloatView x = all.x;
  std::vector<std::size_t> movers;
  for (std::size_t c = 0; c < moved.size(); ++c)
    if (moved[c]) movers.push_back(c);
  if (2 * movers.size() > moved.size()) return assign(context, all, centres, result);
  std::vector<std::size_t> rooted, uprooted;
  for (std::size_t i = 0; i < x.rows(); ++i)
    (moved[static_cast<std::size_t>(result.labels[i])] ? uprooted : rooted).push_back(i);
  const auto search = [&](const std::vector<std::size_t>& rows, FloatView among, auto&& accept) {
    if (rows.empty() || among.rows() == 0) return;
    const Neighbours own = nearest(context, Search::exact, 1, gather_rows(x, rows), among);
    for (std::size_t r = 0; r < rows.size(); ++r) accept(rows[r], own.indices(r, 0), own.distances(r, 0));
  };
  search(uprooted, centres, [&](std::size_t i, Label c, float distance) {
    result.labels[i] = c;
    result.distances[i] = distance;
  });
  search(rooted, gather_rows(centres, movers), [&](std::size_t i, Label m, float distance) {
    const auto c = static_cast<Label>(movers[static_cast<std::size_t>(m)]);
    if (distance > result.distances[i] || (distance == result.distances[i] && c > result.labels[i])) return;
    result.labels[i] = c;
    result.distances[i] = distance;
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

/// Returns which have moved.
std::vector<std::uint8_t> move_centres(const Context& context, FloatView x, const Assignment& a, FloatMatrix& centres) {
  const Members members(a.labels, centres.rows());
  std::vector<std::uint8_t> moved(centres.rows());
  parallel_blocks(context, centres.rows(), 1, [&](std::size_t c, std::size_t) {
    const std::size_t first = members.offsets[c], last = members.offsets[c + 1];
    if (first == last) return;
    std::vector<double> sum(x.cols());
    for (std::size_t m = first; m < last; ++m) {
      const auto row = x.row(members.rows[m]);
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += row[j];
    }
    for (std::size_t j = 0; j < sum.size(); ++j) {
      const auto mean = static_cast<float>(sum[j] / static_cast<double>(last - first));
      moved[c] |= mean != centres(c, j);
      centres(c, j) = mean;
    }
  });

  std::vector<std::size_t> empty;
  for (std::size_t c = 0; c < centres.rows(); ++c)
    if (members.offsets[c] == members.offsets[c + 1]) empty.push_back(c);
  if (empty.empty()) return moved;
  std::vector<std::size_t> far(x.rows());
  std::iota(far.begin(), far.end(), 0);
  std::partial_sort(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(empty.size()), far.end(),
                    [&](std::size_t i, std::size_t j) {
                      return a.distances[i] != a.distances[j] ? a.distances[i] > a.distances[j] : i < j;
                    });
  for (std::size_t e = 0; e < empty.size(); ++e) {
    std::ranges::copy(x.row(far[e]), centres.row(empty[e]).begin());
    moved[empty[e]] = 1;
  }
  return moved;
}

constexpr std::size_t long_rows = 100;  // numbers from which on a row is worth more than the plain loop

float squared_distance(std::span<const float> a, std::span<const float> b) {
  if (a.size() >= long_rows) {
    using Row = Eigen::Map<const Eigen::RowVectorXf>;
    const auto n = static_cast<Eigen::Index>(a.size());
    return (Row(a.data(), n) - Row(b.data(), n)).squaredNorm();
  }
  float d = 0;
  for (std::size_t j = 0; j < a.size(); ++j) d += (a[j] - b[j]) * (a[j] - b[j]);
  return d;
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
      for (std::size_t i = begin; i < end; ++i) distance[i] = std::min(distance[i], squared_distance(x.row(i), centre));
    });
    const double total = std::accumulate(distance.begin(), distance.end(), 0.0);
    double left = random.uniform() * total;
    chosen = 0;
    while (chosen + 1 < x.rows() && (left -= distance[chosen]) >= 0) ++chosen;
    if (total == 0) chosen = random.below(x.rows());  // fewer different rows than clusters
  }
}

/// The sum of the squared distances that centres moved.
double shift(const FloatMatrix& before, const FloatMatrix& after) {
  double sum = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double d = double{after.data()[i]} - double{before.data()[i]};
    sum += d * d;
  }
  return sum;
}

/// Ends where no label changes, or where the centres move no more than `least_shift`.
KMeansResult run_from(const Context& context, std::size_t iterations, double least_shift, const Rows& rows,
                      FloatMatrix centres) {
  constexpr std::size_t few_clusters = 64;
  const std::size_t n = rows.x.rows();
  Assignment current{std::vector<Label>(n, -1), std::vector<float>(n)};
  if (centres.rows() > 1 && centres.rows() <= few_clusters && rows.x.cols() >= long_rows) {
    bounded_iterations(context, iterations, least_shift, rows.x, rows.norms, centres);
    iterations = 0;
  }
  assign(context, rows, centres, current);
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
    const std::vector<Label> before = current.labels;
    const FloatMatrix old = least_shift > 0 ? centres.copy() : FloatMatrix();
    reassign(context, rows, centres, move_centres(context, rows.x, current, centres), current);
    if (current.labels == before || (least_shift > 0 && shift(old, centres) <= least_shift)) break;
  }
  const double inertia = std::accumulate(current.distances.begin(), current.distances.end(), 0.0);
  return {std::move(current.labels), std::move(centres), inertia};
}

/// The mean of the columns' variances.
double mean_variance(const Context& context, const Rows& rows) {
  const double n = static_cast<double>(rows.x.rows());
  double sum = std::accumulate(rows.norms.begin(), rows.norms.end(), 0.0) / n;
  for (const float m : column_means(context, rows.x)) sum -= double{m} * double{m};
  return std::max(0.0, sum / static_cast<double>(rows.x.cols()));
}

FloatMatrix start_centres(const Context& context, const KMeansParams& params, FloatView x, Random random) {
  return params.start == KMeansParams::Start::plus_plus ? plus_plus(context, x, params.clusters, random)
                                                        : gather_rows(x, random.choose(x.rows(), params.clusters));
}

}  // namespace

KMeansResult kmeans(const Context& context, const KMeansParams& params, FloatView x) {
  if (params.clusters == 0) throw usage_error("k-means needs at least 1 cluster");
  if (x.rows() < params.clusters)
    throw input_error("asked for " + std::to_string(params.clusters) + " clusters, but there are only " +
                      std::to_string(x.rows()) + " images; ask for fewer with -k");
  if constexpr (with_cuda)
    if (x.on_device()) return cuda::kmeans(context, params, x);
  const Rows rows{x, squared_norms(x)};
  const double least_shift = params.tolerance > 0 ? params.tolerance * mean_variance(context, rows) : 0;
  KMeansResult best;
  for (std::size_t start = 0; start < std::max<std::size_t>(1, params.starts); ++start) {
    KMeansResult result = run_from(context, params.iterations, least_shift, rows,
                                   start_centres(context, params, x, Random(context.seed(), start + 1)));
    if (start == 0 || result.inertia < best.inertia) best = std::move(result);
  }
  return best;
}

Placed place_by_centres(const Context& context, FloatView centres, FloatView x) {
  const std::size_t n = x.rows();
  Placed placed{std::vector<Label>(n), std::vector<float>(n, 1), std::vector<float>(n)};
  const Neighbours near = nearest(context, Search::exact, std::min<std::size_t>(2, centres.rows()), x, centres);
  for (std::size_t i = 0; i < n; ++i) {
    placed.labels[i] = near.indices(i, 0);
    placed.distances[i] = near.distances(i, 0);
    if (centres.rows() > 1)
      placed.confidence[i] = near.distances(i, 1) > 0 ? 1 - near.distances(i, 0) / near.distances(i, 1) : 0;
  }
  return placed;
}

FloatMatrix probabilities_by_centres(const Context& context, FloatView centres, FloatView x) {
  constexpr double least = 1e-20;  // on a centre
  FloatMatrix result(x.rows(), centres.rows());
  const Neighbours all = nearest(context, Search::exact, centres.rows(), x, centres);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    double sum = 0;
    for (const float d : all.distances.row(i)) sum += 1 / std::max(double{d}, least);
    for (std::size_t j = 0; j < centres.rows(); ++j)
      result(i, static_cast<std::size_t>(all.indices(i, j))) =
          static_cast<float>(1 / std::max(double{all.distances(i, j)}, least) / sum);
  }
  return result;
}

Clustering cluster_kmeans(const Context& context, const KMeansParams& params, FloatView x, KMeansRule& rule) {
  rule.centres = kmeans(context, params, x).centres;
  Placed placed = place_by_centres(context, rule.centres, x);
  Clustering clustering{.labels = std::move(placed.labels),
                        .confidence = std::move(placed.confidence),
                        .outliers = std::vector<std::uint8_t>(x.rows()),
                        .distances = std::move(placed.distances),
                        .clusters = params.clusters};
  rule.renamed = order_by_size(clustering);
  return clustering;
}

Clustering cluster_kmeans(const Context& context, const KMeansParams& params, FloatView x) {
  KMeansRule rule;
  return cluster_kmeans(context, params, x, rule);
}

}  // namespace pssc
