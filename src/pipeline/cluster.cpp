#include "feature_source.hpp"
#include "parameters.hpp"
#include "poc_search.hpp"
#include "projected.hpp"
#include "removed.hpp"
#include "timer.hpp"
#include "tuned.hpp"

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
  if (p.k_least < 2 || p.k_least > p.k_most)
    throw usage_error(fmt::format("--k-range {}:{} is no range of 2 or more", p.k_least, p.k_most));
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
}

/// How many components there are to keep and to drop, now that it is known how many images there are.
void settle_dims(const Context& context, FloatView y, Parameters& p) {
  p.pca_dims = y.cols();
  if (p.poc_dims == Parameters::automatic) p.poc_dims = search_poc_dims(context, uspec_params(p), y);
  if (p.poc_dims < y.cols()) return;
  // Few images have few components: the preset's number gives way, a larger one was asked for.
  if (p.poc_dims > preset("paper").poc_dims)
    throw usage_error(
        fmt::format("cannot drop {} of {} directions; lower --poc-dims or raise --pca-dims", p.poc_dims, y.cols()));
  p.poc_dims = y.cols() - 1;
}

void cluster_coordinates(const Context& context, const Projected& projected, Run& run) {
  const FloatView y = projected.coordinates;
  const Parameters& p = run.parameters;
  if (p.clusterer == Clusterer::uspec && p.refine != Refinement::none) {
    Tuned tuned = cluster_tuned(context, p, y);
    run.clustering = std::move(tuned.clustering);
    run.removed = directions_whitened(tuned.whitening, y, run.clustering, run.ids);
  } else {
    run.clustering = run_clusterer(context, p, y.col_range(p.poc_dims, y.cols()));
    run.removed = directions_dropped(projected.projection, y, p.poc_dims, run.ids);
  }
}

}  // namespace

Run cluster(const Context& context, const Parameters& given, const ImageSet& images) {
  validate(given, images);
  const Parameters parameters = fitted_to_canvas(given, images.size());
  StageTimer timer;
  Run run;
  run.parameters = parameters;
  FeatureSource source(context, parameters, images);
  const Projected projected =
      project_features(context, parameters, source, timer, [&] { require_enough(parameters, images, source); });
  run.variances = projected.projection.variances;
  run.total_variance = projected.projection.total_variance;
  describe_input(images, source, run);

  settle_dims(context, projected.coordinates, run.parameters);
  cluster_coordinates(context, projected, run);
  run.clustering.notes.insert(run.clustering.notes.begin(), projected.notes.begin(), projected.notes.end());
  timer.finish("clustering");
  if (run.truth) run.metrics = evaluate(run.clustering.labels, run.truth->values);
  run.timings = timer.times();
  run.total_seconds = timer.total();
  return run;
}

}  // namespace pssc
