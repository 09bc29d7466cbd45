#include <pssc/core/random.hpp>

#include <algorithm>
#include <unordered_map>

namespace pssc {

std::vector<std::size_t> Random::choose(std::size_t n, std::size_t count) {
  count = std::min(n, count);
  // Fisher and Yates over a virtual array: only the places that were touched are stored, so n may be a billion.
  std::unordered_map<std::size_t, std::size_t> moved;
  const auto at = [&](std::size_t i) {
    const auto found = moved.find(i);
    return found == moved.end() ? i : found->second;
  };
  std::vector<std::size_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = i + below(n - i);
    chosen[i] = at(j);
    moved[j] = at(i);
  }
  return chosen;
}

}  // namespace pssc
