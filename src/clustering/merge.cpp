#include <pssc/clustering.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <numeric>

namespace pssc {

namespace {

/// w(a,b) = q_a D^-1 q_b: how much weight two clusters share through representatives.
Matrix<double> shared_weights(const Context& context, const ReducedGraph& graph, const std::vector<Label>& labels,
                              std::size_t clusters) {
  const std::size_t p = graph.representatives.rows();
  const Grid grid(1, sum_of_all(context, labels.size()));
  std::vector<std::int64_t> sums(clusters * p);
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t j = 0; j < graph.indices.cols(); ++j)
      sums[static_cast<std::size_t>(labels[i]) * p + static_cast<std::size_t>(graph.indices(i, j))] +=
          grid(double{graph.weights(i, j)});
  context.ranks().sum(sums);
  Matrix<double> q(clusters, p);
  std::vector<double> D(p);
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t r = 0; r < p; ++r) D[r] += q(a, r) = grid.value(sums[a * p + r]);
  Matrix<double> w(clusters, clusters);
  for (std::size_t a = 0; a < clusters; ++a)
    for (std::size_t b = 0; b < clusters; ++b)
      for (std::size_t r = 0; r < p; ++r) w(a, b) += q(a, r) * q(b, r) / std::max(D[r], 1e-10);
  return w;
}

Merge most_tied(const Matrix<double>& w, const std::vector<std::size_t>& alive) {
  std::vector<double> volume(w.rows());
  for (const std::size_t a : alive)
    for (const std::size_t b : alive) volume[a] += w(a, b);
  Merge best{alive[0], alive[1], -1};
  for (std::size_t i = 0; i < alive.size(); ++i)
    for (std::size_t j = i + 1; j < alive.size(); ++j) {
      const std::size_t a = alive[i], b = alive[j];
      const double tie = w(a, b) / std::max(std::min(volume[a], volume[b]), 1e-300);
      if (tie > best.tie) best = {a, b, tie};
    }
  return best;
}

}  // namespace

std::vector<Merge> merge_order(const Context& context, const ReducedGraph& graph, const std::vector<Label>& labels,
                               std::size_t clusters) {
  Matrix<double> w = shared_weights(context, graph, labels, clusters);
  std::vector<std::size_t> alive(clusters);
  std::iota(alive.begin(), alive.end(), 0);
  std::vector<Merge> merges;
  while (alive.size() > 1) {
    const Merge merge = most_tied(w, alive);
    for (std::size_t c = 0; c < clusters; ++c) w(merge.into, c) += w(merge.from, c);
    for (std::size_t c = 0; c < clusters; ++c) w(c, merge.into) += w(c, merge.from);
    std::erase(alive, merge.from);
    merges.push_back(merge);
  }
  return merges;
}

std::vector<Label> merged_labels(const std::vector<Label>& labels, const std::vector<Merge>& merges,
                                 std::size_t target) {
  const std::size_t clusters = merges.size() + 1;
  std::vector<std::size_t> group(clusters);
  std::iota(group.begin(), group.end(), 0);
  for (std::size_t m = 0; clusters - m > target; ++m) std::ranges::replace(group, merges[m].from, merges[m].into);
  std::vector<Label> number(clusters, -1);
  Label next = 0;
  for (const std::size_t g : group)
    if (number[g] < 0) number[g] = next++;
  std::vector<Label> result(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) result[i] = number[group[static_cast<std::size_t>(labels[i])]];
  return result;
}

}  // namespace pssc
