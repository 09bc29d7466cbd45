#include "place_all.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace pssc {

namespace {

/// Places images [begin, end) by what was learned.
PlacedPart place_part(const Context& context, const MapRule& map, const Projector& projector, const Placer& placer,
                      FeatureSource& source, std::size_t begin, std::size_t end, std::size_t total) {
  PlacedPart part{begin, end, {}, FloatMatrix(end - begin, 2), {}};
  std::vector<std::size_t> which(end - begin);
  std::iota(which.begin(), which.end(), begin);
  const auto append = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  source.for_each_chunk("placing", which, begin, total, [&](FloatView rows, auto) {
    const FloatMatrix y = projector.project(context, rows);
    const Clustering placed = placer.place(context, y);
    const std::size_t done = part.placed.labels.size();
    map.place(context, y, placed.labels, part.positions.view().row_range(done, done + y.rows()));
    append(part.placed.labels, placed.labels);
    append(part.placed.confidence, placed.confidence);
    append(part.placed.outliers, placed.outliers);
    append(part.placed.distances, placed.distances);
  });
  part.positions.truncate_rows(part.placed.labels.size());
  for (const BrokenImage& b : source.skipped())
    if (b.index >= begin && b.index < end) part.broken.push_back(b);
  return part;
}

/// Images that are placed, and kept, at a time: a whole number of chunks, so that it makes no difference to any number.
std::size_t images_a_part(const Context& context) {
  return context.place() == Place::host ? 8192 : 65536;
}

}  // namespace

Part placed_here(const Context& context, std::size_t count) {
  return own_part(context, count, images_a_part(context));
}

void place_all(const Context& context, const Fitted& fitted, std::size_t count, FeatureSource& source,
               std::vector<PlacedPart> placed, Checkpoints::State* kept, Run& run) {
  const Projector projector(fitted.learned->projection);
  const Placer placer(fitted.learned->rule);
  Clustering& clustering = run.clustering;
  clustering.labels.clear();
  clustering.confidence.clear();
  clustering.outliers.clear();
  clustering.distances.clear();
  const Part own = placed_here(context, count);
  run.positions = FloatMatrix(own.end - own.begin, 2);
  std::map<std::size_t, PlacedPart> there;
  for (PlacedPart& part : placed) there.emplace(part.begin, std::move(part));
  const auto append = [](auto& all, const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  const std::size_t step = images_a_part(context);
  for (std::size_t begin = own.begin; begin < own.end; begin += step) {
    const std::size_t end = std::min(own.end, begin + step), done = clustering.labels.size();
    PlacedPart part;
    if (const auto found = there.find(begin); found != there.end() && found->second.end == end) {
      part = std::move(found->second);
      source.restore(part.broken, {});
    } else {
      part = place_part(context, fitted.map, projector, placer, source, begin, end, count);
      if (kept) kept->save_placed(part);
    }
    copy_into(part.positions.view(), run.positions.view().row_range(done, done + part.positions.rows()));
    append(clustering.labels, part.placed.labels);
    append(clustering.confidence, part.placed.confidence);
    append(clustering.outliers, part.placed.outliers);
    append(clustering.distances, part.placed.distances);
  }
  run.positions.truncate_rows(clustering.labels.size());
  run.numbers = source.kept(own.begin, own.end);
}

void order_clusters(const Context& context, ClusterRule& rule, Clustering& clustering) {
  clustering.clusters = rule.renamed.size();  // one that was empty among the fitted may have found an image
  const std::vector<Label> renamed = order_by_size(context, clustering);
  for (Label& l : rule.renamed) l = renamed[static_cast<std::size_t>(l)];
  rule.clusters = clustering.clusters;
}

}  // namespace pssc
