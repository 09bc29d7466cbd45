#include "checkpoints.hpp"
#include "cluster_count.hpp"
#include "feature_source.hpp"
#include "fitted.hpp"
#include "map.hpp"
#include "model.hpp"
#include "names.hpp"
#include "parameters.hpp"
#include "place_all.hpp"
#include "poc_search.hpp"
#include "projected.hpp"
#include "removed.hpp"
#include "symmetry.hpp"
#include "tally.hpp"
#include "timer.hpp"
#include "tuned.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>
#include <pssc/pipeline.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
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

/// A method that needs all rows at once has them on one rank. They are few: it takes n^2 operations.
template <class Method>
Clustering on_one_rank(const Context& context, FloatView y, Method&& method) {
  if (context.ranks().ranks() == 1) return method(context, y);
  const FloatMatrix all = gather_matrix_at_first(context, y);
  Clustering result;
  once_alone(context, [&](const Context& alone) { result = method(alone, all); });
  result.labels = spread_values(context, result.labels, y.rows());
  result.confidence = spread_values(context, result.confidence, y.rows());
  result.outliers = spread_values(context, result.outliers, y.rows());
  std::vector<std::size_t> facts{result.clusters, result.distances.size()};
  broadcast(context, facts);
  result.clusters = facts[0];
  if (facts[1] > 0) result.distances = spread_values(context, result.distances, y.rows());
  return result;
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
      return on_one_rank(
          context, y, [&](const Context& one, FloatView all) { return spectral(one, {.clusters = p.clusters}, all); });
    case Clusterer::dbscan:
      return on_one_rank(context, y, [&](const Context& one, FloatView all) {
        return dbscan(one, {.radius = p.dbscan_radius, .min_points = p.dbscan_points}, all);
      });
  }
  throw usage_error("unknown clusterer");
}

