#pragma once

#include <pssc/pipeline.hpp>

#include <string>
#include <string_view>

namespace pssc::reproduction {

/// A way to cluster that a row of a table stands for.
struct Method {
  enum class Way {
    whole,            ///< pssc::cluster, as the command runs it
    coordinates,      ///< its last stage on coordinates that several methods share: the same work, done once
    neighbour_graph,  ///< spectral clustering of a graph of nearest neighbours, on shared coordinates
  };
  std::string name;  ///< of its cells
  Way way = Way::coordinates;
  Parameters parameters;
  bool by_chance = true;   ///< another seed may give another result
  bool all_pairs = false;  ///< starts from the distances of all pairs of images
};

/// "kmeans", "spectral", "dbscan" (the paper's baselines, on pixels); "paper", "authors", "tuned"; and for the ablation
/// "paper" or "authors" followed by what is left out or put in its place: "authors-no-poc", "authors-pixels",
/// "authors-pixels-no-poc", "authors-kmeans", "authors-kmeans-no-poc".
Method method(std::string_view name);

}  // namespace pssc::reproduction
