#pragma once

#include <pssc/clustering.hpp>
#include <pssc/core/context.hpp>
#include <pssc/core/folder_lock.hpp>
#include <pssc/evaluation.hpp>
#include <pssc/images.hpp>
#include <pssc/invariance.hpp>
#include <pssc/projection.hpp>
#include <pssc/scattering.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pssc {

enum class Features { scattering, pixels };
enum class Clusterer { uspec, kmeans, spectral, dbscan };

enum class Refinement {
  none,       ///< one clustering, as in the paper
  consensus,  ///< several clusterings, each with settings of its own, made one
  ridge,      ///< the same, and its borders settled by a ridge regression
};

/// The constants of the self-tuned method (docs/method.md tells what each was tried against).
struct TuningParams {
  std::size_t nuisance_images = 500;  ///< that are changed slightly
  std::size_t fits = 8;               ///< clusterings that a consensus is made of
  double whitening_ridge = 0.1;       ///< added to a covariance before whitening, times its mean variance
  double nuisance_share = 3;          ///< of the measured moves beside the covariance inside the clusters
  RidgeParams ridge;
};

/// Everything that decides a result, the images and the seed aside. The defaults are the paper's values.
struct Parameters {
  static constexpr std::size_t automatic = static_cast<std::size_t>(-1);

  std::size_t clusters = 10;  ///< K, or automatic: found within k_least .. k_most
  std::size_t k_least = 2, k_most = 30;
  bool tree = false;  ///< find out how the images fall apart also where the number of clusters is given
  // images -> features
  Features features = Features::scattering;
  std::size_t sample_images = 20000;   ///< that equalisation and components are learned from; 300 need no more
  std::size_t fit_images = 100000;     ///< that the clustering is fitted to; further ones are placed by what it found
  std::size_t zoom = 1;                ///< of the canvas's middle, or automatic: images far smaller than it fill it
  Contrast contrast = Contrast::none;  ///< whether light and contrast are evened out
  Ignored ignored;                     ///< what may change without making an image another thing
  std::size_t scales = 3;  ///< J, or automatic: as many as leave maps of 4 x 4 on the canvas, 3 at 32 pixels
  std::size_t angles = 8, order = 2;
  // features -> coordinates
  Equalisation equalise = Equalisation::maxnorm;  ///< of scattering paths; pixels are taken as they are
  std::size_t pca_dims = 1000;
  std::size_t poc_dims = 2;  ///< leading directions to drop, or automatic: the number that parts the clusters best
  // coordinates -> clusters
  Clusterer clusterer = Clusterer::uspec;
  std::size_t candidates = 9000, representatives = 1000, neighbours = 5;
  Search search = Search::exact;
  bool as_published_code = false;        ///< as the authors' program where it differs from their paper
  Refinement refine = Refinement::none;  ///< of U-SPEC's clusters
  TuningParams tuning;
  double dbscan_radius = 0;  ///< 0: chosen from the data
  std::size_t dbscan_points = 5;
};

/// "tuned", "paper" or "authors". Throws Error(usage) for another name.
Parameters preset(std::string_view name);

struct StageTime {
  std::string stage;
  double seconds = 0;
};

/// A direction that POC dropped, so that a person can see what it was: ink, slant, ...
struct RemovedDirection {
  double variance_share = 0;           ///< of the variance of all images
  std::vector<std::string> low, high;  ///< ids of the images at its two ends, the outermost first
  std::vector<std::size_t> strip;      ///< numbers of images from one end to the other, evenly by rank
};

/// How far a kind of small change moves an image.
struct Move {
  Change change = Change::shift;
  double size = 0;  ///< root mean square, in units of the spread of all images
};

