#include "fitted.hpp"

#include "shared.hpp"

#include <pssc/core/spread.hpp>

#include <string>
#include <utility>

namespace pssc {

namespace {

/// What has a number an image.
template <class Archive>
void transfer_rows(Archive& a, Fitted& f, Run& run) {
  transfer(a, run.clustering.labels);
  transfer(a, run.clustering.confidence);
  transfer(a, run.clustering.outliers);
  transfer(a, run.clustering.distances);
  transfer(a, run.positions);
  transfer(a, f.images);
}

/// All else.
template <class Archive>
void transfer_learned(Archive& a, Fitted& f, Run& run, std::vector<BrokenImage>& broken,
                      std::vector<StageTime>& times) {
  a(run.parameters.pca_dims), a(run.parameters.poc_dims);
  Clustering& c = run.clustering;
  a(c.clusters);
  transfer(a, c.stability);
  transfer(a, c.eigenvalues);
  transfer(a, c.counts, [&](ClusterCount& count) { a(count.clusters), a(count.score); });
  transfer(a, c.notes, [&](std::string& note) { transfer(a, note); });
  transfer(a, run.removed, [&](RemovedDirection& d) { transfer(a, d); });
  transfer(a, run.tree, [&](ClusterTree& tree) { transfer(a, tree); });
  transfer(a, run.verdict, [&](CountVerdict& verdict) { transfer(a, verdict); });
  transfer(a, run.symmetry, [&](Symmetry& s) { a(s.mirror), a(s.half_turn), a(s.quarter_turn); });
  transfer(a, run.moves, [&](Move& move) { transfer(a, move); });
  transfer(a, f.learned->equaliser);
  transfer(a, f.learned->projection);
  transfer(a, f.learned->rule);
  transfer(a, f.map);
  transfer(a, broken, [&](BrokenImage& b) { transfer(a, b); });
  transfer(a, times, [&](StageTime& t) { transfer(a, t); });
}

}  // namespace

/// The rows of all ranks on the first, which keeps them: a file does not tell how many ranks there were.
void save_fitted(const Context& context, Checkpoints::State& kept, const FeatureSource& source, const StageTimer& timer,
                 Fitted& fitted, Run& run) {
  std::vector<BrokenImage> broken = source.all_skipped();
  std::vector<StageTime> times = timer.times();
  Fitted all{fitted.learned, {}, gather_at_first(context, fitted.images)};
  Run rows;
  rows.clustering.labels = gather_at_first(context, run.clustering.labels);
  rows.clustering.confidence = gather_at_first(context, run.clustering.confidence);
  rows.clustering.outliers = gather_at_first(context, run.clustering.outliers);
  rows.clustering.distances = gather_at_first(context, run.clustering.distances);
  rows.positions = gather_matrix_at_first(context, run.positions);
  once(context, [&] {
    kept.save("clusters", [&](auto& a) {
      transfer_rows(a, all, rows);
      transfer_learned(a, fitted, run, broken, times);
    });
  });
}

bool load_fitted(const Context& context, Checkpoints::State& kept, FeatureSource& source, StageTimer& timer,
                 Fitted& fitted, Run& run) {
  std::vector<BrokenImage> broken;
  std::vector<StageTime> times;
  const bool there = true_at_first(context, [&] {
    return kept.load("clusters", [&](Reader& a) {
      transfer_rows(a, fitted, run);
      transfer_learned(a, fitted, run, broken, times);
    });
  });
  if (!there) return false;
  share(context, [&](auto& a) { transfer_learned(a, fitted, run, broken, times); });
  if (context.ranks().rank() > 0) run.removed.clear(), run.tree.reset();
  const Part part = own_part(context, sum_of_all(context, fitted.images.size()));
  const std::size_t own = part.end - part.begin;
  const bool measured = sum_of_all(context, run.clustering.distances.size()) > 0;
  Clustering& c = run.clustering;
  fitted.images = spread_values(context, fitted.images, own);
  c.labels = spread_values(context, c.labels, own);
  c.confidence = spread_values(context, c.confidence, own);
  c.outliers = spread_values(context, c.outliers, own);
  if (measured) c.distances = spread_values(context, c.distances, own);
  if (run.positions.cols() == 0) run.positions = FloatMatrix(0, 2);
  run.positions = spread_rows(context, run.positions, own);
  source.restore(broken, fitted.images);
  source.equalise(fitted.learned->equaliser);
  timer.restore(std::move(times));
  return true;
}

}  // namespace pssc
