#include "feature_source.hpp"
#include "poc_search.hpp"
#include "projected.hpp"
#include "timer.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>
#include <pssc/pipeline.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace pssc {

namespace {

void validate(const Parameters& p, const ImageSet& images) {
  if (p.clusters < 2) throw usage_error(fmt::format("cannot make {} clusters; ask for 2 or more with -k", p.clusters));
  if (p.clusters == Parameters::automatic && p.clusterer != Clusterer::uspec && p.clusterer != Clusterer::dbscan)
    throw usage_error("the number of clusters can be found by --clusterer uspec only; give it with -k");
  if (p.pca_dims == 0) throw usage_error("--pca-dims must be at least 1");
  if (p.representatives == 0 || p.neighbours == 0 || p.candidates == 0)
    throw usage_error("--candidates, --representatives and --neighbours must be at least 1");
  if (images.count() < 2)
    throw input_error(fmt::format("{} holds {} image; clustering needs at least 2", images.name(), images.count()));
}

/// After the first pass, when it is known how many images could be read.
void require_enough(const Parameters& p, const ImageSet& images, const FeatureSource& source) {
  const std::size_t n = source.count();
  if (n == 0)
    throw input_error(fmt::format("none of the {} images of {} could be read; the first, {}: {}", images.count(),
                                  images.name(), source.skipped().front().id, source.skipped().front().reason));
  if (n < 2)
    throw input_error(fmt::format("only {} image of {} could be read; clustering needs at least 2", n, images.name()));
  if (p.clusters != Parameters::automatic && p.clusterer != Clusterer::dbscan && n < p.clusters)
    throw input_error(fmt::format("asked for {} clusters, but only {} images were read from {}; ask for fewer with -k",
                                  p.clusters, n, images.name()));
}

USpecParams uspec_params(const Parameters& p) {
  return {.clusters = p.clusters == Parameters::automatic ? 0 : p.clusters,
          .candidates = p.candidates,
          .representatives = p.representatives,
          .neighbours = p.neighbours,
          .search = p.search,
          .as_published_code = p.as_published_code};
}

Clustering run_clusterer(const Context& context, const Parameters& p, FloatView y) {
  switch (p.clusterer) {
    case Clusterer::uspec:
      return uspec(context, uspec_params(p), y);
    case Clusterer::kmeans:
      return cluster_kmeans(context, {.clusters = p.clusters, .iterations = 300}, y);
    case Clusterer::spectral:
      return spectral(context, {.clusters = p.clusters}, y);
    case Clusterer::dbscan:
      return dbscan(context, {.radius = p.dbscan_radius, .min_points = p.dbscan_points}, y);
  }
  throw usage_error("unknown clusterer");
}

void describe_input(const ImageSet& images, const FeatureSource& source, Run& run) {
  run.input = images.name();
  run.height = run.width = images.size();
  run.channels = images.channels();
  run.skipped = source.skipped();
  const std::vector<std::size_t> kept = source.kept();
  run.count = kept.size();
  for (const std::size_t i : kept) run.ids.push_back(images.id(i));
  if (!images.labels()) return;
  Labels& truth = run.truth.emplace(Labels{{}, images.labels()->names});
  for (const std::size_t i : kept) truth.values.push_back(images.labels()->values[i]);
  run.metrics = evaluate(run.clustering.labels, truth.values);
}

}  // namespace

Run cluster(const Context& context, const Parameters& parameters, const ImageSet& images) {
  validate(parameters, images);
  StageTimer timer;
  Run run;
  run.parameters = parameters;
  FeatureSource source(context, parameters, images);
  Projected projected =
      project_features(context, parameters, source, timer, [&] { require_enough(parameters, images, source); });
  run.variances = projected.projection.variances;
  run.total_variance = projected.projection.total_variance;

  FloatView y = projected.coordinates;
  if (parameters.poc_dims == Parameters::automatic) {
    run.parameters.poc_dims = search_poc_dims(context, uspec_params(parameters), y);
    timer.finish("choice of POC");
  }
  if (run.parameters.poc_dims >= y.cols())
    throw usage_error(fmt::format("cannot drop {} of {} directions; lower --poc-dims or raise --pca-dims",
                                  run.parameters.poc_dims, y.cols()));
  y = y.col_range(run.parameters.poc_dims, y.cols());
  run.parameters.pca_dims = projected.coordinates.cols();
  run.clustering = run_clusterer(context, run.parameters, y);
  run.clustering.notes.insert(run.clustering.notes.begin(), projected.notes.begin(), projected.notes.end());
  timer.finish("clustering");
  describe_input(images, source, run);
  run.timings = timer.times();
  run.total_seconds = timer.total();
  return run;
}

}  // namespace pssc
