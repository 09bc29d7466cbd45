#pragma once

#include <pssc/core/context.hpp>
#include <pssc/core/matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pssc {

using Label = std::int32_t;
constexpr Label noise_label = -1;  ///< an image that DBSCAN put into no cluster

// ---- k-means -------------------------------------------------------------------------------------------------------

struct KMeansParams {
  enum class Start {
    plus_plus,  ///< k-means++: far from each other; worth its passes over the data for few clusters
    sample,     ///< rows drawn at random; for many clusters
  };
  std::size_t clusters = 10;
  std::size_t starts = 10;       ///< the best of so many runs is kept
  std::size_t iterations = 100;  ///< at most, a run
  double tolerance = 0;  ///< ends where the squared moves of the centres sum to less than so many mean variances
  Start start = Start::plus_plus;
  std::size_t images_each = 0;  ///< the centres are found on so many images a cluster, drawn at random; 0: on all
};

struct KMeansResult {
  std::vector<Label> labels;  ///< [n]
  FloatMatrix centres;        ///< [clusters x d]
  double inertia = 0;         ///< sum of squared distances to the centres
};

// Where a run has several ranks, x is a rank's part of the rows, and so are all results that have a number a row; what
// is learned is learned from all rows, and the same on every rank.

/// Lloyd's algorithm on x [n x d]. Ties go to the lower centre; an empty cluster restarts at the point farthest from
/// its centre. Throws Error(input) where n < clusters.
KMeansResult kmeans(const Context& context, const KMeansParams& params, FloatView x);

// ---- nearest neighbours --------------------------------------------------------------------------------------------

enum class Search {
  exact,  ///< blocked matrix products: exact, and faster up to several thousand points
  hnsw,   ///< hierarchical navigable small worlds: for very many points
};

struct Neighbours {
  Matrix<std::int32_t> indices;  ///< [n x k], nearest first
  FloatMatrix distances;         ///< [n x k], squared
};

/// The k nearest of points [m x d] for each row of x [n x d].
Neighbours nearest(const Context& context, Search search, std::size_t k, FloatView x, FloatView points);

