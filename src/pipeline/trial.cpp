#include "trial.hpp"

#include "tuned.hpp"

#include <numeric>

namespace pssc {

Trial try_clustering(const Context& context, const Parameters& parameters, const Projected& projected,
                     std::size_t repeats) {
  constexpr std::uint64_t stream = 0x747269616c;
  Parameters p = parameters;
  Trial trial;
  const auto n = static_cast<double>(projected.images.size() * repeats);
  for (std::size_t r = 0; r < repeats; ++r) {
    const Clustering found =
        cluster_tuned(context.reseeded(stream + r), p, projected.coordinates, projected.images, projected.nuisance)
            .clustering;
    if (r == 0) p.clusters = trial.clusters = found.clusters, trial.labels = found.labels;
    for (const Label l : found.labels) trial.stability += found.stability[static_cast<std::size_t>(l)] / n;
    trial.confidence += std::accumulate(found.confidence.begin(), found.confidence.end(), 0.0) / n;
  }
  return trial;
}

}  // namespace pssc
