#include <pssc/clustering.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace pssc {

namespace {

SparseSymmetric neighbour_graph(const Context& context, FloatView x, std::size_t k) {
  context.report("neighbours", 0, 0);
  const Neighbours found = nearest(context, Search::exact, std::min(k, x.rows()), x, x);
  std::vector<SparseSymmetric::Entry> entries;
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (const std::int32_t j : found.indices.row(i)) {
      const auto row = static_cast<std::int32_t>(i);
      if (j == row) continue;
      entries.push_back({row, j, 0.5});
      entries.push_back({j, row, 0.5});
    }
  return {x.rows(), std::move(entries)};
}

}  // namespace

Clustering spectral_of_neighbours(const Context& context, const SpectralParams& params, FloatView x) {
  const std::size_t n = x.rows(), C = params.clusters;
  if (n <= C)
    throw input_error(fmt::format("asked for {} clusters, but there are only {} images; ask for fewer with -k", C, n));
  SparseSymmetric L = neighbour_graph(context, x, params.neighbours);
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) {
    double degree = 0;
    for (const double w : L.row_values(i)) degree += w;
    scale[i] = degree > 0 ? 1 / std::sqrt(degree) : 1;
  }
  L.scale(scale);
  context.report("eigenvectors", 0, 0);
  const Eigenpairs pairs = leading_eigenpairs(context, L, C);
  FloatMatrix u(n, C);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < C; ++c) u(i, c) = static_cast<float>(pairs.vectors(c, i) * scale[i]);
  Clustering result =
      cluster_kmeans(context, {.clusters = C, .starts = params.starts, .iterations = 300, .tolerance = 1e-4}, u);
  result.eigenvalues = pairs.values;
  return result;
}

}  // namespace pssc
