#include <pssc/evaluation.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace pssc {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t infinity = std::numeric_limits<std::int64_t>::max();

/// The Hungarian method by shortest augmenting paths. The lines are the shorter side of the table, so that each finds a
/// place; the cost of giving line i to place j is -gain, and the potentials u, v keep every reduced cost
/// cost(i, j) - u[i] - v[j] >= 0, with equality on the matching. O(lines^2 places).
class Matching {
 public:
  explicit Matching(const Matrix<std::int64_t>& gain)
      : gain_(gain),
        transposed_(gain.rows() > gain.cols()),
        lines_(transposed_ ? gain.cols() : gain.rows()),
        places_(transposed_ ? gain.rows() : gain.cols()),
        u_(lines_, 0),
        v_(places_, 0),
        line_of_(places_, none),
        place_of_(lines_, none),
        distance_(places_),
        previous_(places_),
        reached_(places_) {
    for (std::size_t i = 0; i < lines_; ++i) u_[i] = smallest_cost(i);
    for (std::size_t i = 0; i < lines_; ++i) augment(i);
  }

  std::vector<std::ptrdiff_t> columns_of_rows() const {
    const auto& found = transposed_ ? line_of_ : place_of_;
    std::vector<std::ptrdiff_t> result(found.size());
    for (std::size_t row = 0; row < found.size(); ++row)
      result[row] = found[row] == none ? -1 : static_cast<std::ptrdiff_t>(found[row]);
    return result;
  }

 private:
  std::int64_t cost(std::size_t i, std::size_t j) const { return transposed_ ? -gain_(j, i) : -gain_(i, j); }

  std::int64_t smallest_cost(std::size_t i) const {
    std::int64_t least = infinity;
    for (std::size_t j = 0; j < places_; ++j) least = std::min(least, cost(i, j));
    return least;
  }

  /// Dijkstra over reduced costs from line `start` to the nearest free place, then the matching flips along that path.
  void augment(std::size_t start) {
    distance_.assign(places_, infinity);
    previous_.assign(places_, start);
    reached_.assign(places_, false);
    std::int64_t length = 0;
    std::size_t line = start, place = none;
    while (true) {
      relax(line, length);
      place = nearest_unreached();
      length = distance_[place];
      if (line_of_[place] == none) break;
      reached_[place] = true;
      line = line_of_[place];
    }
    raise_potentials(start, length);
    flip(start, place);
  }

  void relax(std::size_t line, std::int64_t length) {
    for (std::size_t j = 0; j < places_; ++j) {
      if (reached_[j]) continue;
      const std::int64_t through = length + cost(line, j) - u_[line] - v_[j];
      if (through < distance_[j]) {
        distance_[j] = through;
        previous_[j] = line;
      }
    }
  }

  std::size_t nearest_unreached() const {
    std::size_t nearest = none;
    for (std::size_t j = 0; j < places_; ++j)
      if (!reached_[j] && (nearest == none || distance_[j] < distance_[nearest])) nearest = j;
    return nearest;
  }

  void raise_potentials(std::size_t start, std::int64_t length) {
    u_[start] += length;
    for (std::size_t j = 0; j < places_; ++j) {
      if (!reached_[j]) continue;
      u_[line_of_[j]] += length - distance_[j];
      v_[j] -= length - distance_[j];
    }
  }

  void flip(std::size_t start, std::size_t place) {
    while (true) {
      const std::size_t line = previous_[place];
      line_of_[place] = line;
      std::swap(place_of_[line], place);
      if (line == start) return;
    }
  }

  const Matrix<std::int64_t>& gain_;
  bool transposed_;
  std::size_t lines_, places_;
  std::vector<std::int64_t> u_, v_;
  std::vector<std::size_t> line_of_, place_of_;
  std::vector<std::int64_t> distance_;  ///< of each place from the line being placed
  std::vector<std::size_t> previous_;   ///< the line before each place on its shortest path
  std::vector<char> reached_;
};

}  // namespace

std::vector<std::ptrdiff_t> best_assignment(const Matrix<std::int64_t>& gain) {
  if (gain.empty()) return std::vector<std::ptrdiff_t>(gain.rows(), -1);
  return Matching(gain).columns_of_rows();
}

}  // namespace pssc
