#include "methods.hpp"

#include <pssc/core/error.hpp>

namespace pssc::reproduction {

namespace {

Method baseline(std::string_view name) {
  Method m{.name = std::string(name), .parameters = preset("paper")};
  m.parameters.features = Features::pixels;
  m.parameters.poc_dims = 0;
  if (name == "kmeans") m.parameters.clusterer = Clusterer::kmeans;
  if (name == "spectral") {  // as the authors' program calls scikit-learn's
    m.way = Method::Way::neighbour_graph;
    m.all_pairs = true;
    m.parameters.clusterer = Clusterer::spectral;
    m.parameters.neighbours = 5;
  }
  if (name == "dbscan") {  // with the authors' radius of 3 grey levels and 2 points
    m.by_chance = false;
    m.all_pairs = true;
    m.parameters.clusterer = Clusterer::dbscan;
    m.parameters.dbscan_radius = 3;
    m.parameters.dbscan_points = 2;
  }
  return m;
}

bool take_off(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

}  // namespace

Method method(std::string_view name) {
  if (name == "kmeans" || name == "spectral" || name == "dbscan") return baseline(name);
  Method m{.name = std::string(name)};
  if (name == "tuned") {
    m.way = Method::Way::whole;
    m.parameters = preset(name);
    return m;
  }
  const bool no_poc = take_off(name, "-no-poc"), pixels = take_off(name, "-pixels"), kmeans = take_off(name, "-kmeans");
  m.parameters = preset(name);
  if (no_poc) m.parameters.poc_dims = 0;
  if (pixels) m.parameters.features = Features::pixels;
  if (kmeans) m.parameters.clusterer = Clusterer::kmeans;
  return m;
}

}  // namespace pssc::reproduction
