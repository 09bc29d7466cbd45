#include "map.hpp"

#include <pssc/core/eigen.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace pssc {

namespace {

constexpr std::size_t members_used = 1000;  // of a cluster, for the directions in which it varies

/// Classical scaling: points in a plane whose distances are as near as may be to those of the means.
FloatMatrix scaled_to_plane(const Context& context, const FloatMatrix& means) {
  const std::size_t k = means.rows();
  FloatMatrix plane(k, 2), centred = means.copy(), products(k, k);
  if (k < 2) return plane;
  const std::vector<float> middle = column_means(context, means);
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t j = 0; j < middle.size(); ++j) centred(a, j) -= middle[j];
  multiply_transposed(context, centred, centred, products);
  Matrix<double> gram(k, k);
  std::copy_n(products.data(), products.size(), gram.data());
  const Eigenpairs pairs = leading_eigenpairs(context, gram, 2);
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t v = 0; v < 2; ++v)
      plane(a, v) = static_cast<float>(pairs.vectors(v, a) * std::sqrt(std::max(0.0, pairs.values[v])));
  return plane;
}

/// Moves discs that overlap away from each other until none does, or long enough.
void push_apart(FloatMatrix& centres, const std::vector<float>& radii) {
  constexpr double pairs_at_most = 4e8;  // a second's work; with thousands of clusters some may overlap
  constexpr float gap = 1.15F;
  const auto k = static_cast<double>(std::max<std::size_t>(1, radii.size()));
  const int rounds = static_cast<int>(std::clamp(pairs_at_most / (k * k), 5.0, 2000.0));
  for (int round = 0; round < rounds; ++round) {
    bool moved = false;
    for (std::size_t a = 0; a < radii.size(); ++a)
      for (std::size_t b = a + 1; b < radii.size(); ++b) {
        float dx = centres(b, 0) - centres(a, 0), dy = centres(b, 1) - centres(a, 1);
        float distance = std::hypot(dx, dy);
        const float wanted = gap * (radii[a] + radii[b]);
        if (distance >= wanted) continue;
        if (distance < 1e-6F) {  // on top of each other: any way will do, but always the same
          const auto angle = static_cast<float>(a + 7 * b);
          dx = std::cos(angle), dy = std::sin(angle), distance = 1;
        }
        const float push = 0.25F * (wanted - std::min(distance, wanted)) / distance;
        centres(a, 0) -= push * dx, centres(a, 1) -= push * dy;
        centres(b, 0) += push * dx, centres(b, 1) += push * dy;
        moved = true;
      }
    if (!moved) return;
  }
}

/// Draws the discs' centres together until they nearly touch, then fits all into the unit square.
void arrange(MapRule& map, const std::vector<std::size_t>& sizes) {
  const std::size_t k = sizes.size();
  const double total = std::max(1.0, std::accumulate(sizes.begin(), sizes.end(), 0.0));
  float spread = 1e-6F;
  for (std::size_t a = 0; a < map.centres.size(); ++a) spread = std::max(spread, std::abs(map.centres.data()[a]));
  for (std::size_t a = 0; a < k; ++a)
    map.radii.push_back(static_cast<float>(std::sqrt((static_cast<double>(sizes[a]) + 1) / total)));
  for (std::size_t a = 0; a < map.centres.size(); ++a) map.centres.data()[a] *= 0.7F / spread;
  push_apart(map.centres, map.radii);

  float low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t v = 0; v < 2; ++v) {
      low[v] = std::min(low[v], map.centres(a, v) - map.radii[a]);
      high[v] = std::max(high[v], map.centres(a, v) + map.radii[a]);
    }
  const float side = 1.1F * std::max({high[0] - low[0], high[1] - low[1], 1e-6F});
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t v = 0; v < 2; ++v) map.centres(a, v) = 0.5F + (map.centres(a, v) - (low[v] + high[v]) / 2) / side;
    map.radii[a] /= side;
  }
}

}  // namespace

namespace {

/// The first of each cluster that the directions are taken from, as rows of this rank; and how many each has in all.
std::vector<std::vector<std::size_t>> first_members(const Context& context, const std::vector<Label>& labels,
                                                    std::vector<std::size_t>& sizes) {
  const std::size_t clusters = sizes.size();
  std::vector<std::vector<std::size_t>> members(clusters);
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= 0) members[static_cast<std::size_t>(labels[i])].push_back(i);
  std::vector<std::size_t> own;
  for (const auto& m : members) own.push_back(m.size());
  const std::vector<std::size_t> all = gather(context, own);  // [ranks x clusters]
  for (std::size_t c = 0; c < clusters; ++c) {
    std::size_t before = 0;
    for (std::size_t r = 0; r < context.ranks().ranks(); ++r) {
      if (r == context.ranks().rank())
        members[c].resize(std::min(members[c].size(), members_used - std::min(members_used, before)));
      before += all[r * clusters + c];
    }
    sizes[c] = before;
  }
  return members;
}

}  // namespace

MapRule fit_map(const Context& context, FloatView y, const std::vector<Label>& labels, std::size_t clusters) {
  MapRule map{FloatMatrix(clusters, y.cols()), FloatMatrix(2 * clusters, y.cols()), {}, {}};
  const Matrix<double> means = cluster_means(context, y, labels, clusters);
  std::transform(means.data(), means.data() + means.size(), map.means.data(),
                 [](double m) { return static_cast<float>(m); });
  std::vector<std::size_t> sizes(clusters);
  const std::vector<std::vector<std::size_t>> members = first_members(context, labels, sizes);
  const bool first = context.ranks().rank() == 0, one = context.ranks().ranks() == 1;
  const Context alone = context.alone();
  for (std::size_t c = 0; c < clusters; ++c) {
    FloatMatrix rows = gather_rows(y, members[c]);
    if (!one) rows = gather_matrix_at_first(context, rows);
    if (first)
      copy_into(leading_axes(alone, std::move(rows), 2).view(), map.directions.view().row_range(2 * c, 2 * c + 2));
  }
  if (first) {
    map.centres = scaled_to_plane(alone, map.means);
    arrange(map, sizes);
  }
  broadcast(context, map.directions);
  broadcast(context, map.centres);
  broadcast(context, map.radii);
  return map;
}

void MapRule::place(const Context& context, FloatView y, const std::vector<Label>& labels,
                    MatrixView<float> positions) const {
  const FloatMatrix scores = scores_along_own(context, y, labels, means, directions);
  parallel_blocks(context, y.rows(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (labels[i] < 0) {  // in a row along the edge, by the golden ratio so that neighbours do not coincide
        positions(i, 0) = static_cast<float>(std::fmod(static_cast<double>(i) * std::numbers::phi, 1.0));
        positions(i, 1) = 0.01F;
        continue;
      }
      const auto c = static_cast<std::size_t>(labels[i]);
      const auto at = scores.row(i);
      // Two deviations reach to three quarters of the disc, and nothing leaves it.
      const float length = std::hypot(at[0], at[1]), squashed = length > 0 ? std::tanh(length / 2) / length : 0;
      for (std::size_t v = 0; v < 2; ++v)
        positions(i, v) = std::clamp(centres(c, v) + radii[c] * squashed * at[v], 0.0F, 1.0F);
    }
  });
}

}  // namespace pssc