/// The same for rows that arrive some at a time: what can be prepared is prepared once. The points must stay.
class NeighbourIndex {
 public:
  NeighbourIndex(Search search, FloatView points);
  ~NeighbourIndex();
  Neighbours nearest(const Context& context, std::size_t k, FloatView x) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// ---- U-SPEC (Huang et al. 2019): spectral clustering through representatives ---------------------------------------

struct USpecParams {
  std::size_t clusters = 10;           ///< C; 0: the number with the largest gap between eigenvalues
  std::size_t candidates = 9000;       ///< p': rows drawn at random, from which ...
  std::size_t representatives = 1000;  ///< p: ... so many representatives are made by k-means
  std::size_t neighbours = 5;          ///< k: representatives an image is tied to
  Search search = Search::exact;
  std::size_t lloyd_iterations = 15;  ///< for the representatives; U-SPEC's authors use 10 to 20
  std::size_t starts = 10;            ///< of the final k-means
  bool as_published_code = false;     ///< what the paper's authors' program does where it differs from their paper
};

/// p rows that stand for all of x: centres of k-means on the candidates.
FloatMatrix choose_representatives(const Context& context, const USpecParams& params, FloatView x);

/// Images tied to their nearest representatives: the sparse matrix D_X^-1 A.
struct Ties {
  Matrix<std::int32_t> indices;  ///< [n x k]
  FloatMatrix weights;           ///< [n x k], each row sums to 1
  std::vector<float> distances;  ///< [n]: squared, to the nearest representative
};

/// The ties of a set of images, and what transfer cut makes of them.
struct ReducedGraph : Ties {
  FloatMatrix representatives;      ///< [p x d]
  double width = 0;                 ///< of the kernel: sigma
  std::vector<double> eigenvalues;  ///< of L, falling; at least C of them
  Matrix<double> eigenvectors;      ///< [count x p]: rows D_Y^-1/2 v
};

/// A number of clusters and what speaks for it.
struct ClusterCount {
  std::size_t clusters = 0;
  double score = 0;  ///< the gap after that many eigenvalues, or the step between the ties of two merges
};

/// A cluster of which repeated clusterings find less than this again is not stable (Hennig 2007).
constexpr double unstable_below = 0.6;

/// A clustering of n images, whatever made it.
struct Clustering {
  std::vector<Label> labels;           ///< [n], 0 .. clusters-1 by falling size, or noise_label
  std::vector<float> confidence;       ///< [n], 0 to 1
  std::vector<std::uint8_t> outliers;  ///< [n], 1: belongs to no cluster
  std::vector<float> distances;        ///< [n], squared, from what is typical of the cluster; empty where not known
  std::size_t clusters = 0;
  std::vector<double> stability;     ///< [clusters], 0 to 1: how well each comes back in other fits; may be empty
  std::vector<double> eigenvalues;   ///< of the graph, falling; empty where there is none
  std::vector<ClusterCount> counts;  ///< the three numbers of clusters the eigenvalues speak for, best first
  std::vector<std::string> notes;    ///< what had to be adapted, in words for the user
};

/// Representatives, neighbours, affinity and the spectrum of the reduced graph, with `eigenvectors` of them.
ReducedGraph reduce_graph(const Context& context, const USpecParams& params, FloatView x, std::size_t eigenvectors);
/// The same with representatives that are already there.
ReducedGraph reduce_graph(const Context& context, const USpecParams& params, FloatView x, FloatMatrix representatives,
                          std::size_t eigenvectors);

/// The rows of D_X^-1 A D_Y^-1/2 v for the first `dims` eigenvectors, scaled to length 1: [n x dims].
FloatMatrix spectral_embedding(const Context& context, const Ties& ties, const Matrix<double>& eigenvectors,
                               std::size_t dims);

/// The embedding of the first `dims` eigenvectors (or of as many as there are), clustered by k-means: labels 0 ..
/// clusters-1 and the centres.
KMeansResult cut_graph(const Context& context, const ReducedGraph& graph, std::size_t dims, const KMeansParams& params);

/// What places any image where the images of a graph were placed by a cut.
struct GraphRule {
  Search search = Search::exact;
  std::size_t neighbours = 5;
  bool as_published_code = false;
  double width = 0;
  FloatMatrix representatives;  ///< [p x d]
  Matrix<double> eigenvectors;  ///< [C x p]
  FloatMatrix centres;          ///< [C x C], of the clusters in the embedding
  Matrix<double> shares;        ///< [p x C]: of a representative's weight, by the clusters of its images
};

/// Images as a rule placed them.
struct Placed {
  std::vector<Label> labels;      ///< [n]
  std::vector<float> confidence;  ///< [n], 0 to 1
  std::vector<float> distances;   ///< [n], squared, to what the rule measures by
};

GraphRule graph_rule(const Context& context, const USpecParams& params, const ReducedGraph& graph,
                     const KMeansResult& cut);

/// Places rows by a rule that stays. Confidence is how strongly an image's representatives belong to the image's own
/// cluster: the probability that a walk from the image to a representative and back ends in its cluster.
class GraphPlacer {
 public:
  explicit GraphPlacer(const GraphRule& rule) : rule_(rule), index_(rule.search, rule.representatives) {}
  Placed place(const Context& context, FloatView x) const;
  /// Where rows lie among the eigenvectors of the graph, scaled to length 1: [n x C].
  FloatMatrix embed(const Context& context, FloatView x) const;
  /// The probabilities that a walk from the image to a representative and back ends in each cluster: [n x C], of which
  /// the confidence is one.
  FloatMatrix probabilities(const Context& context, FloatView x) const;

 private:
  Ties ties(const Context& context, FloatView x) const;

