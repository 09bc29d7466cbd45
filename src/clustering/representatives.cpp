#include <pssc/clustering.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>

#include <algorithm>
#include <numeric>

namespace pssc {

namespace {

/// Sculley's (2010) mini-batch k-means: a centre moves to each row of a batch that is nearest to it, by a step of one
/// over the rows it has seen. Ends after 100 passes, or when ten batches have brought no better smoothed inertia.
FloatMatrix mini_batch_centres(const Context& context, FloatView x, std::size_t clusters, Random& random) {
  constexpr std::size_t passes = 100, batches_a_pass = 20, patience = 10;
  const std::size_t batch = std::max<std::size_t>(1, x.rows() / batches_a_pass);
  FloatMatrix centres = gather_rows(x, random.choose(x.rows(), clusters));
  std::vector<double> seen(clusters);
  double smoothed = -1, best = -1;
  for (std::size_t step = 0, stale = 0; step < passes * batches_a_pass && stale < patience; ++step) {
    std::vector<std::size_t> rows(batch);
    for (auto& r : rows) r = random.below(x.rows());
    const FloatMatrix sample = gather_rows(x, rows);
    const Neighbours own = nearest(context, Search::exact, 1, sample, centres);
    double inertia = 0;
    for (std::size_t i = 0; i < batch; ++i) {
      const auto c = static_cast<std::size_t>(own.indices(i, 0));
      inertia += own.distances(i, 0);
      const auto rate = static_cast<float>(1 / ++seen[c]);
      auto centre = centres.row(c);
      for (std::size_t j = 0; j < centre.size(); ++j) centre[j] += rate * (sample(i, j) - centre[j]);
    }
    const double weight = std::min(1.0, 2.0 * static_cast<double>(batch) / static_cast<double>(x.rows() + 1));
    smoothed = smoothed < 0 ? inertia : smoothed * (1 - weight) + inertia * weight;
    stale = best < 0 || smoothed < best ? 0 : stale + 1;
    best = best < 0 ? smoothed : std::min(best, smoothed);
  }
  return centres;
}

}  // namespace

FloatMatrix choose_representatives(const Context& context, const USpecParams& params, FloatView x) {
  constexpr std::uint64_t stream = 0x7265707265736e74;  // apart from the streams of k-means
  Random random(context.seed(), stream);
  context.report("representatives", 0, 0);
  if (params.as_published_code) {
    std::vector<std::size_t> rows(std::min(params.candidates, x.rows()));
    for (auto& r : rows) r = random.below(x.rows());  // with replacement
    return mini_batch_centres(context, gather_rows(x, rows), params.representatives, random);
  }
  const KMeansParams lloyd{.clusters = params.representatives,
                           .starts = 1,
                           .iterations = params.lloyd_iterations,
                           .start = KMeansParams::Start::sample};
  if (params.candidates >= x.rows()) return kmeans(context, lloyd, x).centres;
  auto rows = random.choose(x.rows(), params.candidates);
  std::ranges::sort(rows);
  return kmeans(context, lloyd, gather_rows(x, rows)).centres;
}

}  // namespace pssc
