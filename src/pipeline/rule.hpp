#pragma once

#include <pssc/pipeline.hpp>

#include <optional>

namespace pssc {

/// How a clustering placed the points it was fitted to, so that any other point can be placed likewise. Which parts
/// there are depends on the method.
struct ClusterRule {
  std::size_t dropped = 0;         ///< leading coordinates that nothing below sees
  FloatMatrix whitening;           ///< [d x d], applied to the others first; may be empty
  std::optional<GraphRule> graph;  ///< U-SPEC
  FloatMatrix centres;             ///< of k-means
  std::optional<RidgeRule> ridge;
  Matrix<double> means;        ///< [clusters x d], whitened: outliers are far from these, or, where empty ...
  std::vector<float> limits;   ///< ... from what placed them: squared distances, one per cluster
  std::vector<Label> renamed;  ///< the numbers that clusters go by outside
  std::size_t clusters = 0;    ///< after renaming
};

/// Labels, confidence and outliers of points y [n x d]; what is prepared once is kept by the placer.
class Placer {
 public:
  explicit Placer(const ClusterRule& rule);
  Clustering place(const Context& context, FloatView y) const;
  /// How likely each cluster is: [n x clusters], rows sum to 1.
  FloatMatrix probabilities(const Context& context, FloatView y) const;
  /// Where points lie among the clusters, rows of length 1: by the eigenvectors of the graph or, with a ridge, by the
  /// roots of the probabilities. Throws Error(usage) where the rule has neither.
  FloatMatrix embed(const Context& context, FloatView y) const;

 private:
  const ClusterRule& rule_;
  std::optional<GraphPlacer> graph_;
};

/// Columns of `Placer::embed`; 0: the rule has no embedding.
std::size_t embedding_dims(const ClusterRule& rule);

}  // namespace pssc