  const GraphRule& rule_;
  NeighbourIndex index_;
};

/// The confidence alone, for images whose ties and labels are known.
std::vector<float> graph_confidence(const Ties& ties, const Matrix<double>& shares, const std::vector<Label>& labels);

/// The numbers of clusters with the largest gaps between eigenvalues (falling, the first always 1), best first: at most
/// `most` of them, each of least .. greatest.
std::vector<ClusterCount> largest_gaps(const std::vector<double>& eigenvalues, std::size_t most, std::size_t least,
                                       std::size_t greatest);

/// 1 for each image whose distance stands far out of those of its cluster: over the median by more than
/// `outlier_deviations` robust standard deviations of the logarithm.
std::vector<std::uint8_t> flag_outliers(const Context& context, const std::vector<float>& distances,
                                        const std::vector<Label>& labels, std::size_t clusters);
constexpr double outlier_deviations = 5;
/// The two halves of it: squared distances from which on an image of each cluster is an outlier; and who is.
std::vector<float> outlier_limits(const Context& context, const std::vector<float>& distances,
                                  const std::vector<Label>& labels, std::size_t clusters);
std::vector<std::uint8_t> beyond_limits(const std::vector<float>& distances, const std::vector<Label>& labels,
                                        const std::vector<float>& limits);

/// x [n x d] -> clusters. Throws Error(input) where n < C.
Clustering uspec(const Context& context, const USpecParams& params, FloatView x);
/// The same, leaving behind the rule that places further images; its clusters are those of `renamed`.
struct USpecRule {
  GraphRule graph;
  std::vector<float> limits;   ///< of outliers, a cluster each
  std::vector<Label> renamed;  ///< what order_by_size called them
};
Clustering uspec(const Context& context, const USpecParams& params, FloatView x, USpecRule& rule);

/// w(a,b) = q_a D^-1 q_b, the weight that clusters share through representatives, with q_a the sum of the rows of
/// D_X^-1 A over the images of cluster a and D the column sums of D_X^-1 A: [clusters x clusters].
Matrix<double> shared_weights(const Context& context, const ReducedGraph& graph, const std::vector<Label>& labels,
                              std::size_t clusters);

/// The mutual information between the cluster of an image and that of the image one step of a random walk away, in
/// nats, by the weights above.
double mutual_information(const Matrix<double>& weights);

/// Joins pieces, by the weights above, into so many groups, two at a time, so that the least mutual information is
/// lost; then moves single pieces while it grows. The group of each piece, 0 .. groups-1; as many groups as pieces
/// where there are fewer. m^3 steps for m pieces.
std::vector<std::size_t> join_pieces(const Matrix<double>& weights, std::size_t groups);

/// How many pieces cut_by_pieces makes.
std::size_t pieces_for(std::size_t clusters, std::size_t representatives, std::size_t images);

/// The graph cut into many small pieces, by k-means on the first `dims` eigenvectors, and these joined by join_pieces:
/// labels 0 .. clusters-1.
std::vector<Label> cut_by_pieces(const Context& context, const ReducedGraph& graph, std::size_t clusters,
                                 std::size_t dims);

/// Two groups that become one. Groups are named by number: the clusters, then the merges in their order.
struct Merge {
  std::size_t one = 0, other = 0;
  double tie = 0;  ///< the weight between the two over what chance would give
};

/// Joins the two most strongly tied groups, again and again, until one is left. The merges come by falling tie, each no
/// weaker than the one that it is part of, so that cutting at any tie gives a partition.
std::vector<Merge> merge_tree(const Matrix<double>& weights);

/// The group of each cluster, 0 .. groups-1, when as many merges are made as leave that many groups.
std::vector<std::size_t> cut_tree(const std::vector<Merge>& merges, std::size_t groups);

// ---- consensus (U-SENC, Huang et al. 2019)
// ----------------------------------------------------------------------------

/// Several clusterings of the same n images made one: each image is tied to the clusters that hold it, one per
/// clustering, and the graph of images and clusters is cut like one of images and representatives. Returns labels
/// 0 .. clusters-1.
std::vector<Label> consensus(const Context& context, const std::vector<std::vector<Label>>& clusterings,
                             std::size_t clusters);

// ---- ridge ---------------------------------------------------------------------------------------------------------

/// Regularised least squares on the labels, each image judged by a model that has not seen it. None of the constants is
/// delicate: doubling or halving any of them moves accuracy by .001 on fourteen data sets.
struct RidgeParams {
  std::size_t representatives = 2000;  ///< p: centres of the kernel, made by k-means
  double ridge = 0.3;                  ///< on the diagonal of Phi^T Phi, for any number of images
  double jitter = 1e-4;                ///< on the diagonal of the kernel matrix of the representatives
  std::size_t rounds = 8;              ///< of relabelling, at most
  double settled = 1e-4;               ///< end when a smaller share of the labels changes
};

/// What places any image where the ridge placed those it was fitted to.
struct RidgeRule {
  double width = 0;             ///< of the kernel
  double temperature = 1;       ///< values are divided by it before they become probabilities
  FloatMatrix representatives;  ///< [p x d]
  FloatMatrix weights;          ///< [p x clusters]

