#include "bounded_kmeans.hpp"

#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace pssc {

namespace {

constexpr std::size_t rows_per_block = 256;
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

/// Compares the named rows with all centres; returns those whose label changed.
std::vector<Change> compare(const Context& context, FloatView x, const std::vector<float>& norms, FloatView centres,
                            const std::vector<std::size_t>& rows, Bounds& bounds) {
  const std::vector<float> centre_norms = squared_norms(centres);
  std::vector<std::uint8_t> changed(rows.size());
  std::vector<Label> before(rows.size());
  parallel_blocks(context, rows.size(), rows_per_block, [&](std::size_t begin, std::size_t end) {
    const auto some = std::span(rows).subspan(begin, end - begin);
    const FloatMatrix picked = gather_rows(x, some);
    std::vector<float> own_norms;
    for (const std::size_t r : some) own_norms.push_back(norms[r]);
    FloatMatrix distances(picked.rows(), centres.rows());
    squared_distances(picked, centres, own_norms, centre_norms, distances);
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = distances.row(i - begin);
      const auto least = std::ranges::min_element(row);
      const auto label = static_cast<Label>(least - row.begin());
      const float own = *least;
      *least = std::numeric_limits<float>::infinity();
      before[i] = std::exchange(bounds.labels[rows[i]], label);
      changed[i] = before[i] != label;
      bounds.upper[rows[i]] = std::sqrt(own) * (1 + safety);
      bounds.lower[rows[i]] = std::sqrt(std::ranges::min(row)) * (1 - safety);
    }
  });
  std::vector<Change> changes;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (changed[i]) changes.push_back({rows[i], before[i]});
  return changes;
}

/// Sums and counts of the rows of each cluster.
struct Sums {
  Matrix<double> sums;
  std::vector<double> counts;

  /// By columns, so that each sum is taken in the order of the rows whatever the number of threads.
  void apply(const Context& context, FloatView x, const std::vector<Change>& changes,
             const std::vector<Label>& labels) {
    parallel_blocks(context, x.cols(), 64, [&](std::size_t begin, std::size_t end) {
      for (const Change& change : changes) {
        const float* row = x.row(change.row).data();
        double* to = sums.row(static_cast<std::size_t>(labels[change.row])).data();
        for (std::size_t j = begin; j < end; ++j) to[j] += row[j];
        if (change.from < 0) continue;
        double* from = sums.row(static_cast<std::size_t>(change.from)).data();
        for (std::size_t j = begin; j < end; ++j) from[j] -= row[j];
      }
    });
    for (const Change& change : changes) {
      ++counts[static_cast<std::size_t>(labels[change.row])];
      if (change.from >= 0) --counts[static_cast<std::size_t>(change.from)];
    }
  }
};

/// Moves each centre to the mean of its rows, an empty one to the row farthest from its own; returns how far each
/// moved.
std::vector<float> move(FloatView x, const Sums& sums, const Bounds& bounds, FloatMatrix& centres) {
  std::vector<float> moved(centres.rows());
  std::vector<std::size_t> far(x.rows());
  std::iota(far.begin(), far.end(), 0);
  std::size_t used = 0;
  for (std::size_t c = 0; c < centres.rows(); ++c) {
    if (sums.counts[c] == 0 && used == 0)
      std::ranges::stable_sort(far, std::greater{}, [&](std::size_t i) { return bounds.upper[i]; });
    const std::size_t stray = sums.counts[c] == 0 ? far[used++] : 0;
    double squares = 0;
    for (std::size_t j = 0; j < centres.cols(); ++j) {
      const auto to = sums.counts[c] == 0 ? x(stray, j) : static_cast<float>(sums.sums(c, j) / sums.counts[c]);
      const double d = double{to} - double{centres(c, j)};
      squares += d * d;
      centres(c, j) = to;
    }
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

/// Moves the bounds as far as the centres moved, and names the rows that they no longer speak for.
std::vector<std::size_t> doubtful(const std::vector<float>& moved, const std::vector<float>& gaps, Bounds& bounds) {
  const float farthest = std::ranges::max(moved);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < bounds.labels.size(); ++i) {
    const auto own = static_cast<std::size_t>(bounds.labels[i]);
    bounds.upper[i] += moved[own];
    bounds.lower[i] -= farthest;
    if (bounds.upper[i] >= std::max(bounds.lower[i], gaps[own])) rows.push_back(i);
  }
  return rows;
}

}  // namespace

void bounded_iterations(const Context& context, std::size_t iterations, double least_shift, FloatView x,
                        const std::vector<float>& norms, FloatMatrix& centres) {
  const std::size_t n = x.rows(), k = centres.rows();
  Bounds bounds{std::vector<Label>(n, -1), std::vector<float>(n), std::vector<float>(n)};
  Sums sums{Matrix<double>(k, x.cols()), std::vector<double>(k)};
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<Change> changes = compare(context, x, norms, centres, rows, bounds);
  for (std::size_t iteration = 0; iteration < iterations && !changes.empty(); ++iteration) {
    sums.apply(context, x, changes, bounds.labels);
    const std::vector<float> moved = move(x, sums, bounds, centres);
    double shift = 0;
    for (const float m : moved) shift += double{m} * double{m};
    if (shift <= least_shift) return;
    rows = doubtful(moved, half_gaps(centres), bounds);
    changes = compare(context, x, norms, centres, rows, bounds);
  }
}

}  // namespace pssc
