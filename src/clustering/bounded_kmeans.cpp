#include "bounded_kmeans.hpp"

#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace pssc {

namespace {

constexpr float safety = 1e-4F;  // of a bound: more than distances in single precision are wrong by

struct Bounds {
  std::vector<Label> labels;
  std::vector<float> upper;  ///< of the distance to the own centre
  std::vector<float> lower;  ///< of that to any other
};

struct Change {
  std::size_t row;
  Label from;
};

/// Compares rows with all centres, those of a block that `doubtful` tells; returns those whose label changed.
template <class Doubtful>
std::vector<Change> compare(const Context& context, const Rows& all, FloatView centres, Bounds& bounds,
                            Doubtful&& doubtful) {
  const std::vector<float> centre_norms = squared_norms(centres);
  std::vector<std::vector<Change>> changes((all.x.rows() + row_unit - 1) / row_unit);
  parallel_blocks(context, all.x.rows(), row_unit, [&](std::size_t begin, std::size_t end) {
    std::vector<std::size_t> rows;
    for (std::size_t i = begin; i < end; ++i)
      if (doubtful(i)) rows.push_back(i);
    compare_in_block(all, rows, centres, centre_norms, [&](std::size_t i, std::span<float> distances) {
      const auto least = std::ranges::min_element(distances);
      const auto label = static_cast<Label>(least - distances.begin());
      const float own = *least;
      *least = std::numeric_limits<float>::infinity();
      const Label before = std::exchange(bounds.labels[i], label);
      if (before != label) changes[begin / row_unit].push_back({i, before});
      bounds.upper[i] = std::sqrt(own) * (1 + safety);
      bounds.lower[i] = std::sqrt(std::ranges::min(distances)) * (1 - safety);
    });
  });
  std::vector<Change> together;
  for (const auto& some : changes) together.insert(together.end(), some.begin(), some.end());
  return together;
}

/// Sums and counts of this rank's rows of each cluster, on the rows' grid.
struct Sums {
  std::size_t clusters, dims;
  std::vector<std::int64_t> sums = std::vector<std::int64_t>(clusters * (dims + 1));  ///< and behind them the counts

  void apply(const Context& context, const Rows& rows, const std::vector<Change>& changes,
             const std::vector<Label>& labels) {
    parallel_blocks(context, dims, 64, [&](std::size_t begin, std::size_t end) {
      for (const Change& change : changes) {
        const float* row = rows.x.row(change.row).data();
        std::int64_t* to = sums.data() + static_cast<std::size_t>(labels[change.row]) * dims;
        for (std::size_t j = begin; j < end; ++j) to[j] += rows.grid(double{row[j]});
        if (change.from < 0) continue;
        std::int64_t* from = sums.data() + static_cast<std::size_t>(change.from) * dims;
        for (std::size_t j = begin; j < end; ++j) from[j] -= rows.grid(double{row[j]});
      }
    });
    std::int64_t* counts = sums.data() + clusters * dims;
    for (const Change& change : changes) {
      ++counts[static_cast<std::size_t>(labels[change.row])];
      if (change.from >= 0) --counts[static_cast<std::size_t>(change.from)];
    }
  }
};

/// Moves each centre to the mean of its rows, an empty one to the row farthest from its own; returns how far each
/// moved.
std::vector<float> move(const Context& context, const Rows& rows, const Sums& own, const Bounds& bounds,
                        FloatMatrix& centres) {
  const std::size_t k = centres.rows(), d = centres.cols();
  std::vector<std::int64_t> sums = own.sums;
  context.ranks().sum(sums);
  const auto empty =
      static_cast<std::size_t>(std::ranges::count(sums.begin() + static_cast<std::ptrdiff_t>(k * d), sums.end(), 0));
  const FloatMatrix far = empty > 0 ? farthest_rows(context, rows, bounds.upper, empty) : FloatMatrix();
  std::vector<float> moved(k);
  std::size_t used = 0;
  for (std::size_t c = 0; c < k; ++c) {
    const auto count = static_cast<double>(sums[k * d + c]);
    double squares = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const auto to = count == 0 ? far(used, j) : static_cast<float>(rows.grid.value(sums[c * d + j]) / count);
      const double step = double{to} - double{centres(c, j)};
      squares += step * step;
      centres(c, j) = to;
    }
    used += count == 0;
    moved[c] = static_cast<float>(std::sqrt(squares)) * (1 + safety);
  }
  return moved;
}

/// Half of each centre's distance to the nearest other.
std::vector<float> half_gaps(FloatView centres) {
  std::vector<float> gaps(centres.rows(), std::numeric_limits<float>::infinity());
  FloatMatrix distances(centres.rows(), centres.rows());
  squared_distances(centres, centres, squared_norms(centres), distances);
  for (std::size_t a = 0; a < gaps.size(); ++a)
    for (std::size_t b = 0; b < gaps.size(); ++b)
      if (a != b) gaps[a] = std::min(gaps[a], std::sqrt(distances(a, b)) * (1 - safety) / 2);
  return gaps;
}

/// Moves the bounds of a row as far as the centres moved; whether they no longer speak for it.
struct Doubts {
  const std::vector<float>& moved;
  const std::vector<float>& gaps;
  float farthest = std::ranges::max(moved);

  bool operator()(std::size_t i, Bounds& bounds) const {
    const auto own = static_cast<std::size_t>(bounds.labels[i]);
    bounds.upper[i] += moved[own];
    bounds.lower[i] -= farthest;
    return bounds.upper[i] >= std::max(bounds.lower[i], gaps[own]);
  }
};

}  // namespace

void bounded_iterations(const Context& context, std::size_t iterations, double least_shift, const Rows& rows,
                        FloatMatrix& centres) {
  const std::size_t n = rows.x.rows();
  Bounds bounds{std::vector<Label>(n, -1), std::vector<float>(n), std::vector<float>(n)};
  Sums sums{centres.rows(), rows.x.cols()};
  std::vector<Change> changes = compare(context, rows, centres, bounds, [](std::size_t) { return true; });
  for (std::size_t iteration = 0; iteration < iterations && sum_of_all(context, changes.size()) > 0; ++iteration) {
    sums.apply(context, rows, changes, bounds.labels);
    const std::vector<float> moved = move(context, rows, sums, bounds, centres);
    double shift = 0;
    for (const float m : moved) shift += double{m} * double{m};
    if (shift <= least_shift) return;
    const std::vector<float> gaps = half_gaps(centres);
    const Doubts doubts{moved, gaps};
    changes = compare(context, rows, centres, bounds, [&](std::size_t i) { return doubts(i, bounds); });
  }
}

}  // namespace pssc
