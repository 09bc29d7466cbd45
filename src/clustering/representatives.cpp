#include <pssc/clustering.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pssc {

namespace {

/// k-means++ among the rows of x, greedy: of a few rows drawn in proportion to their squared distances to the nearest
/// centre so far, the one that lowers the sum of those distances most.
std::vector<std::size_t> greedy_plus_plus(const Context& context, FloatView x, std::size_t clusters, Random& random) {
  const std::size_t n = x.rows(), trials = 2 + static_cast<std::size_t>(std::log(clusters));
  FloatMatrix distances(n, n);
  const std::vector<float> norms = squared_norms(x);
  parallel_blocks(context, n, 256, [&](std::size_t begin, std::size_t end) {
    squared_distances(x.row_range(begin, end), x, norms, distances.view().row_range(begin, end));
  });
  std::vector<std::size_t> chosen{random.below(n)};
  std::vector<float> to_nearest(distances.row(chosen[0]).begin(), distances.row(chosen[0]).end());
  std::vector<double> sums(n);
  while (chosen.size() < clusters) {
    std::partial_sum(to_nearest.begin(), to_nearest.end(), sums.begin(), [](double sum, double d) { return sum + d; });
    std::size_t best = 0;
    double least = -1;
    for (std::size_t t = 0; t < trials; ++t) {
      const auto at = std::ranges::upper_bound(sums, random.uniform() * sums.back());
      const std::size_t candidate = std::min(n - 1, static_cast<std::size_t>(at - sums.begin()));
      double left = 0;
      for (std::size_t j = 0; j < n; ++j) left += std::min(to_nearest[j], distances(candidate, j));
      if (least < 0 || left < least) {
        least = left;
        best = candidate;
      }
    }
    chosen.push_back(best);
    for (std::size_t j = 0; j < n; ++j) to_nearest[j] = std::min(to_nearest[j], distances(best, j));
  }
  return chosen;
}

/// Centres that are the means of all rows that were nearest to them when they came by.
struct MovingCentres {
  FloatMatrix centres;
  std::vector<double> seen;  ///< rows of each

  double inertia(const Context& context, FloatView rows) const {
    const Neighbours own = nearest(context, Search::exact, 1, rows, centres);
    return std::accumulate(own.distances.data(), own.distances.data() + rows.rows(), 0.0);
  }

  /// Returns the inertia before the move. With `draw`, centres that have seen less than a hundredth of what the
  /// foremost has start anew at rows of the batch.
  double move(const Context& context, FloatView batch, Random* draw) {
    const Neighbours own = nearest(context, Search::exact, 1, batch, centres);
    if (draw) restart_idle(batch, *draw);
    double sum = 0;
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      const auto c = static_cast<std::size_t>(own.indices(i, 0));
      sum += own.distances(i, 0);
      const auto rate = static_cast<float>(1 / ++seen[c]);
      auto centre = centres.row(c);
      for (std::size_t j = 0; j < centre.size(); ++j) centre[j] += rate * (batch(i, j) - centre[j]);
    }
    return sum;
  }

  void restart_idle(FloatView batch, Random& random) {
    constexpr double idle = 0.01;
    const double limit = idle * std::ranges::max(seen);
    std::vector<std::size_t> order(seen.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t c) { return seen[c]; });
    const auto end = std::ranges::find_if(order, [&](std::size_t c) { return seen[c] >= limit; });
    const std::size_t count = std::min(static_cast<std::size_t>(end - order.begin()), batch.rows() / 2);
    const std::vector<std::size_t> rows = random.choose(batch.rows(), count);
    for (std::size_t i = 0; i < count; ++i) {
      std::ranges::copy(batch.row(rows[i]), centres.row(order[i]).begin());
      seen[order[i]] = seen[order[count]];
    }
  }
};

FloatMatrix draw_rows(FloatView x, std::size_t count, Random& random) {
  std::vector<std::size_t> rows(count);
  for (auto& r : rows) r = random.below(x.rows());
  return gather_rows(x, rows);
}

/// Sculley's (2010) mini-batch k-means as scikit-learn 0.23 has it, which the authors' program calls: the best of three
/// greedy k-means++ starts on a few rows, then batches until ten of them have brought no better smoothed inertia, 100
/// passes at most.
FloatMatrix mini_batch_centres(const Context& context, FloatView x, std::size_t clusters, Random& random) {
  constexpr std::size_t passes = 100, batches_a_pass = 20, patience = 10, starts = 3;
  const std::size_t n = x.rows(), batch = std::max<std::size_t>(1, n / batches_a_pass);
  const std::size_t first_rows = std::min(n, 3 * (3 * batch < clusters ? clusters : batch));
  const FloatMatrix judged_by = draw_rows(x, std::min(n, 3 * batch), random);
  MovingCentres best;
  double least = -1;
  for (std::size_t s = 0; s < starts; ++s) {
    const FloatMatrix sample = first_rows < n ? draw_rows(x, first_rows, random) : gather_rows(x, random.choose(n, n));
    MovingCentres start{gather_rows(sample.view(), greedy_plus_plus(context, sample, clusters, random)),
                        std::vector<double>(clusters)};
    start.move(context, judged_by, nullptr);
    const double inertia = start.inertia(context, judged_by);
    if (least >= 0 && inertia >= least) continue;
    least = inertia;
    best = std::move(start);
  }

  const double weight = std::min(1.0, 2.0 * static_cast<double>(batch) / static_cast<double>(n + 1));
  double smoothed = -1, lowest = -1;
  for (std::size_t step = 0, stale = 0; step < passes * batches_a_pass && stale < patience; ++step) {
    const FloatMatrix rows = draw_rows(x, batch, random);
    const auto rest = 10 + static_cast<std::size_t>(std::ranges::min(best.seen));
    const double inertia = best.move(context, rows, (step + 1) % rest == 0 ? &random : nullptr);
    smoothed = smoothed < 0 ? inertia : smoothed * (1 - weight) + inertia * weight;
    stale = lowest < 0 || smoothed < lowest ? 0 : stale + 1;
    lowest = lowest < 0 ? smoothed : std::min(lowest, smoothed);
  }
  return std::move(best.centres);
}

}  // namespace

FloatMatrix choose_representatives(const Context& context, const USpecParams& params, FloatView x) {
  constexpr std::uint64_t stream = 0x7265707265736e74;  // apart from the streams of k-means
  Random random(context.seed(), stream);
  context.report("representatives", 0, 0);
  const std::size_t n = sum_of_all(context, x.rows());
  if (params.as_published_code) {
    std::vector<std::size_t> drawn(std::min(params.candidates, n));
    for (auto& r : drawn) r = random.below(n);  // with replacement
    const FloatMatrix candidates = to_host(rows_for_all(context, x, drawn));
    FloatMatrix centres;
    once_alone(context, [&](const Context& alone) {
      centres = mini_batch_centres(alone, candidates, params.representatives, random);
    });
    broadcast(context, centres);
    return centres;
  }
  const KMeansParams lloyd{.clusters = params.representatives,
                           .starts = 1,
                           .iterations = params.lloyd_iterations,
                           .start = KMeansParams::Start::sample};
  if (params.candidates >= n) return kmeans(context, lloyd, x).centres;
  auto rows = random.choose(n, params.candidates);
  std::ranges::sort(rows);
  return kmeans(context, lloyd, pick_rows(context, x, rows)).centres;
}

}  // namespace pssc
