#include "rule.hpp"

#include <pssc/core/linalg.hpp>

#include <algorithm>

namespace pssc {

Placer::Placer(const ClusterRule& rule) : rule_(rule) {
  if (rule.graph && !rule.gaussians) graph_.emplace(*rule.graph);
  if (rule.gaussians) gaussians_.emplace(*rule.gaussians);
  if (!rule.gaussians || rule.whitening.empty()) return;
  whitening_.mean.resize(rule.whitening.cols());
  whitening_.directions = rule.whitening.copy();  // it is symmetric
  whitener_.emplace(whitening_);
}

namespace {

/// The coordinates that the graph, the centres and the limits see.
class Seen {
 public:
  Seen(const Context& context, const ClusterRule& rule, FloatView y) : view_(y.col_range(rule.dropped, y.cols())) {
    if (rule.whitening.empty()) return;
    whitened_ = FloatMatrix(y.rows(), y.cols(), y.place());
    multiply(context, y, rule.whitening, whitened_);
    view_ = whitened_;
  }
  operator FloatView() const { return view_; }

 private:
  FloatMatrix whitened_;
  FloatView view_;
};

}  // namespace

FloatMatrix Embedder::embed(const Context& context, FloatView y) const {
  return graph_.embed(context, Seen(context, rule_, y));
}

FloatMatrix Placer::probabilities(const Context& context, FloatView y) const {
  const FloatMatrix found = gaussians_ ? gaussians_->probabilities(context, y.col_range(0, rule_.gaussian_dims))
                            : graph_   ? graph_->probabilities(context, Seen(context, rule_, y))
                                       : probabilities_by_centres(context, rule_.centres, Seen(context, rule_, y));
  FloatMatrix result(y.rows(), rule_.renamed.size());
  const std::vector<std::uint8_t> strays = rule_.strays.find(y);
  for (std::size_t i = 0; i < y.rows(); ++i) {
    for (std::size_t c = 0; c < found.cols(); ++c) result(i, static_cast<std::size_t>(rule_.renamed[c])) = found(i, c);
    if (strays[i]) std::ranges::fill(result.row(i).first(rule_.clusters), 1.0F / static_cast<float>(rule_.clusters));
  }
  return result;
}

Clustering Placer::place(const Context& context, FloatView y) const {
  std::optional<Seen> plainly;
  FloatMatrix quickly;
  FloatView seen;
  if (whitener_)
    seen = quickly = whitener_->project(context, y);
  else
    seen = plainly.emplace(context, rule_, y);
  Placed placed = gaussians_ ? gaussians_->place(context, y.col_range(0, rule_.gaussian_dims))
                  : graph_   ? graph_->place(context, seen)
                             : place_by_centres(context, rule_.centres, seen);
  if (!rule_.means.empty()) placed.distances = distances_to_means(context, seen, placed.labels, rule_.means);

  Clustering result;
  result.clusters = rule_.clusters;
  result.outliers = beyond_limits(placed.distances, placed.labels, rule_.limits);
  result.distances = std::move(placed.distances);
  result.labels = std::move(placed.labels);
  result.confidence = std::move(placed.confidence);
  rule_.strays.file(y, rule_.strays.find(y), result);
  for (Label& l : result.labels) l = rule_.renamed[static_cast<std::size_t>(l)];
  return result;
}

}  // namespace pssc
