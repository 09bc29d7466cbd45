#include "parameters.hpp"

#include <pssc/core/error.hpp>
#include <pssc/pipeline.hpp>

#include <string>

namespace pssc {

Parameters preset(std::string_view name) {
  Parameters parameters;
  if (name == "paper") return parameters;
  if (name == "authors") {
    parameters.search = Search::hnsw;
    parameters.as_published_code = true;
    return parameters;
  }
  if (name == "tuned") {
    parameters.scales = Parameters::automatic;
    parameters.equalise = Equalisation::log;
    parameters.pca_dims = 300;
    parameters.poc_dims = 0;
    parameters.zoom = Parameters::automatic;
    parameters.ignored = ignored_by_default();
    parameters.candidates = 40000;
    parameters.representatives = 2000;
    parameters.refine = Refinement::ridge;
    return parameters;
  }
  throw usage_error("unknown preset '" + std::string(name) + "'; known are tuned, paper and authors");
}

Parameters fitted_to_canvas(Parameters parameters, std::size_t size) {
  constexpr std::size_t map = 4, most = 5;  // more than 5 scales make features by the ten thousand
  if (parameters.scales != Parameters::automatic) return parameters;
  parameters.scales = 1;
  while (parameters.scales < most && (map << (parameters.scales + 1)) <= size) ++parameters.scales;
  return parameters;
}

std::string version() {
  return PSSC_VERSION;
}

}  // namespace pssc
