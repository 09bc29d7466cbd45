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
  throw usage_error("unknown preset '" + std::string(name) + "'; known are paper and authors");
}

std::string version() {
  return PSSC_VERSION;
}

}  // namespace pssc
