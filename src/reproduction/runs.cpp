#include "runs.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>

namespace pssc::reproduction {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

DatasetInfo info(const std::string& dataset) {
  for (DatasetInfo& d : list_datasets())
    if (d.name == dataset) return d;
  throw usage_error("unknown data set " + dataset);
}

std::string cell_name(const Wanted& w) {
  return fmt::format("{}.{}.seed{}", w.dataset, w.method, w.seed);
}

Json made_of(const Wanted& w, const Method& m) {
  return {{"dataset", w.dataset}, {"seed", w.seed}, {"parameters", Json::parse(parameters_json(m.parameters, 32))}};
}

Json figures(const Metrics& m, double seconds) {
  return {{"accuracy", m.accuracy}, {"purity", m.purity}, {"nmi", m.nmi}, {"ari", m.ari}, {"seconds", seconds}};
}

}  // namespace

Workshop::Workshop(const Context& context, const Cells& cells, std::function<void(const std::string&)> told)
    : context_(context), cells_(cells), told_(std::move(told)) {}

Context Workshop::with_seed(std::uint64_t seed) const {
  Context context(context_.threads(), seed);
  context.memory = context_.memory;
  context.progress = context_.progress;
  context.interrupt = context_.interrupt;
  return context;
}

void Workshop::tell(const std::string& line) const {
  if (told_) told_(line);
}

bool Workshop::has(const std::string& dataset) const {
  return info(dataset).path.has_value();
}

std::size_t Workshop::count(const std::string& dataset) const {
  return info(dataset).count;
}

const ImageSet& Workshop::images(const std::string& dataset) {
  auto& images = open_[dataset];
  if (!images) images = open_images(dataset, {.frame = Frame::black});
  return *images;
}

const Workshop::Coordinates& Workshop::coordinates(const Wanted& wanted, const Parameters& given) {
  Parameters p = given;
  p.poc_dims = 0;  // left out afterwards, where a method leaves it out
  const ImageSet& set = images(wanted.dataset);
  const bool by_seed = set.count() > p.sample_images;  // which images the components are learned from
  const std::string of = fmt::format(
      "{} {} {}", wanted.dataset, p.features == Features::pixels ? "pixels" : "scattering", by_seed ? wanted.seed : 0);
  if (coordinates_.of == of) return coordinates_;
  coordinates_ = {};
  const auto start = Clock::now();
  const Context context = with_seed(wanted.seed);
  std::size_t filled = 0;
  stream_features(
      context, p, set, FeatureStage::projected,
      [&](const FeatureShape& shape) { coordinates_.points = FloatMatrix(shape.images, shape.row[0]); },
      [&](FloatView rows) {
        for (std::size_t i = 0; i < rows.rows(); ++i)
          std::ranges::copy(rows.row(i), coordinates_.points.row(filled++).begin());
      });
  coordinates_.seconds = seconds_since(start);
  coordinates_.of = of;
  return coordinates_;
}

Json Workshop::compute(const Wanted& wanted, const Method& m) {
  const ImageSet& set = images(wanted.dataset);
  if (m.way == Method::Way::whole) {
    const auto start = Clock::now();
    const Context context = with_seed(wanted.seed);
    const Run run = pssc::cluster(context, m.parameters, set);
    return figures(*run.metrics, seconds_since(start));
  }
  const Coordinates& shared = coordinates(wanted, m.parameters);
  const auto start = Clock::now();
  const Context context = with_seed(wanted.seed);
  const Clustering found =
      m.way == Method::Way::neighbour_graph
          ? spectral_of_neighbours(context, {.clusters = m.parameters.clusters, .neighbours = m.parameters.neighbours},
                                   shared.points)
          : cluster_coordinates(context, m.parameters, shared.points);
  return figures(evaluate(found.labels, set.labels()->values), shared.seconds + seconds_since(start));
}

void Workshop::cluster(std::vector<Wanted> wanted) {
  if (!cells_.compute()) return;
  std::erase_if(wanted, [&](const Wanted& w) { return clustered(w) || !has(w.dataset); });
  const auto key = [](const Wanted& w) {
    const Method m = method(w.method);
    return std::tuple(w.dataset, m.way == Method::Way::whole, m.parameters.features == Features::pixels, w.seed,
                      w.method);
  };
  std::ranges::sort(wanted, {}, key);
  const auto same = [&](const Wanted& a, const Wanted& b) { return key(a) == key(b); };
  wanted.erase(std::unique(wanted.begin(), wanted.end(), same), wanted.end());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Wanted& w = wanted[i];
    const Method m = method(w.method);
    const Json f = cells_.get(cell_name(w), made_of(w, m), [&] { return compute(w, m); });
    tell(fmt::format("{:3} of {}  {} {} seed {}: accuracy {:.4f}  purity {:.4f}  NMI {:.4f}  {:.1f} s", i + 1,
                     wanted.size(), w.dataset, w.method, w.seed, f["accuracy"].get<double>(), f["purity"].get<double>(),
                     f["nmi"].get<double>(), f["seconds"].get<double>()));
  }
  coordinates_ = {};
}

std::optional<Json> Workshop::clustered(const Wanted& wanted) const {
  return cells_.find(cell_name(wanted), made_of(wanted, method(wanted.method)));
}

std::vector<Json> Workshop::clustered(const std::string& dataset, const std::string& name, std::size_t seeds) const {
  std::vector<Json> all;
  for (std::uint64_t s = 0; s < (method(name).by_chance ? seeds : 1); ++s)
    if (auto f = clustered({dataset, name, s})) all.push_back(std::move(*f));
  return all;
}

}  // namespace pssc::reproduction
