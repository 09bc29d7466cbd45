#include "symmetry.hpp"

#include <pssc/clustering.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pssc {

namespace {

/// Of each row, the nearest of the points but its own.
struct NearestOther {
  std::vector<std::int32_t> which;
  std::vector<float> distances;  ///< squared

  NearestOther(const Context& context, FloatView rows, FloatView points, std::span<const std::size_t> own)
      : which(rows.rows()), distances(rows.rows()) {
    const Neighbours two = nearest(context, Search::exact, 2, rows, points);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const std::size_t at = two.indices(i, 0) == static_cast<std::int32_t>(own[i]) ? 1 : 0;
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

/// Turns the images of these pixels, which are the points of the numbers `own`.
TurnedImages turn_among(const Context& context, const FeatureSource& source, const Projection& projection,
                        std::span<const float> pixels, FloatView points, std::span<const std::size_t> own) {
  const CanvasShape shape = source.canvas();
  const std::size_t numbers = shape.numbers(), count = own.size();
  FloatMatrix rows(count, points.cols());
  for (std::size_t i = 0; i < count; ++i) std::ranges::copy(points.row(own[i]), rows.row(i).begin());
  const NearestOther upright(context, rows, points, own);

  const Ignored all{.changes = {}, .rotate = true, .flip = true};
  const std::size_t turns = poses(all) / 2;
  const auto turn = [&](std::size_t pose, std::vector<std::int32_t>& neighbours) {
    context.report("mirrored and turned", 0, 0);
    std::vector<float> turned(pixels.size());
    parallel_blocks(context, count, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        apply_pose(all, pose, shape, pixels.subspan(i * numbers, numbers),
                   std::span(turned).subspan(i * numbers, numbers));
    });
    NearestOther found(context, to_host(project(context, projection, source.features(turned))), points, own);
    neighbours = std::move(found.which);
    return share_nearer(found.distances, upright.distances);
  };
  TurnedImages result;
  result.symmetry = {.mirror = turn(turns, result.mirrored),
                     .half_turn = turn(turns / 2, result.half_turned),
                     .quarter_turn = turn(turns / 4, result.quarter_turned)};
  return result;
}

constexpr std::size_t fewest = 3;  // images: its own point, and two others

}  // namespace

TurnedImages turn_images(const Context& context, FeatureSource& source, const Projection& projection,
                         std::span<const std::size_t> which) {
  const std::vector<float> pixels = source.pixels(which);
  std::vector<std::size_t> own(pixels.size() / source.canvas().numbers());
  if (own.size() < fewest) return {};
  std::iota(own.begin(), own.end(), 0);
  const FloatMatrix points = to_host(project(context, projection, source.features(pixels)));
  return turn_among(context, source, projection, pixels, points, own);
}

std::optional<Symmetry> look_for_symmetry(const Context& context, FeatureSource& source, const Projected& projected) {
  constexpr std::size_t most_points = 1500, most_turned = 300;
  const std::vector<std::size_t> numbers = gather(context, projected.images);
  if (numbers.size() < fewest) return {};
  const std::vector<std::size_t> points = draw_images(context.reseeded(2), numbers.size(), most_points);
  const FloatMatrix coordinates = to_host(rows_for_all(context, projected.coordinates, points));

  std::vector<std::size_t> own = draw_images(context.reseeded(3), points.size(), most_turned);
  const Part part = own_part(context, own.size());
  own = {own.begin() + static_cast<std::ptrdiff_t>(part.begin), own.begin() + static_cast<std::ptrdiff_t>(part.end)};
  std::vector<std::size_t> images;
  for (const std::size_t i : own) images.push_back(numbers[points[i]]);
  const std::vector<float> pixels = source.pixels(images);
  if (sum_of_all(context, pixels.size() / source.canvas().numbers() == own.size() ? 0 : 1) > 0) return {};

  // Whole numbers, whose sum over the ranks does not depend on their number: how many are at home, twice, and all.
  std::vector<std::int64_t> counts(4);
  if (!own.empty()) {
    const Symmetry found = turn_among(context, source, projected.projection, pixels, coordinates, own).symmetry;
    const auto twice = [&](double share) { return std::llround(2 * share * static_cast<double>(own.size())); };
    counts = {twice(found.mirror), twice(found.half_turn), twice(found.quarter_turn),
              2 * static_cast<std::int64_t>(own.size())};
  }
  context.ranks().sum(counts);
  const auto share = [&](std::size_t pose) {
    return static_cast<double>(counts[pose]) / static_cast<double>(counts[3]);
  };
  return Symmetry{.mirror = share(0), .half_turn = share(1), .quarter_turn = share(2)};
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
