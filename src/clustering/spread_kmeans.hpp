#pragma once

#include <pssc/clustering.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace pssc {

/// Rows to be clustered, and what is known of them beforehand.
struct Rows {
  FloatView x;
  std::vector<float> norms;  ///< |x|^2 of each
  std::size_t total = 0;     ///< of all ranks
  Grid grid;                 ///< for sums of any of them
  Rows(const Context& context, FloatView rows);
};

/// The `count` rows of all ranks that are farthest from their centres by `distances`, farthest first, ties by number.
FloatMatrix farthest_rows(const Context& context, const Rows& rows, const std::vector<float>& distances,
                          std::size_t count);

/// Of the named rows, which lie in one block of `row_unit`: calls accept(row, squared distances to all points) for
/// each. Blocks are the same for any number of ranks, and so is the rounding. One thread.
template <class Accept>
void compare_in_block(const Rows& rows, std::span<const std::size_t> named, FloatView points,
                      std::span<const float> point_norms, Accept&& accept) {
  constexpr std::size_t at_once = 256;  // as many as `nearest` takes, so that both round alike
  for (std::size_t first = 0; first < named.size(); first += at_once) {
    const auto some = named.subspan(first, std::min(at_once, named.size() - first));
    const FloatMatrix picked = gather_rows(rows.x, some);
    std::vector<float> norms;
    for (const std::size_t r : some) norms.push_back(rows.norms[r]);
    FloatMatrix distances(picked.rows(), points.rows());
    squared_distances(picked, points, norms, point_norms, distances);
    for (std::size_t i = 0; i < some.size(); ++i) accept(some[i], distances.row(i));
  }
}

/// A row of all, drawn in proportion to its weight; any, where all weights are 0. Each row takes an exponential time
/// over its weight, and the first to arrive is drawn (Efraimidis and Spirakis 2006): a weight that is off by a rounding
/// changes the draw only where two arrive together, while it moves every later point of a running sum.
std::size_t draw_row(const Context& context, const std::vector<float>& weights, const RowShare& share, Random& random);

}  // namespace pssc
