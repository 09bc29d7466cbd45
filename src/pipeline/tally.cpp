#include "tally.hpp"

#include <pssc/core/spread.hpp>

#include <algorithm>

namespace pssc {

namespace {

/// Images in cluster a, the last row those in none, and class b, over all ranks.
Matrix<std::int64_t> confusion(const Context& context, const Run& run, std::size_t classes) {
  const std::size_t clusters = run.clustering.clusters;
  Matrix<std::int64_t> counts(clusters + 1, classes);
  for (std::size_t i = 0; i < run.clustering.labels.size(); ++i) {
    const Label l = run.clustering.labels[i];
    ++counts(l < 0 ? clusters : static_cast<std::size_t>(l), static_cast<std::size_t>(run.truth->values[i]));
  }
  context.ranks().sum({counts.data(), counts.size()});
  return counts;
}

}  // namespace

void tally(const Context& context, Run& run) {
  const Clustering& c = run.clustering;
  const std::size_t k = c.clusters;
  const Grid grid(1, std::max<std::size_t>(run.count, 1));
  // Sizes, outliers and confidence of each, then noise, then all outliers.
  std::vector<std::int64_t> sums(3 * k + 2);
  for (std::size_t i = 0; i < c.labels.size(); ++i) {
    sums[3 * k + 1] += c.outliers[i];
    if (c.labels[i] < 0) ++sums[3 * k];
    if (c.labels[i] < 0) continue;
    std::int64_t* own = sums.data() + 3 * static_cast<std::size_t>(c.labels[i]);
    ++own[0];
    own[1] += c.outliers[i];
    own[2] += grid(double{c.confidence[i]});
  }
  context.ranks().sum(sums);
  Tally& t = run.tally;
  t = {};
  for (std::size_t a = 0; a < k; ++a) {
    t.sizes.push_back(static_cast<std::size_t>(sums[3 * a]));
    t.outliers.push_back(static_cast<std::size_t>(sums[3 * a + 1]));
    t.confidence.push_back(grid.value(sums[3 * a + 2]) / std::max(1.0, static_cast<double>(sums[3 * a])));
  }
  t.noise = static_cast<std::size_t>(sums[3 * k]);
  t.all_outliers = static_cast<std::size_t>(sums[3 * k + 1]);
  if (!run.truth) return;
  const Matrix<std::int64_t> counts = confusion(context, run, run.truth->names.size());
  if (run.count > 0) run.metrics = evaluate(counts);
  t.truth = Matrix<std::int64_t>(k, counts.cols());
  std::copy_n(counts.data(), t.truth.size(), t.truth.data());
}

}  // namespace pssc
