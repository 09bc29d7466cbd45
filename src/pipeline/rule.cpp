#include "rule.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>

#include <algorithm>
#include <cmath>

namespace pssc {

namespace {

/// The coordinates that the graph, the centres, the ridge and the limits see.
class Seen {
 public:
  Seen(const Context& context, const ClusterRule& rule, FloatView y) : view_(y.col_range(rule.dropped, y.cols())) {
    if (rule.whitening.empty()) return;
    whitened_ = FloatMatrix(y.rows(), rule.whitening.cols(), y.place());
    multiply(context, view_, rule.whitening, whitened_);
    view_ = whitened_;
  }
  operator FloatView() const { return view_; }

 private:
  FloatMatrix whitened_;
  FloatView view_;
};

}  // namespace

Placer::Placer(const ClusterRule& rule) : rule_(rule) {
  if (rule.graph) graph_.emplace(*rule.graph);
}

std::size_t embedding_dims(const ClusterRule& rule) {
  return rule.graph ? rule.graph->eigenvectors.rows() : rule.ridge ? rule.ridge->weights.cols() : 0;
}

FloatMatrix Placer::embed(const Context& context, FloatView y) const {
  const Seen seen(context, rule_, y);
  if (graph_) return graph_->embed(context, seen);
  if (!rule_.ridge) throw usage_error("the model has no graph to embed images by; take --clusterer uspec");
  FloatMatrix roots = rule_.ridge->probabilities(context, seen);
  for (std::size_t i = 0; i < roots.size(); ++i) roots.data()[i] = std::sqrt(roots.data()[i]);
  return roots;
}

FloatMatrix Placer::probabilities(const Context& context, FloatView y) const {
  const Seen seen(context, rule_, y);
  const FloatMatrix found = rule_.ridge ? rule_.ridge->probabilities(context, seen)
                            : graph_    ? graph_->probabilities(context, seen)
                                        : probabilities_by_centres(context, rule_.centres, seen);
  FloatMatrix result(y.rows(), rule_.renamed.size());
  for (std::size_t i = 0; i < y.rows(); ++i)
    for (std::size_t c = 0; c < found.cols(); ++c) result(i, static_cast<std::size_t>(rule_.renamed[c])) = found(i, c);
  return result;
}

Clustering Placer::place(const Context& context, FloatView y) const {
  const Seen seen(context, rule_, y);
  Placed placed = rule_.ridge ? rule_.ridge->place(context, seen)
                  : graph_    ? graph_->place(context, seen)
                              : place_by_centres(context, rule_.centres, seen);
  if (!rule_.means.empty()) placed.distances = distances_to_means(context, seen, placed.labels, rule_.means);

  Clustering result;
  result.clusters = rule_.clusters;
  result.outliers = beyond_limits(placed.distances, placed.labels, rule_.limits);
  result.distances = std::move(placed.distances);
  result.labels = std::move(placed.labels);
  result.confidence = std::move(placed.confidence);
  for (Label& l : result.labels) l = rule_.renamed[static_cast<std::size_t>(l)];
  return result;
}

}  // namespace pssc
