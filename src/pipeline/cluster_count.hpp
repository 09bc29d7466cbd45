#pragma once

#include <pssc/pipeline.hpp>

namespace pssc {

/// How images fall apart, and into how many clusters.
struct Counted {
  std::size_t clusters = 0;
  ClusterTree tree;  ///< known to the first rank alone
  CountVerdict verdict;
};

/// `graphs` are of the same images, whose numbers are `images` (of all ranks).
///
/// Cut a few graphs into many pieces, join the pieces that are tied most strongly (averaged over all graphs), and read
/// off where the ties become weak: a number K is as likely as the share of thresholds that leave K groups.
Counted count_clusters(const Context& context, const Parameters& parameters, const std::vector<ReducedGraph>& graphs,
                       const std::vector<std::size_t>& images);

/// Of a number that is not clear: "no clear number of clusters: 10, 12 or 14 fit about equally; 10 is used".
std::string words_of(const CountVerdict& verdict, const Parameters& parameters);

}  // namespace pssc
