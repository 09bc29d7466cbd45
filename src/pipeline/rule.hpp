#pragma once

#include "strays.hpp"

#include <pssc/pipeline.hpp>

#include <optional>

namespace pssc {

/// How a clustering placed the points it was fitted to, so that any other point can be placed likewise. Which parts
/// there are depends on the method.
struct ClusterRule {
  std::size_t dropped = 0;                ///< leading coordinates that the graph or the centres do not see
  FloatMatrix whitening;                  ///< [d x d], applied before the graph and the outliers; may be empty
  std::optional<GraphRule> graph;         ///< U-SPEC
  FloatMatrix centres;                    ///< of k-means
  std::optional<GaussianRule> gaussians;  ///< have the last word where there are any
  std::size_t gaussian_dims = 0;          ///< leading coordinates that they see
  Matrix<double> means;       ///< [clusters x d], whitened: outliers are far from these, or, where empty ...
  std::vector<float> limits;  ///< ... from what placed them: squared distances, a cluster each
  StrayRule strays;
  std::vector<Label> renamed;  ///< the numbers that clusters go by outside
  std::size_t clusters = 0;    ///< after renaming
};

/// Labels, confidence and outliers of points y [n x d]; what is prepared once is kept by the placer.
class Placer {
 public:
  explicit Placer(const ClusterRule& rule);
  Clustering place(const Context& context, FloatView y) const;
  /// How likely each cluster is: [n x clusters], rows sum to 1. For a stray all are equally likely.
  FloatMatrix probabilities(const Context& context, FloatView y) const;

 private:
  const ClusterRule& rule_;
  std::optional<GraphPlacer> graph_;
  std::optional<GaussianPlacer> gaussians_;
  Projection whitening_;               ///< where it serves outliers alone, rounding is no matter ...
  std::optional<Projector> whitener_;  ///< ... and the fast way will do
};

/// The spectral embedding of points y [n x d] by the graph of a rule, which must have one.
class Embedder {
 public:
  explicit Embedder(const ClusterRule& rule) : rule_(rule), graph_(*rule.graph) {}
  FloatMatrix embed(const Context& context, FloatView y) const;

 private:
  const ClusterRule& rule_;
  GraphPlacer graph_;
};

}  // namespace pssc
