#include "adapted.hpp"

#include <algorithm>

namespace pssc::report {

namespace {

constexpr std::size_t most_clusters = 12, most_images = 8;

/// At most so many of the numbers, evenly spread: images that lie side by side in the input are often of one kind.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& numbers) {
  const std::size_t count = std::min(most_images, numbers.size());
  std::vector<std::size_t> some(count);
  for (std::size_t i = 0; i < count; ++i) some[i] = numbers[(2 * i + 1) * numbers.size() / (2 * count)];
  return some;
}

}  // namespace

Ways ways_tried(const Adaptation& found) {
  Ways ways;
  for (const Candidate& candidate : found.candidates) {
    std::vector<std::vector<std::size_t>> members(found.clusters);
    for (std::size_t i = 0; i < candidate.labels.size(); ++i)
      members[static_cast<std::size_t>(candidate.labels[i])].push_back(found.images[i]);
    std::ranges::stable_sort(members, std::greater{}, &std::vector<std::size_t>::size);
    members.resize(std::min(most_clusters, members.size()));
    for (auto& images : members) images = some_of(images);
    ways.push_back(std::move(members));
  }
  return ways;
}

}  // namespace pssc::report
