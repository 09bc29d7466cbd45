#include <pssc/clustering.hpp>
#include <pssc/core/spread.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace pssc {

std::vector<Label> order_by_size(const Context& context, Clustering& clustering) {
  const std::size_t clusters = clustering.clusters, n = clustering.labels.size();
  const RowShare share = share_of_rows(context, n);
  std::vector<std::int64_t> size(clusters);
  std::vector<double> first(clusters,
                            -static_cast<double>(share.total));  // less than nothing: the first is the largest
  for (std::size_t i = n; i-- > 0;)
    if (const Label l = clustering.labels[i]; l >= 0) {
      ++size[static_cast<std::size_t>(l)];
      first[static_cast<std::size_t>(l)] = -static_cast<double>(share.first + i);
    }
  context.ranks().sum(size);
  context.ranks().largest(first);
  std::vector<std::size_t> order(clusters);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (size[a] != size[b]) return size[a] > size[b];
    return first[a] != first[b] ? first[a] > first[b] : a < b;
  });
  std::vector<Label> renamed(clusters);
  for (std::size_t rank = 0; rank < clusters; ++rank) renamed[order[rank]] = static_cast<Label>(rank);
  for (Label& l : clustering.labels)
    if (l >= 0) l = renamed[static_cast<std::size_t>(l)];

  const auto filled = static_cast<std::size_t>(std::ranges::count_if(size, [](std::int64_t s) { return s > 0; }));
  if (filled == clusters) return renamed;
  clustering.notes.push_back("only " + std::to_string(filled) + " of " + std::to_string(clusters) +
                             " clusters hold images: the images do not fall into more");
  clustering.clusters = filled;
  return renamed;
}

}  // namespace pssc
