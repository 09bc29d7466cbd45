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

struct Assignment {
  std::vector<Label> labels;
  std::vector<float> distances;  ///< squared, to the own centre
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
void reassign(const Context& context, const Rows& rows, FloatView centres, const std::vector<std::uint8_t>& moved,
              Assignment& result) {
  std::vector<std::size_t> movers;
  for (std::size_t c = 0; c < moved.size(); ++c)
    if (moved[c]) movers.push_back(c);
  if (2 * movers.size() > moved.size()) return assign(context, rows, centres, result);
  const FloatMatrix moved_centres = gather_rows(centres, movers);
  const std::vector<float> norms = squared_norms(centres), moved_norms = squared_norms(moved_centres);
  parallel_blocks(context, rows.x.rows(), row_unit, [&](std::size_t begin, std::size_t end) {
    std::vector<std::size_t> rooted, uprooted;
    for (std::size_t i = begin; i < end; ++i)
      (moved[static_cast<std::size_t>(result.labels[i])] ? uprooted : rooted).push_back(i);
    compare_in_block(rows, uprooted, centres, norms, [&](std::size_t i, std::span<const float> distances) {
      const auto least = std::ranges::min_element(distances);
      result.labels[i] = static_cast<Label>(least - distances.begin());
      result.distances[i] = *least;
    });
    if (movers.empty()) return;
    compare_in_block(rows, rooted, moved_centres, moved_norms, [&](std::size_t i, std::span<const float> distances) {
      const auto least = std::ranges::min_element(distances);
      const auto c = static_cast<Label>(movers[static_cast<std::size_t>(least - distances.begin())]);
      if (*least > result.distances[i] || (*least == result.distances[i] && c > result.labels[i])) return;
      result.labels[i] = c;
      result.distances[i] = *least;
    });
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
std::vector<std::uint8_t> move_centres(const Context& context, const Rows& rows, const Assignment& a,
                                       FloatMatrix& centres) {
  const std::size_t k = centres.rows(), d = centres.cols();
  const Members members(a.labels, k);
  std::vector<std::int64_t> sums(k * (d + 1));  // and behind them the counts
  parallel_blocks(context, k, 1, [&](std::size_t c, std::size_t) {
    std::int64_t* sum = sums.data() + c * d;
    for (std::size_t m = members.offsets[c]; m < members.offsets[c + 1]; ++m) {
      const float* row = rows.x.row(members.rows[m]).data();
      for (std::size_t j = 0; j < d; ++j) sum[j] += rows.grid(double{row[j]});
    }
    sums[k * d + c] = static_cast<std::int64_t>(members.offsets[c + 1] - members.offsets[c]);
  });
  context.ranks().sum(sums);

  std::vector<std::uint8_t> moved(k);
  std::vector<std::size_t> empty;
  for (std::size_t c = 0; c < k; ++c) {
    const auto count = static_cast<double>(sums[k * d + c]);
    if (count == 0) empty.push_back(c);
    if (count == 0) continue;
    for (std::size_t j = 0; j < d; ++j) {
      const auto mean = static_cast<float>(rows.grid.value(sums[c * d + j]) / count);
      moved[c] |= mean != centres(c, j);
      centres(c, j) = mean;
    }
  }
  if (empty.empty()) return moved;
  const FloatMatrix far = farthest_rows(context, rows, a.distances, empty.size());
  for (std::size_t e = 0; e < std::min(empty.size(), far.rows()); ++e) {
    std::ranges::copy(far.row(e), centres.row(empty[e]).begin());
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

/// Row `number` of all.
void fetch_row(const Context& context, FloatView x, const RowShare& share, std::size_t number, std::span<float> row) {
  const bool own = number >= share.first && number < share.first + x.rows();
  if (context.ranks().ranks() == 1) {
    std::ranges::copy(x.row(number), row.begin());
    return;
  }
  const double owner = largest_of_all(context, own ? static_cast<double>(context.ranks().rank()) : -1);
  if (own) std::ranges::copy(x.row(number - share.first), row.begin());
  context.ranks().broadcast(std::as_writable_bytes(row), static_cast<std::size_t>(owner));
}

/// Arthur and Vassilvitskii (2007): each next centre is a row, drawn in proportion to its squared distance to the
/// nearest centre so far.
FloatMatrix plus_plus(const Context& context, const Rows& rows, std::size_t clusters, Random& random) {
  const FloatView x = rows.x;
  const RowShare share = share_of_rows(context, x.rows());
  FloatMatrix centres(clusters, x.cols());
  std::vector<float> distance(x.rows(), std::numeric_limits<float>::max());
  std::size_t chosen = random.below(share.total);
  for (std::size_t c = 0;; ++c) {
    const auto centre = centres.row(c);
    fetch_row(context, x, share, chosen, centre);
    if (c + 1 == clusters) return centres;
    parallel_blocks(context, x.rows(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) distance[i] = std::min(distance[i], squared_distance(x.row(i), centre));
    });
    chosen = draw_row(context, distance, share, random);
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
    bounded_iterations(context, iterations, least_shift, rows, centres);
    iterations = 0;
  }
  assign(context, rows, centres, current);
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
    const std::vector<Label> before = current.labels;
    const FloatMatrix old = least_shift > 0 ? centres.copy() : FloatMatrix();
    reassign(context, rows, centres, move_centres(context, rows, current, centres), current);
    const bool settled = sum_of_all(context, current.labels != before) == 0;
    if (settled || (least_shift > 0 && shift(old, centres) <= least_shift)) break;
  }
  const double inertia = sum_of_values(context, current.distances);
  return {std::move(current.labels), std::move(centres), inertia};
}

/// The mean of the columns' variances.
double mean_variance(const Context& context, const Rows& rows) {
  double sum = sum_of_values(context, rows.norms) / static_cast<double>(rows.total);
  for (const float m : column_means(context, rows.x)) sum -= double{m} * double{m};
  return std::max(0.0, sum / static_cast<double>(rows.x.cols()));
}

FloatMatrix start_centres(const Context& context, const KMeansParams& params, const Rows& rows, Random random) {
  if (params.start == KMeansParams::Start::plus_plus) return plus_plus(context, rows, params.clusters, random);
  return rows_for_all(context, rows.x, random.choose(rows.total, params.clusters));
}

/// The centres are found on some of the n rows; all are placed.
KMeansResult kmeans_of_some(const Context& context, KMeansParams params, FloatView x, std::size_t n) {
  constexpr std::uint64_t stream = 0x736f6d65;
  Random random(context.seed(), stream);
  std::vector<std::size_t> some = random.choose(n, params.images_each * params.clusters);
  std::ranges::sort(some);
  params.images_each = 0;
  KMeansResult result = kmeans(context, params, pick_rows(context, x, some));
  Placed placed = place_by_centres(context, result.centres, x);
  result.labels = std::move(placed.labels);
  result.inertia = sum_of_values(context, placed.distances);
  return result;
}

}  // namespace

Rows::Rows(const Context& context, FloatView rows)
    : x(rows),
      norms(squared_norms(rows)),
      total(sum_of_all(context, rows.rows())),
      grid(largest_size(context, rows), total) {}

std::size_t draw_row(const Context& context, const std::vector<float>& weights, const RowShare& share, Random& random) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const std::uint64_t race = random.bits();
  double least = never, first = never;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double weight{weights[i]}, u = Random::uniform_at(race, share.first + i);
    if (weight <= 0 || u >= least * weight) continue;  // -log(1 - u) >= u: too late, without the logarithm
    const double time = -std::log1p(-u) / weight;
    if (time >= least) continue;
    least = time;
    first = static_cast<double>(share.first + i);
  }
  const double least_of_all = -largest_of_all(context, -least);
  if (least_of_all == never) return Random(race).below(share.total);  // fewer different rows than clusters
  return static_cast<std::size_t>(-largest_of_all(context, least == least_of_all ? -first : -never));
}

FloatMatrix farthest_rows(const Context& context, const Rows& rows, const std::vector<float>& distances,
                          std::size_t count) {
  struct Far {
    std::size_t row;
    float distance;
  };
  const auto farther = [](const Far& a, const Far& b) {
    return a.distance != b.distance ? a.distance > b.distance : a.row < b.row;
  };
  const RowShare share = share_of_rows(context, rows.x.rows());
  std::vector<Far> far;
  for (std::size_t i = 0; i < distances.size(); ++i) far.push_back({share.first + i, distances[i]});
  const auto keep = [&] {
    const std::size_t kept = std::min(count, far.size());
    std::partial_sort(far.begin(), far.begin() + static_cast<std::ptrdiff_t>(kept), far.end(), farther);
    far.resize(kept);
  };
  keep();
  far = gather(context, far);
  keep();
  std::vector<std::size_t> named;
  for (const Far& f : far) named.push_back(f.row);
  return rows_for_all(context, rows.x, named);
}

KMeansResult kmeans(const Context& context, const KMeansParams& params, FloatView x) {
  if (params.clusters == 0) throw usage_error("k-means needs at least 1 cluster");
  const std::size_t n = sum_of_all(context, x.rows());
  if (n < params.clusters)
    throw input_error("asked for " + std::to_string(params.clusters) + " clusters, but there are only " +
                      std::to_string(n) + " images; ask for fewer with -k");
  if (params.images_each > 0 && n > params.images_each * params.clusters) return kmeans_of_some(context, params, x, n);
  if constexpr (with_cuda)
    if (x.on_device()) return cuda::kmeans(context, params, x);
  const Rows rows(context, x);
  const double least_shift = params.tolerance > 0 ? params.tolerance * mean_variance(context, rows) : 0;
  KMeansResult best;
  for (std::size_t start = 0; start < std::max<std::size_t>(1, params.starts); ++start) {
    KMeansResult result = run_from(context, params.iterations, least_shift, rows,
                                   start_centres(context, params, rows, Random(context.seed(), start + 1)));
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
  rule.renamed = order_by_size(context, clustering);
  return clustering;
}

Clustering cluster_kmeans(const Context& context, const KMeansParams& params, FloatView x) {
  KMeansRule rule;
  return cluster_kmeans(context, params, x, rule);
}

}  // namespace pssc
