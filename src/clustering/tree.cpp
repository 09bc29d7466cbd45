// How clusters hang together, and the tree in which they join.
#include <pssc/clustering.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace pssc {

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

namespace {

constexpr double tiny = 1e-12;

/// A join as it was made, before the ties of a branch are made to fall towards the root.
struct Made {
  std::size_t one, other;  ///< groups: clusters, then joins in the order they were made
  double tie;
};

/// Average linkage: the two groups with the most weight between them, in units of what chance would give.
std::vector<Made> join_all(Matrix<double> w) {
  const std::size_t n = w.rows();
  const double total = std::accumulate(w.data(), w.data() + w.size(), 0.0);
  std::vector<std::size_t> alive(n), group(n);
  std::iota(alive.begin(), alive.end(), 0);
  std::iota(group.begin(), group.end(), 0);
  std::vector<Made> made;
  while (alive.size() > 1) {
    std::vector<double> volume(n, tiny);
    for (const std::size_t a : alive)
      for (const std::size_t b : alive) volume[a] += w(a, b);
    std::size_t into = alive[0], from = alive[1];
    double most = -1;
    for (std::size_t i = 0; i < alive.size(); ++i)
      for (std::size_t j = i + 1; j < alive.size(); ++j) {
        const std::size_t a = alive[i], b = alive[j];
        const double tie = w(a, b) * total / static_cast<double>(alive.size()) / (volume[a] * volume[b]);
        if (tie > most) most = tie, into = a, from = b;
      }
    for (std::size_t c = 0; c < n; ++c) w(into, c) += w(from, c);
    for (std::size_t c = 0; c < n; ++c) w(c, into) += w(c, from);
    std::erase(alive, from);
    made.push_back({group[into], group[from], most});
    group[into] = n + made.size() - 1;
  }
  return made;
}

}  // namespace

std::vector<Merge> merge_tree(const Matrix<double>& weights) {
  const std::size_t n = weights.rows();
  const std::vector<Made> made = join_all(weights.copy());
  // A join is no weaker than the one above it: then cutting at any tie gives a partition.
  std::vector<double> tie(made.size());
  for (std::size_t t = 0; t < made.size(); ++t) tie[t] = made[t].tie;
  for (std::size_t t = made.size(); t-- > 0;)
    for (const std::size_t child : {made[t].one, made[t].other})
      if (child >= n) tie[child - n] = std::max(tie[child - n], tie[t]);
  std::vector<std::size_t> order(made.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t t) { return tie[t]; });
  std::vector<std::size_t> number(made.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = n + i;
  const auto renamed = [&](std::size_t group) { return group < n ? group : number[group - n]; };
  std::vector<Merge> merges;
  for (const std::size_t t : order) merges.push_back({renamed(made[t].one), renamed(made[t].other), tie[t]});
  return merges;
}

std::vector<std::size_t> cut_tree(const std::vector<Merge>& merges, std::size_t groups) {
  const std::size_t n = merges.size() + 1;
  std::vector<std::size_t> of(n + merges.size());
  std::iota(of.begin(), of.end(), 0);
  for (std::size_t t = 0; n - t > std::max<std::size_t>(1, groups); ++t)
    for (std::size_t& g : of)
      if (g == merges[t].one || g == merges[t].other) g = n + t;
  std::vector<std::size_t> result(n), name(of.size(), std::numeric_limits<std::size_t>::max());
  std::size_t next = 0;
  for (std::size_t a = 0; a < n; ++a) {
    if (name[of[a]] == std::numeric_limits<std::size_t>::max()) name[of[a]] = next++;
    result[a] = name[of[a]];
  }
  return result;
}

}  // namespace pssc
