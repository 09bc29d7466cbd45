#include "feature_source.hpp"
#include "map.hpp"
#include "model.hpp"
#include "names.hpp"
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
#include <limits>
#include <string>

namespace pssc {

namespace {

void validate(const Parameters& p, const ImageSet& images) {
  if (p.clusters < 2) throw usage_error(fmt::format("cannot make {} clusters; ask for 2 or more with -k", p.clusters));
  if (p.clusters == Parameters::automatic && p.clusterer != Clusterer::uspec && p.clusterer != Clusterer::dbscan)
    throw usage_error("the number of clusters can be found by --clusterer uspec only; give it with -k");
  if (p.k_least < 2 || p.k_least > p.k_most)
    throw usage_error(fmt::format("--k-range {}:{} is no range of 2 or more", p.k_least, p.k_most));
  if (p.sample_images < 2 || p.fit_images < 2) throw usage_error("--sample-images and --fit-images must be at least 2");
  if (p.pca_dims == 0) throw usage_error("--pca-dims must be at least 1");
  if (p.representatives == 0 || p.neighbours == 0 || p.candidates == 0)
    throw usage_error("--candidates, --representatives and --neighbours must be at least 1");
  if (images.count() < 2)
    throw input_error(fmt::format("{} holds {} image; clustering needs at least 2", images.name(), images.count()));
}

/// Now that it is known how many of the images could be read.
void require_enough(const Parameters& p, const ImageSet& images, std::size_t n) {
  if (n < 2)
    throw input_error(fmt::format("only {} image of {} could be read; clustering needs at least 2", n, images.name()));
  if (p.clusters != Parameters::automatic && p.clusterer != Clusterer::dbscan && n < p.clusters)
    throw input_error(fmt::format("asked for {} clusters, but only {} images were read from {}; ask for fewer with -k",
                                  p.clusters, n, images.name()));
}

/// How many images the clustering is fitted to. Their coordinates are held, up to three times over, in half of the
/// memory. Methods that cannot place further images need all of them.
std::size_t images_to_fit(const Context& context, const Parameters& p, const ImageSet& images) {
  constexpr std::size_t copies = 3, least = 1000;
  const std::size_t fitting = context.memory / 2 / (copies * p.pca_dims * sizeof(float));
  if (p.clusterer == Clusterer::spectral || p.clusterer == Clusterer::dbscan) {
    if (images.count() > std::max(least, fitting))
      throw usage_error(
          fmt::format("--clusterer {} needs the coordinates of all {} images at once; raise --memory to "
                      "{:.1f}GiB, or take uspec or kmeans",
                      name_of(p.clusterer), images.count(),
                      static_cast<double>(images.count() * copies * p.pca_dims * 8) / 0x1p30));
    return images.count();
  }
  return std::min({images.count(), p.fit_images, std::max(least, fitting)});
}

USpecParams uspec_params(const Parameters& p) {
  return {.clusters = p.clusters == Parameters::automatic ? 0 : p.clusters,
          .candidates = p.candidates,
          .representatives = p.representatives,
          .neighbours = p.neighbours,
          .search = p.search,
          .as_published_code = p.as_published_code};
}

/// k-means as a baseline, with scikit-learn's values.
KMeansParams as_others_do(std::size_t clusters) {
  return {.clusters = clusters, .starts = 10, .iterations = 300, .tolerance = 1e-4};
}

Clustering run_clusterer(const Context& context, const Parameters& p, FloatView y, ClusterRule& rule) {
  switch (p.clusterer) {
    case Clusterer::uspec: {
      USpecRule found;
      Clustering result = uspec(context, uspec_params(p), y, found);
      rule.graph = std::move(found.graph);
      rule.limits = std::move(found.limits);
      rule.renamed = std::move(found.renamed);
      return result;
    }
    case Clusterer::kmeans: {
      KMeansRule found;
      Clustering result = cluster_kmeans(context, as_others_do(p.clusters), y, found);
      rule.centres = std::move(found.centres);
      rule.limits.assign(p.clusters, std::numeric_limits<float>::infinity());
      rule.renamed = std::move(found.renamed);
      return result;
    }
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
  run.numbers = source.kept();
  run.count = run.numbers.size();
  for (const std::size_t i : run.numbers) run.ids.push_back(images.id(i));
  if (!images.labels()) return;
  Labels& truth = run.truth.emplace(Labels{{}, images.labels()->names});
  for (const std::size_t i : run.numbers) truth.values.push_back(images.labels()->values[i]);
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

/// Fits the clustering and returns what places further images.
ClusterRule fit_clusters(const Context& context, const Projected& projected, const ImageSet& images, Run& run) {
  const FloatView y = projected.coordinates;
  const Parameters& p = run.parameters;
  const ImageNames names{projected.images, images};
  if (p.clusterer == Clusterer::uspec && p.refine != Refinement::none) {
    Tuned tuned = cluster_tuned(context, p, y);
    run.clustering = std::move(tuned.clustering);
    run.removed = directions_whitened(context, tuned.whitening, y, run.clustering, names);
    return std::move(tuned.rule);
  }
  ClusterRule rule;
  run.clustering = run_clusterer(context, p, y.col_range(p.poc_dims, y.cols()), rule);
  run.removed = directions_dropped(context, projected.projection, y, p.poc_dims, names);
  rule.dropped = p.poc_dims;
  rule.clusters = run.clustering.clusters;
  return rule;
}

/// Places every image by what was learned from some, in one more pass.
void place_all(const Context& context, const Projection& projection, ClusterRule& rule, const MapRule& map,
               std::size_t count, FeatureSource& source, Run& run) {
  const Placer placer(rule);
  Clustering& clustering = run.clustering;
  clustering.labels.clear();
  clustering.confidence.clear();
  clustering.outliers.clear();
  clustering.distances.clear();
  run.positions = FloatMatrix(count, 2);
  const auto append = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  source.for_each_chunk("placing", draw_images(context, count, count), [&](FloatView rows, auto) {
    const FloatMatrix y = project(context, projection, rows);
    const Clustering placed = placer.place(context, y);
    const std::size_t done = clustering.labels.size();
    map.place(context, y, placed.labels, run.positions.view().row_range(done, done + y.rows()));
    append(clustering.labels, placed.labels);
    append(clustering.confidence, placed.confidence);
    append(clustering.outliers, placed.outliers);
    append(clustering.distances, placed.distances);
  });
  run.positions.truncate_rows(clustering.labels.size());
  clustering.clusters = rule.renamed.size();  // one that was empty among the fitted may have found an image
  const std::vector<Label> renamed = order_by_size(clustering);
  for (Label& l : rule.renamed) l = renamed[static_cast<std::size_t>(l)];
  rule.clusters = clustering.clusters;
}

/// What was learned becomes the run's model, unless the clusterer leaves nothing to place further images by.
void keep_model(Run& run, const ImageSet& images, const FeatureSource& source, Projection projection,
                std::shared_ptr<Model::Contents> learned) {
  if (learned->rule.renamed.empty()) return;
  const Parameters& p = run.parameters;
  learned->size = images.size();
  learned->channels = images.channels();
  learned->features = p.features;
  learned->scales = p.scales;
  learned->angles = p.angles;
  learned->order = p.order;
  learned->equaliser = source.equaliser();
  learned->projection = std::move(projection);
  run.model.emplace(std::move(learned));
}

}  // namespace

Clustering cluster_coordinates(const Context& context, const Parameters& parameters, FloatView y) {
  ClusterRule rule;
  return run_clusterer(context, parameters, y.col_range(parameters.poc_dims, y.cols()), rule);
}

Run cluster(const Context& context, const Parameters& given, const ImageSet& images) {
  validate(given, images);
  StageTimer timer;
  Run run;
  run.parameters = fitted_to_canvas(given, images.size());
  FeatureSource source(context, run.parameters, images);
  const std::vector<std::size_t> fitted =
      draw_images(context, images.count(), images_to_fit(context, run.parameters, images));
  Projected projected = project_images(context, run.parameters, source, fitted, timer);
  require_enough(run.parameters, images, projected.images.size());
  run.variances = projected.projection.variances;
  run.total_variance = projected.projection.total_variance;

  settle_dims(context, projected.coordinates, run.parameters);
  auto learned = std::make_shared<Model::Contents>();
  ClusterRule& rule = learned->rule;
  rule = fit_clusters(context, projected, images, run);
  run.clustering.notes.insert(run.clustering.notes.begin(), projected.notes.begin(), projected.notes.end());
  timer.finish("clustering");
  const MapRule map = fit_map(context, projected.coordinates, run.clustering.labels, run.clustering.clusters);
  run.positions = FloatMatrix(projected.images.size(), 2);
  map.place(context, projected.coordinates, run.clustering.labels, run.positions);
  timer.finish("map");
  if (fitted.size() < images.count()) {
    projected.coordinates = {};
    run.clustering.notes.push_back(
        fmt::format("clusters were found among {} of the {} images; all were placed by what was found",
                    projected.images.size(), images.count()));
    place_all(context, projected.projection, rule, map, images.count(), source, run);
    timer.finish("placing all images");
  }
  describe_input(images, source, run);
  keep_model(run, images, source, std::move(projected.projection), std::move(learned));
  if (run.truth) run.metrics = evaluate(run.clustering.labels, run.truth->values);
  run.timings = timer.times();
  run.total_seconds = timer.total();
  return run;
}

}  // namespace pssc
