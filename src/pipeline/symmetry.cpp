#include "symmetry.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/parallel.hpp>

#include <algorithm>

namespace pssc {

namespace {

/// Of each row, the nearest of the points but the one of its own number.
struct NearestOther {
  std::vector<std::int32_t> which;
  std::vector<float> distances;  ///< squared

  NearestOther(const Context& context, FloatView rows, FloatView points) : which(rows.rows()), distances(rows.rows()) {
    const Neighbours two = nearest(context, Search::exact, 2, rows, points);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::size_t at = two.indices(i, 0) == static_cast<std::int32_t>(i) ? 1 : 0;
      which[i] = two.indices(i, at);
      distances[i] = two.distances(i, at);
    }
  }
};

/// The share of the rows that are nearer than before; of those that are as near as before, half.
double share_nearer(const std::vector<float>& now, const std::vector<float>& before) {
  double nearer = 0;
  for (std::size_t i = 0; i < now.size(); ++i) nearer += now[i] < before[i] ? 1 : now[i] == before[i] ? 0.5 : 0;
  return nearer / static_cast<double>(now.size());
}

}  // namespace

TurnedImages turn_images(const Context& context, FeatureSource& source, const Projection& projection,
                         std::span<const std::size_t> which) {
  const std::vector<float> pixels = source.pixels(which);
  const CanvasShape shape = source.canvas();
  const std::size_t numbers = shape.numbers(), count = pixels.size() / numbers;
  TurnedImages result;
  if (count < 3) return result;
  const FloatMatrix points = to_host(project(context, projection, source.features(pixels)));
  const NearestOther upright(context, points, points);

  const Ignored all{.changes = {}, .rotate = true, .flip = true};
  const std::size_t turns = poses(all) / 2;
  const auto turn = [&](std::size_t pose, std::vector<std::int32_t>& neighbours) {
    context.report("mirrored and turned", 0, 0);
    std::vector<float> turned(pixels.size());
    parallel_blocks(context, count, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        apply_pose(all, pose, shape, std::span(pixels).subspan(i * numbers, numbers),
                   std::span(turned).subspan(i * numbers, numbers));
    });
    NearestOther found(context, to_host(project(context, projection, source.features(turned))), points);
    neighbours = std::move(found.which);
    return share_nearer(found.distances, upright.distances);
  };
  result.symmetry = {.mirror = turn(turns, result.mirrored),
                     .half_turn = turn(turns / 2, result.half_turned),
                     .quarter_turn = turn(turns / 4, result.quarter_turned)};
  return result;
}

double share_moved(std::span<const Label> labels, std::span<const std::int32_t> nearest, std::size_t clusters) {
  Matrix<std::size_t> counts(clusters, clusters);
  for (std::size_t i = 0; i < labels.size(); ++i)
    ++counts(static_cast<std::size_t>(labels[i]),
             static_cast<std::size_t>(labels[static_cast<std::size_t>(nearest[i])]));
  std::size_t moved = 0;
  for (std::size_t c = 0; c < clusters; ++c) {
    std::size_t all = 0, most = 0;
    for (const std::size_t some : counts.row(c)) all += some, most = std::max(most, some);
    if (counts(c, c) < most) moved += all;
  }
  return static_cast<double>(moved) / static_cast<double>(labels.size());
}

}  // namespace pssc
