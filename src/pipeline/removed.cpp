#include "removed.hpp"

#include <pssc/core/parallel.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <numeric>

namespace pssc {

namespace {

constexpr std::size_t most_directions = 8, images_an_end = 8, images_a_strip = 16;

/// Images with the lowest and the highest positions, the outermost first, and some from one end to the other.
RemovedDirection ends_of(const std::vector<double>& positions, double share, const ImageNames& names) {
  RemovedDirection direction{share, {}, {}, {}};
  const std::size_t n = positions.size(), m = std::min(images_an_end, n / 2);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return positions[i]; });
  for (std::size_t i = 0; i < m; ++i) direction.low.push_back(names.id(order[i]));
  for (std::size_t i = 0; i < m; ++i) direction.high.push_back(names.id(order[n - 1 - i]));
  const std::size_t length = std::min(images_a_strip, n);
  for (std::size_t i = 0; i < length; ++i)
    direction.strip.push_back(names.numbers[order[length == 1 ? 0 : i * (n - 1) / (length - 1)]]);
  return direction;
}

/// Of each column of positions [n x m]. Sorting is most of the work.
template <class T, class Share>
std::vector<RemovedDirection> ends_of_all(const Context& context, const Matrix<T>& positions, const ImageNames& names,
                                          Share&& share) {
  const std::size_t directions = positions.cols();
  const std::vector<std::size_t> numbers = gather_at_first(context, names.numbers);
  const std::vector<T> all =
      gather_at_first(context, std::vector<T>(positions.data(), positions.data() + positions.size()));
  std::vector<RemovedDirection> removed(context.ranks().rank() == 0 ? directions : 0);
  parallel_blocks(context, removed.size(), 1, [&](std::size_t v, std::size_t) {
    std::vector<double> column(numbers.size());
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = double{all[i * directions + v]};
    removed[v] = ends_of(column, share(v), {numbers, names.images});
  });
  return removed;
}

}  // namespace

std::vector<RemovedDirection> directions_dropped(const Context& context, const Projection& projection, FloatView y,
                                                 std::size_t dropped, const ImageNames& names) {
  const FloatMatrix leading = copy_to(Place::host, y.col_range(0, std::min(dropped, most_directions)));
  return ends_of_all(context, leading, names,
                     [&](std::size_t v) { return projection.variances[v] / projection.total_variance; });
}

}  // namespace pssc