/// How the images fall apart: pieces, and in which order they join. Cutting it where K groups are left gives one answer
/// for every K.
struct ClusterTree {
  struct Piece {
    std::size_t size = 0;             ///< images, of those that the tree was made of
    std::vector<std::size_t> images;  ///< numbers of some of them, the most typical first
  };
  /// Two groups that become one. Groups are named by number: the pieces, then the merges in their order.
  struct Join {
    std::size_t one = 0, other = 0;
    double tie = 0;  ///< how strongly they hang together, 1 for halves of one even cloud; it falls from join to join
  };
  std::vector<Piece> pieces;
  std::vector<Join> joins;  ///< pieces - 1 of them, the strongest first
};

/// A number of clusters that -k auto found, and how sure that is.
struct CountVerdict {
  bool clear = false;                ///< one number has nearly all the evidence
  std::size_t unrestricted = 0;      ///< what was found before the range had its say; 1: nothing parts the images
  std::vector<ClusterCount> counts;  ///< those that may be, the one taken first; the score is a share of 1
};

/// What a run learned, enough to place any further image: filters, equalisation, components, whitening, the graph and
/// its cut or the ridge, limits of outliers.
class Model {
 public:
  struct Contents;
  explicit Model(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

  /// Writes the file whole or not at all. Its format is told in docs/model.md.
  void save(const std::filesystem::path& path) const;
  /// Throws Error(input) where the file is damaged, foreign, or of a later version.
  static Model load(const std::filesystem::path& path);
  /// The same file in memory; `name` is what messages call it.
  std::string bytes() const;
  static Model from_bytes(std::string_view bytes, const std::string& name);

  ImageParams image_params() const;  ///< how images are to be opened for it
  /// Cluster ids are 0 .. clusters()-1, as the run had them; a model never numbers them anew.
  std::size_t clusters() const;
  /// What a person calls the clusters: [clusters()], or empty where none has a name.
  const std::vector<std::string>& names() const;
  /// The same model with these names; as many as there are clusters, or none. Throws Error(usage) for another number.
  Model named(std::vector<std::string> names) const;

  /// Images as they were placed: `rows` of the input's images, in order.
  using Visit = std::function<void(const Clustering& placed, std::span<const std::size_t> rows)>;
  /// Places all images, some at a time; of several ranks each places a part, in order. Returns those that could not be
  /// read.
  std::vector<BrokenImage> predict(const Context& context, const ImageSet& images, const Visit& visit) const;

  /// Rows of numbers about images: `rows` of the input's images, in order.
  using VisitRows = std::function<void(FloatView values, std::span<const std::size_t> rows)>;
  /// How likely each cluster is: clusters() columns, rows sum to 1.
  std::vector<BrokenImage> probabilities(const Context& context, const ImageSet& images, const VisitRows& visit) const;
  /// Coordinates among the eigenvectors of the graph, rows of length 1: embedding_dims() columns. Throws Error(usage)
  /// where the model has no graph.
  std::vector<BrokenImage> embedding(const Context& context, const ImageSet& images, const VisitRows& visit) const;
  std::size_t embedding_dims() const;  ///< 0: no graph

 private:
  std::shared_ptr<const Contents> contents_;
};

/// What a run's clusters hold, counted over all ranks.
struct Tally {
  std::vector<std::size_t> sizes, outliers;  ///< [clusters]
  std::vector<double> confidence;            ///< [clusters]: the mean
  std::size_t noise = 0;                     ///< images in no cluster
  std::size_t all_outliers = 0;              ///< noise among them
  Matrix<std::int64_t> truth;                ///< [clusters x classes]; empty where no truth is known
};

/// What the ranks said to each other during a stage.
struct StageTraffic {
  std::string stage;
  std::size_t bytes = 0;     ///< sent by the rank that sent most
  std::size_t messages = 0;  ///< times that all ranks spoke
  double alone_seconds = 0;  ///< that the first rank worked and the others waited for it
};

/// What is to be found out; what is not is taken as it is given.
struct Adaptive {
  bool ignored = false;   ///< whether mirrored and turned images are the same thing
  bool size = false;      ///< whether larger images are seen better on a larger canvas
  bool contrast = false;  ///< whether light and contrast are to be evened out
  bool colour = false;    ///< whether colours are to be used
  bool any() const { return ignored || size || contrast || colour; }
};

/// A way to see the images, and how the method did with it on a sample of them.
struct Candidate {
  std::size_t size = 32;
  Colour colour = Colour::grey;
  Contrast contrast = Contrast::none;
  Ignored ignored;
  double stability = 0, confidence = 0;  ///< the means over the images
  std::vector<Label> labels;             ///< [images of the sample]
};

/// How much at home the images of a set are among the others when they are mirrored or turned: the share of them that
/// lie nearer to another image then than they do as they are. A half: that pose means nothing in this set.
struct Symmetry {
  double mirror = 0, half_turn = 0, quarter_turn = 0;
};

/// What was tried, and what was found best.
struct Adaptation {
  std::vector<Candidate> candidates;  ///< in the order they were tried, the images as they are first
  std::size_t chosen = 0;
  Symmetry symmetry;                ///< of the images as they are; measured where poses were to be found out
  std::size_t clusters = 0;         ///< that all candidates were tried with
  std::vector<std::size_t> images;  ///< numbers of those of the sample
  double seconds = 0;
};

/// What a run found, and all there is to say about it. In a run of several ranks, what has a number an image is of this
/// rank's images alone, which follow those of the ranks before it.
struct Run {
  std::string input;
  std::size_t count = 0;  ///< images that were clustered, of all ranks; skipped ones are not among them
  std::size_t first = 0;  ///< this rank's first among them
  std::size_t height = 0, width = 0, channels = 1;
  Frame frame = Frame::black;        ///< around images smaller than the canvas
  std::vector<std::string> ids;      ///< [n], this rank's images
  std::vector<std::size_t> numbers;  ///< [n]: which of the input's images each is
  std::vector<BrokenImage> skipped;  ///< by index, of all ranks; known to the first alone
  Parameters parameters;             ///< as they took effect
  ImageLimits limits;                ///< under which the images were opened
  Clustering clustering;
  Tally tally;
  std::optional<Labels> truth;     ///< [n], where it is known
  std::optional<Metrics> metrics;  ///< against the truth, of all ranks' images
  std::vector<double> variances;   ///< of the principal components, falling
  double total_variance = 0;
  std::vector<RemovedDirection> removed;  ///< by POC, the leading ones; known to the first rank alone
  std::optional<ClusterTree> tree;        ///< with -k auto or --tree; known to the first rank alone
  std::optional<CountVerdict> verdict;    ///< with -k auto
  std::optional<Adaptation> adaptation;   ///< where what does not matter was found out
  std::optional<Symmetry> symmetry;       ///< of some of the images; measured by the default method
  std::vector<Move> moves;                ///< how far each kind of change that is ignored moves an image
  std::optional<Model> model;             ///< none for clusterers that cannot place further images
  FloatMatrix positions;                  ///< [n x 2]: a map of all images in the unit square, for looking at
  std::vector<StageTime> timings;         ///< of stages that were kept, what they took when they were done
  std::vector<StageTraffic> traffic;      ///< the stages of `timings` that were not kept
  double total_seconds = 0;
};

/// The folder that a run's results go to, taken for as long as this lives: nobody else writes there or explores it.
class RunFolder {
 public:
  /// Makes the folder where it is missing. Throws Error(input) where it cannot be written to, Error(failed) where
  /// another process or another part of this one is at it, Error(usage) where a person has edited the run that it
  /// holds. Of several ranks the first takes it, for all.
  explicit RunFolder(std::filesystem::path path, bool first_rank = true);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
};

/// The finished stages of a run, kept in `folder`/.partial, so that the same run can continue where it was stopped, by
/// any number of threads and ranks. What is damaged there, or of another run, is done again (docs/runs.md).
class Checkpoints {
 public:
  using Say = std::function<void(const std::string& line)>;
  /// Takes the folder, as RunFolder does. `say` gets what a user should know: what is continued, or why it is not. Of
  /// several ranks the first takes the folder, then come the others.
  explicit Checkpoints(const std::filesystem::path& folder, Say say = {}, bool first_rank = true);
  /// Lets the folder go, with all that is kept.
  ~Checkpoints();
  /// The run's results are written: nothing need be kept any longer.
  void finish();
  /// Where they are written.
  const RunFolder& folder() const;

