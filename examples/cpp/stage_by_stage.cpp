// The same method one stage at a time, on pixels that are already in memory: each stage is a function of its own.
#include <pssc/pssc.hpp>

#include <iostream>
#include <vector>

int main() {
  const pssc::Context context;
  const auto digits = pssc::open_images("synthetic:1000", {});
  pssc::FloatMatrix pixels(digits->count(), digits->size() * digits->size());
  std::vector<pssc::BrokenImage> broken;
  digits->read(0, digits->count(), {pixels.data(), pixels.size()}, broken);

  // images -> wavelet scattering, 217 paths of 4 x 4
  const pssc::ScatteringParams params{.height = digits->size(), .width = digits->size()};
  pssc::FloatMatrix features = pssc::scatter(context, params, pixels);

  // equalise, principal components, projection onto the orthogonal complement
  pssc::equalise(context, pssc::fit_equaliser(context, pssc::Equalisation::maxnorm, features, 16), features);
  const pssc::Projection components = pssc::fit_pca(context, features, 200);
  const pssc::FloatMatrix points = pssc::project(context, pssc::orthogonal_complement(components, 2), features);

  // spectral clustering through representatives
  const pssc::Clustering clusters = pssc::uspec(context, {.clusters = 10, .representatives = 500}, points);

  const pssc::Metrics metrics = pssc::evaluate(clusters.labels, digits->labels()->values);
  std::cout << "accuracy " << metrics.accuracy << ", NMI " << metrics.nmi << '\n';
  return metrics.accuracy > 0.8 ? 0 : 1;
}
