#pragma once

#include <pssc/core/context.hpp>
#include <pssc/core/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace pssc {

class BfloatMatrix;

/// How the paths of a scattering transform are brought to one scale.
enum class Equalisation {
  maxnorm,  ///< each path is divided by its largest norm over all images; decisive for the paper's figures
  log,      ///< log(1 + S / m), m the mean of the path over all images and positions
  none,
};

/// What equalisation learned: one number a path.
struct Equaliser {
  Equalisation kind = Equalisation::none;
  std::size_t path_length = 1;  ///< numbers a path (h x w)
  std::vector<float> scale;     ///< [paths]: what a path is divided by; empty for none

  /// In place on features [n x paths*path_length], on one thread.
  void apply(MatrixView<float> features) const;
};

/// features [n x paths*path_length] -> the scales that equalise those of all ranks.
Equaliser fit_equaliser(const Context& context, Equalisation kind, FloatView features, std::size_t path_length);

/// In place, on the context's threads.
void equalise(const Context& context, const Equaliser& equaliser, MatrixView<float> features);

/// Orthogonal directions in feature space, in the order of falling variance, and the point they start from.
struct Projection {
  std::vector<float> mean;        ///< [D]
  FloatMatrix directions;         ///< [d x D], orthonormal rows
  std::vector<double> variances;  ///< [d], of the data along each direction
  double total_variance = 0;      ///< of the data in all D dimensions

  std::size_t dimension() const { return directions.rows(); }
};

/// Principal components of x [n x D], fewer than `dims` where there are fewer rows or columns: the leading eigenvectors
/// of the covariance, at n D^2 operations and 24 D^2 bytes. Where that is too much, or rows are few, they come from the
/// inner products of at most `rows_for_components` rows, drawn at random. Throws Error(input) where all rows are the
/// same.
Projection fit_pca(const Context& context, FloatView x, std::size_t dims);

/// The leading principal directions of some rows, each divided by the deviation along it: [count x D]. Zero for fewer
/// than 3 rows, and where nothing varies.
FloatMatrix leading_axes(const Context& context, FloatMatrix rows, std::size_t count);

/// How many rows of D numbers `fit_pca` can make use of: any number up to 6,000 dimensions, half a minute's work, and
/// as long as the covariance fits half of the memory; else at most 4,000.
std::size_t rows_for_components(const Context& context, std::size_t dimension);

/// Projection onto the orthogonal complement (POC): the same without its first n directions, those of largest variance.
/// Throws Error(usage) where nothing would be left.
Projection orthogonal_complement(const Projection& projection, std::size_t n);

/// Coordinates of x [n x D] along the directions: [n x d].
FloatMatrix project(const Context& context, const Projection& projection, FloatView x);
void project(const Context& context, const Projection& projection, FloatView x, MatrixView<float> y);

/// The same for rows that arrive some at a time: what can be prepared is prepared once. Where the processor multiplies
/// bfloat16 by itself that is used, and faster; coordinates are then off by some 1e-3 of the features'
/// deviation, far less than the coordinates' own, and a row's do not depend on the rows beside it. The projection must
/// stay.
class Projector {
 public:
  explicit Projector(const Projection& projection);
  ~Projector();
  FloatMatrix project(const Context& context, FloatView x) const;

 private:
  const Projection& projection_;
  std::unique_ptr<BfloatMatrix> rounded_;  ///< none: the processor has no such instruction
};

/// What varies inside the clusters of a clustering, and the map that makes it vary alike in all directions.
struct Whitening {
  FloatMatrix map;                ///< [d x d], symmetric: S_w^-1/2
  FloatMatrix inverse;            ///< [d x d], S_w^1/2
  FloatMatrix directions;         ///< [d x d], rows: eigenvectors of S_w, by falling variance
  std::vector<double> variances;  ///< [d], along them, inside the clusters, before the ridge
};

/// S_w, the pooled covariance of y [n x d] inside its clusters, known to rank 0 alone; labels[i] is 0 .. clusters-1, or
/// negative for none.
Matrix<double> within_covariance(const Context& context, FloatView y, std::span<const std::int32_t> labels,
                                 std::size_t clusters);

/// By a covariance that rank 0 knows, plus `ridge` times its mean variance on the diagonal. Where the covariance is
/// zero there is nothing to whiten, and the map is the identity.
Whitening whitening_of(const Context& context, Matrix<double> covariance, double ridge);

/// S_w, the pooled covariance of y [n x d] inside its clusters, plus `ridge` times its mean variance on the diagonal,
/// which keeps directions with hardly any variance from being blown up. labels[i] is 0 .. clusters-1, or negative for
/// none. Throws Error(input) where nothing varies inside any cluster.
Whitening fit_whitening(const Context& context, FloatView y, std::span<const std::int32_t> labels, std::size_t clusters,
                        double ridge);

/// y S_w^-1/2: [n x d].
FloatMatrix whiten(const Context& context, const Whitening& whitening, FloatView y);

/// Back from whitened coordinates: z S_w^1/2.
FloatMatrix unwhiten(const Context& context, const Whitening& whitening, FloatView z);

/// The mean of y [n x d] over each cluster: [clusters x d]; zero for an empty one.
Matrix<double> cluster_means(const Context& context, FloatView y, std::span<const std::int32_t> labels,
                             std::size_t clusters);

/// Squared distances of points z [n x d] to the means of their clusters.
std::vector<float> distances_to_means(const Context& context, FloatView z, std::span<const std::int32_t> labels,
                                      const Matrix<double>& means);

/// Where each row lies along directions of its cluster's own, [clusters * m x d], seen from the cluster's mean: [n x
/// m]; zero where the label is negative.
FloatMatrix scores_along_own(const Context& context, FloatView y, std::span<const std::int32_t> labels,
                             const FloatMatrix& means, const FloatMatrix& directions);

}  // namespace pssc