  /// Lets the folder go inside a signal handler that ends the process; true where something is kept.
  static bool release_on_signal() noexcept;

  struct State;
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Images to clusters. Throws Error(input) where the images cannot be clustered as asked: fewer than two, fewer than
/// clusters, all the same, none readable.
Run cluster(const Context& context, const Parameters& parameters, const ImageSet& images);
/// The same, keeping finished stages, and continuing after those that are kept.
Run cluster(const Context& context, const Parameters& parameters, const ImageSet& images, Checkpoints& kept);

/// The last stage alone: the parameters' clusterer on coordinates y [n x d] that are already there, as
/// `stream_features` gives them when projected with poc_dims = 0; the first parameters.poc_dims are left out. Without
/// refinement.
Clustering cluster_coordinates(const Context& context, const Parameters& parameters, FloatView y);

// ---- what does not matter in a set of images, found out without labels ---------------------------------------------

/// Opens the same images, brought onto another canvas.
using OpenImages = std::function<std::unique_ptr<ImageSet>(const ImageParams&)>;

/// Tries ways to see the images on a sample of them and takes the most stable. Throws Error(usage) where the parameters
/// are not those of the default method, Error(input) where the images cannot be clustered at all.
Adaptation adapt(const Context& context, const Parameters& parameters, const ImageParams& images, Adaptive adaptive,
                 const OpenImages& open);
/// The same parameters with what was chosen.
void use(const Candidate& candidate, Parameters& parameters, ImageParams& images);
/// "mirrored and turned images are the same thing, colours are used"; of the images as they are "as they are".
std::string description(const Candidate& candidate);
/// The options of the command that ask for it: "--ignore +rotate,+flip --colour channels".
std::string options_for(const Candidate& candidate);

/// What a run that did not adapt might have gained by it: "these images are as much at home when mirrored: --adapt
/// ...".
std::optional<std::string> suggestion(const Run& run);

/// How far `features` go.
enum class FeatureStage { scattering, equalised, projected };

/// The shape of the rows below, behind n: {paths, h, w}, {channels, size, size} for pixels, or {d} when projected.
struct FeatureShape {
  std::size_t images = 0;
  std::vector<std::size_t> row;
};

/// Computes features and hands them over in order, some rows at a time; `begin` is called once before the first rows.
/// Returns the images that were skipped.
std::vector<BrokenImage> stream_features(const Context& context, const Parameters& parameters, const ImageSet& images,
                                         FeatureStage stage, const std::function<void(const FeatureShape&)>& begin,
                                         const std::function<void(FloatView)>& rows);

/// Every parameter as JSON text, as summary.json has them; `size` is that of the canvas.
std::string parameters_json(const Parameters& parameters, std::size_t size);

/// `summary.json` as text, indented. `device` facts come from the context.
std::string summary_json(const Context& context, const Run& run);

/// What was tried and chosen, as JSON text, indented: "adapted" in summary.json.
std::string adaptation_json(const Adaptation& found);

/// `tree.json` as text, of a run that has a tree.
std::string tree_json(const Run& run);

/// Writes labels.csv, labels.npy, summary.json and, where there are, model.pssc and tree.json into the folder, each
/// whole or not at all. All ranks take part.
void write_run(const Context& context, const Run& run, const RunFolder& folder);
void write_run(const Context& context, const Run& run, const std::filesystem::path& folder);

/// The library's version, "0.1.0".
std::string version();

}  // namespace pssc