void describe_input(const Context& context, const ImageSet& images, const FeatureSource& source, Run& run) {
  run.input = images.name();
  run.limits = images.limits();
  run.height = run.width = images.size();
  run.channels = images.channels();
  run.frame = images.frame();
  if (images.coloured() && images.channels() == 1)
    run.clustering.notes.push_back("the images have colours and were used in grey; --colour channels uses the colours");
  run.skipped = source.all_skipped();
  const RowShare share = share_of_rows(context, run.numbers.size());
  run.count = share.total;
  run.first = share.first;
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

/// Whether these ask for the default method.
bool tunes(const Parameters& p) {
  return p.clusterer == Clusterer::uspec && p.refine != Refinement::none;
}

/// The default method.
ClusterRule fit_tuned(const Context& context, FloatView y, const std::vector<std::size_t>& images,
                      const Nuisance& nuisance, Run& run) {
  Tuned tuned = cluster_tuned(context, run.parameters, y, images, nuisance);
  run.clustering = std::move(tuned.clustering);
  run.tree = std::move(tuned.tree);
  run.verdict = std::move(tuned.verdict);
  if (run.verdict) {
    run.clustering.counts = run.verdict->counts;
    if (!run.verdict->clear) run.clustering.notes.push_back(words_of(*run.verdict, run.parameters));
  }
  return std::move(tuned.rule);
}

/// One clustering, of coordinates in which small changes are whitened where some are ignored.
ClusterRule fit_once(const Context& context, FloatView y, const Nuisance& nuisance, Run& run) {
  ClusterRule rule;
  FloatMatrix whitened;
  if (!nuisance.empty()) {
    const Whitening whitening = whitening_of(context, nuisance.covariance(), run.parameters.tuning.whitening_ridge);
    rule.whitening = whitening.map.copy();
    y = whitened = whiten(context, whitening, y);
  }
  run.clustering = run_clusterer(context, run.parameters, y, rule);
  rule.clusters = run.clustering.clusters;
  return rule;
}

/// Fits the clustering and returns what places further images.
ClusterRule fit_clusters(const Context& context, Projected& projected, const ImageSet& images, Run& run) {
  const Parameters& p = run.parameters;
  const FloatView all = projected.coordinates, y = all.col_range(p.poc_dims, all.cols());
  const Nuisance nuisance = without_leading(std::move(projected.nuisance), p.poc_dims);
  run.moves = nuisance.moves;
  ClusterRule rule =
      tunes(p) ? fit_tuned(context, y, projected.images, nuisance, run) : fit_once(context, y, nuisance, run);
  rule.dropped = p.poc_dims;
  run.removed = directions_dropped(context, projected.projection, all, p.poc_dims, {projected.images, images});
  return rule;
}

/// Finds clusters among the projected images, and a map of them.
Fitted find_clusters(const Context& context, const ImageSet& images, Projected projected, StageTimer& timer, Run& run) {
  Fitted fitted;
  require_enough(run.parameters, images, sum_of_all(context, projected.images.size()));
  settle_dims(context, projected.coordinates, run.parameters);
  fitted.learned->rule = fit_clusters(context, projected, images, run);
  run.clustering.notes.insert(run.clustering.notes.begin(), projected.notes.begin(), projected.notes.end());
  timer.finish("clustering");
  fitted.map = fit_map(context, projected.coordinates, run.clustering.labels, run.clustering.clusters);
  run.positions = FloatMatrix(projected.images.size(), 2);
  fitted.map.place(context, projected.coordinates, run.clustering.labels, run.positions);
  timer.finish("map");
  fitted.images = std::move(projected.images);
  fitted.learned->projection = std::move(projected.projection);
  return fitted;
}

/// Projects images and finds clusters among them. Ranks that each have a device compute features and place images with
/// it; what all of them learn together, from rows that stand for the others, they learn on the processor.
Fitted fit(const Context& given, const ImageSet& images, const std::vector<std::size_t>& which, FeatureSource& source,
           StageTimer& timer, Checkpoints::State* kept, Run& run) {
  std::optional<Context> host;
  const bool on_host = given.ranks().ranks() > 1 && given.device() != Device::cpu;
  const Context& context = on_host ? host.emplace(given.on_host()) : given;
  Projected projected = project_images(context, run.parameters, source, which, timer, kept);
  if (tunes(run.parameters) && run.parameters.features == Features::scattering)
    run.symmetry = look_for_symmetry(context, source, projected);
  Fitted fitted;
  try {
    fitted = find_clusters(context, images, std::move(projected), timer, run);
  } catch (const Error& error) {  // what cannot be clustered as asked cannot be the next time: there is nothing to keep
    if (kept && error.kind() != ErrorKind::failed) kept->finish();
    throw;
  }
  fitted.learned->equaliser = source.equaliser();
  if (kept) {
    once(context, [&] { kept->drop_placed(); });
    save_fitted(context, *kept, source, timer, fitted, run);
  }
  return fitted;
}

void tell_continued(const Context& context, const Checkpoints::State& kept, const std::vector<PlacedPart>& placed,
                    std::size_t count) {
  std::size_t images = 0;
  for (const PlacedPart& part : placed) images += part.end - part.begin;
  images = sum_of_all(context, images);
  kept.tell(images == 0 ? "continuing: the clusters are kept"
                        : fmt::format("continuing: the clusters are kept, and where {} of the {} images belong", images,
                                      count));
}

/// What was learned becomes the run's model, unless the clusterer leaves nothing to place further images by.
void keep_model(Run& run, const ImageSet& images, std::shared_ptr<Model::Contents> learned) {
  if (learned->rule.renamed.empty()) return;
  const Parameters& p = run.parameters;
  learned->size = images.size();
  learned->channels = images.channels();
  learned->frame = images.frame();
  learned->features = p.features;
  learned->scales = p.scales;
  learned->angles = p.angles;
  learned->order = p.order;
  learned->zoom = p.zoom;
  learned->contrast = p.contrast;
  learned->ignored = p.ignored;
  run.model.emplace(std::move(learned));
}

Run run_stages(const Context& context, const Parameters& given, const ImageSet& images, Checkpoints::State* kept) {
  require_same_input(context, images);
  validate(given, images);
  StageTimer timer(context.ranks());
  Run run;
  run.parameters = fitted_to_canvas(given, images.size());
  settle_zoom(run.parameters, images);
  FeatureSource source(context, run.parameters, images);
  const std::vector<std::size_t> which =
      draw_images(context, images.count(), images_to_fit(context, run.parameters, images));
  if (kept) kept->begin(context, run.parameters, images);
  Fitted fitted;
  std::vector<PlacedPart> placed;
  if (kept && load_fitted(context, *kept, source, timer, fitted, run)) {
    const Part own = placed_here(context, images.count());
    placed = kept->load_placed(own.begin, own.end);
    tell_continued(context, *kept, placed, images.count());
  } else {
    fitted = fit(context, images, which, source, timer, kept, run);
  }
  run.variances = fitted.learned->projection.variances;
  run.total_variance = fitted.learned->projection.total_variance;
  run.numbers = fitted.images;
  if (which.size() < images.count()) {
    run.clustering.notes.push_back(
        fmt::format("clusters were found among {} of the {} images; all were placed by what was found",
                    sum_of_all(context, fitted.images.size()), images.count()));
    place_all(context, fitted, images.count(), source, std::move(placed), kept, run);
    order_clusters(context, fitted.learned->rule, run.clustering);
    timer.finish("placing all images");
  }
  describe_input(context, images, source, run);
  keep_model(run, images, std::move(fitted.learned));
  tally(context, run);
  run.timings = timer.times();
  run.traffic = timer.traffic();
  run.total_seconds = timer.total();
  return run;
}

}  // namespace

Clustering cluster_coordinates(const Context& context, const Parameters& parameters, FloatView y) {
  ClusterRule rule;
  return run_clusterer(context, parameters, y.col_range(parameters.poc_dims, y.cols()), rule);
}

Run cluster(const Context& context, const Parameters& parameters, const ImageSet& images) {
  return run_stages(context, parameters, images, nullptr);
}

Run cluster(const Context& context, const Parameters& parameters, const ImageSet& images, Checkpoints& kept) {
  return run_stages(context, parameters, images, &kept.state());
}

}  // namespace pssc