  Placed place(const Context& context, FloatView z) const;
  /// How likely each cluster is: [n x clusters], rows sum to 1; the confidence is the largest.
  FloatMatrix probabilities(const Context& context, FloatView z) const;
};

struct RidgeResult {
  std::vector<Label> labels;  ///< [n]
  FloatMatrix values;         ///< [n x clusters]: near 1 for the own cluster, near 0 for others, each row left out
  RidgeRule rule;
  std::size_t rounds = 0;  ///< that were needed
};

/// The regression of any labels 0 .. clusters-1 of the rows of z [n x d]: factorised once, p n (p + d) operations.
class RidgeRegression {
 public:
  RidgeRegression(const Context& context, const RidgeParams& params, FloatView z, std::size_t clusters);
  ~RidgeRegression();

  /// Relabels until the labels settle. It ends early where a cluster would run empty.
  RidgeResult refine(std::vector<Label> labels);
  /// The labels after one round.
  std::vector<Label> relabelled(const std::vector<Label>& labels);

 private:
  FloatMatrix left_out_values(const std::vector<Label>& labels);

  struct State;
  std::unique_ptr<State> state_;
};

/// The temperature under which probabilities by `values` [n x clusters] agree best with `votes` [n x clusters], the
/// shares of several clusterings: of images with a confidence of 0.9, nine clusterings in ten say the same.
double fit_temperature(const Context& context, FloatView values, FloatView votes);
/// Values [n x clusters] to probabilities, in place: exp(value / temperature), scaled to sum 1.
void to_probabilities(const Context& context, MatrixView<float> values, double temperature);

// ---- baselines -----------------------------------------------------------------------------------------------------

/// k-means as a clusterer; confidence is 1 - (distance to the nearest centre / to the second)^2.
Clustering cluster_kmeans(const Context& context, const KMeansParams& params, FloatView x);
/// The same, leaving behind what places further images.
struct KMeansRule {
  FloatMatrix centres;
  std::vector<Label> renamed;  ///< what order_by_size called them
};
Clustering cluster_kmeans(const Context& context, const KMeansParams& params, FloatView x, KMeansRule& rule);
Placed place_by_centres(const Context& context, FloatView centres, FloatView x);
/// Memberships as fuzzy c-means has them: in proportion to 1 / squared distance, [n x clusters].
FloatMatrix probabilities_by_centres(const Context& context, FloatView centres, FloatView x);

struct SpectralParams {
  std::size_t clusters = 10;
  std::size_t neighbours = 10;  ///< the kernel's width is the mean distance to the so-many-th nearest image
  std::size_t starts = 10;
};

/// Ng, Jordan and Weiss (2002) on the full n x n affinity. Throws Error(usage) with the gigabytes where that exceeds
/// context.memory.
Clustering spectral(const Context& context, const SpectralParams& params, FloatView x);

/// The same on a graph of nearest neighbours, as scikit-learn's SpectralClustering makes it, which the paper's authors
/// compared with: two images are tied by 1 where each is among the other's `neighbours` nearest (itself counted), by
/// 1/2 where one is; rows of D^-1/2 v are clustered as they are. n k numbers of memory.
Clustering spectral_of_neighbours(const Context& context, const SpectralParams& params, FloatView x);

struct DbscanParams {
  double radius = 0;           ///< 0: the median distance to the min_points-th nearest image
  std::size_t min_points = 5;  ///< images within the radius, itself included, that make an image a core
};

/// Ester et al. (1996). Distances are computed twice rather than kept: n^2 d operations, n words of memory.
Clustering dbscan(const Context& context, const DbscanParams& params, FloatView x);

/// Renumbers clusters by falling size, ties by first image, so that cluster 0 is the largest on every run. Empty ones
/// go, with a note. Returns the new number of each.
std::vector<Label> order_by_size(const Context& context, Clustering& clustering);

}  // namespace pssc
