#include "names.hpp"

#include <pssc/pipeline.hpp>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

namespace pssc {

namespace {

using Json = nlohmann::ordered_json;

Json count_or_auto(std::size_t value) {
  return value == Parameters::automatic ? Json("auto") : Json(value);
}

Json tuning_json(const TuningParams& t) {
  return {{"nuisance_images", t.nuisance_images},
          {"fits", t.fits},
          {"whitening_ridge", t.whitening_ridge},
          {"nuisance_share", t.nuisance_share},
          {"ridge",
           {{"representatives", t.ridge.representatives},
            {"ridge", t.ridge.ridge},
            {"jitter", t.ridge.jitter},
            {"rounds", t.ridge.rounds},
            {"settled", t.ridge.settled}}}};
}

/// What small changes do to an image, and what features are averaged over.
Json ignored_json(const Run& run) {
  Json moves = Json::array();
  for (const Move& m : run.moves) moves.push_back({{"kind", name_of(m.change)}, {"move", m.size}});
  return {{"kinds", names_of(run.parameters.ignored)}, {"moves", moves}};
}

Json removed_json(const Run& run) {
  Json directions = Json::array();
  for (const RemovedDirection& d : run.removed)
    directions.push_back({{"variance_share", d.variance_share}, {"low", d.low}, {"high", d.high}});
  return {{"by", "poc"}, {"directions", directions}};
}

Json json_of(const Parameters& p, std::size_t size) {
  return {{"size", size},
          {"features", name_of(p.features)},
          {"sample_images", p.sample_images},
          {"fit_images", p.fit_images},
          {"zoom", count_or_auto(p.zoom)},
          {"contrast", name_of(p.contrast)},
          {"ignore", names_of(p.ignored)},
          {"scales", p.scales},
          {"angles", p.angles},
          {"order", p.order},
          {"equalise", name_of(p.equalise)},
          {"pca_dims", p.pca_dims},
          {"poc_dims", count_or_auto(p.poc_dims)},
          {"clusterer", name_of(p.clusterer)},
          {"clusters", count_or_auto(p.clusters)},
          {"candidates", p.candidates},
          {"representatives", p.representatives},
          {"neighbours", p.neighbours},
          {"knn", name_of(p.search)},
          {"as_published_code", p.as_published_code},
          {"refine", name_of(p.refine)},
          {"k_range", {p.k_least, p.k_most}},
          {"tree", p.tree},
          {"tuning", tuning_json(p.tuning)},
          {"dbscan_radius", p.dbscan_radius},
          {"dbscan_points", p.dbscan_points}};
}

Json input_json(const Run& run) {
  Json skipped = Json::array();
  std::error_code missing;
  Json path = nullptr;  // a data set has a name and no path
  if (std::filesystem::exists(run.input, missing)) path = std::filesystem::absolute(run.input).string();
  for (const BrokenImage& b : run.skipped) skipped.push_back({{"id", b.id}, {"reason", b.reason}});
  return {{"name", run.input},           {"path", path},
          {"count", run.count},          {"height", run.height},
          {"width", run.width},          {"channels", run.channels},
          {"frame", name_of(run.frame)}, {"skipped", run.skipped.size()},
          {"skipped_images", skipped}};
}

Json metrics_json(const std::optional<Metrics>& m) {
  if (!m) return nullptr;
  return {{"accuracy", m->accuracy}, {"purity", m->purity}, {"nmi", m->nmi}, {"ari", m->ari}};
}

/// Of a run of several ranks: what the one that sent most sent, a stage.
Json traffic_json(const Run& run) {
  Json stages = Json::array();
  for (const StageTraffic& t : run.traffic)
    stages.push_back(
        {{"stage", t.stage}, {"bytes_sent", t.bytes}, {"messages", t.messages}, {"alone_seconds", t.alone_seconds}});
  return stages;
}

Json verdict_json(const Run& run) {
  if (!run.verdict) return nullptr;
  Json numbers = Json::array();
  for (const ClusterCount& c : run.verdict->counts) numbers.push_back({{"clusters", c.clusters}, {"share", c.score}});
  return {{"clear", run.verdict->clear}, {"unrestricted", run.verdict->unrestricted}, {"numbers", numbers}};
}

Json symmetry_json(const Symmetry& s) {
  return {{"mirror", s.mirror}, {"half_turn", s.half_turn}, {"quarter_turn", s.quarter_turn}};
}

Json json_of(const Adaptation& found) {
  Json candidates = Json::array();
  for (const Candidate& c : found.candidates)
    candidates.push_back({{"description", description(c)},
                          {"options", options_for(c)},
                          {"stability", c.stability},
                          {"confidence", c.confidence}});
  return {{"chosen", found.chosen},
          {"candidates", candidates},
          {"turned_images_at_home", symmetry_json(found.symmetry)},
          {"sample_images", found.images.size()},
          {"clusters", found.clusters},
          {"seconds", found.seconds}};
}

std::size_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

std::string tree_json(const Run& run) {
  Json pieces = Json::array(), joins = Json::array();
  for (const ClusterTree::Piece& piece : run.tree->pieces)
    pieces.push_back({{"size", piece.size}, {"images", piece.images}});
  for (const ClusterTree::Join& join : run.tree->joins)
    joins.push_back({{"groups", {join.one, join.other}}, {"tie", join.tie}});
  return Json{{"pieces", pieces}, {"joins", joins}, {"k_verdict", verdict_json(run)}}.dump(2) + "\n";
}

std::string parameters_json(const Parameters& parameters, std::size_t size) {
  return json_of(parameters, size).dump();
}

std::string adaptation_json(const Adaptation& found) {
  return json_of(found).dump(2) + "\n";
}

std::string summary_json(const Context& context, const Run& run) {
  Json timings = Json::array(), candidates = Json::array();
  for (const StageTime& t : run.timings) timings.push_back({{"stage", t.stage}, {"seconds", t.seconds}});
  for (const ClusterCount& c : run.clustering.counts)
    candidates.push_back({{"clusters", c.clusters}, {"score", c.score}});
  Json parameters = json_of(run.parameters, run.height);
  parameters.update({{"max_pixels", run.limits.pixels},
                     {"max_unfolded", run.limits.unfolded},
                     {"follow_links", run.limits.follow_links}});
  Json backend = {{"device", context.device() == Device::cuda ? "cuda" : "cpu"},
                  {"simd", scattering_simd()},
                  {"threads", context.threads()},
                  {"ranks", context.ranks().ranks()}};
  if (context.ranks().ranks() > 1) backend["traffic"] = traffic_json(run);
  const Json summary = {
      {"version", version()},
      {"input", input_json(run)},
      {"parameters", parameters},
      {"clusters", run.clustering.clusters},
      {"cluster_sizes", run.tally.sizes},
      {"noise", run.tally.noise},
      {"metrics", metrics_json(run.metrics)},
      {"timings", timings},
      {"total_seconds", run.total_seconds},
      {"images_per_second", static_cast<double>(run.count) / run.total_seconds},
      {"peak_memory_bytes", peak_memory_bytes()},
      {"eigenvalues", run.clustering.eigenvalues},
      {"k_candidates", candidates},
      {"pca", {{"total_variance", run.total_variance}, {"variances", run.variances}}},
      {"projected_out", removed_json(run)},
      {"ignored", ignored_json(run)},
      {"adapted", run.adaptation ? json_of(*run.adaptation) : Json(nullptr)},
      {"turned_images_at_home", run.symmetry ? symmetry_json(*run.symmetry) : Json(nullptr)},
      {"suggestion", suggestion(run) ? Json(*suggestion(run)) : Json(nullptr)},
      {"stability", run.clustering.stability},
      {"k_verdict", verdict_json(run)},
      {"outliers", run.tally.all_outliers},
      {"notes", run.clustering.notes},
      {"backend", backend},
      {"seed", context.seed()},
  };
  // Names of files may hold any bytes; what is not UTF-8 is replaced rather than refused.
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pssc
