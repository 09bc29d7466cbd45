#pragma once

#include "command_line.hpp"

#include <pssc/pssc.hpp>

#include <optional>
#include <string>

namespace pssc::command {

/// What `cluster` and `features` both take, or `upto` a stage of it. A stage option that was not given keeps its
/// preset's value.
class StageOptions {
 public:
  enum class Upto { scattering, clustering };
  explicit StageOptions(Command& command, Upto upto = Upto::clustering);
  /// --adapt, for a command that can find out what its options leave open.
  void add_adapt(Command& command);
  /// For a command that does nothing else: all is left open that is not given.
  void always_adapt() { adapt_ = can_adapt_ = true; }

  std::string input;
  bool quiet = false, json = false;

  Parameters parameters() const;
  ImageParams images() const;
  /// What the program is to find out by itself; the two above have its usual values.
  Adaptive adaptive() const;
  Context context() const;
  /// The same, as one of the ranks that the program was started as; the first alone shows progress.
  Context shared_context() const;

 private:
  /// What was given, if anything: a value, or none for "auto".
  template <class T>
  using OrAuto = std::optional<std::optional<T>>;

  std::string preset_ = "tuned";
  std::optional<std::size_t> scales_, angles_, order_, pca_dims_, sample_images_, fit_images_, candidates_,
      representatives_, neighbours_, dbscan_points_;
  std::optional<double> dbscan_radius_;
  std::optional<Features> features_;
  std::optional<Equalisation> equalise_;
  std::optional<Clusterer> clusterer_;
  std::optional<Search> search_;
  std::optional<Refinement> refine_;
  std::optional<std::string> ignore_;
  bool tree_ = false, adapt_ = false, can_adapt_ = false;
  std::optional<std::string> poc_dims_, k_range_;
  bool no_equalise_ = false;
  std::optional<std::size_t> size_;  ///< Parameters::automatic: to be found out
  OrAuto<Colour> colour_;
  OrAuto<Contrast> contrast_;
  std::string labels_, device_ = "auto";
  ImageLimits limits_;
  std::uint64_t seed_ = 0, memory_ = Context::default_memory;
  unsigned threads_ = 0;

  void add_input(Command& command);
  void add_scattering(Command& command);
  void add_stages(Command& command);
  void add_general(Command& command);
};

/// --max-pixels, --max-unfolded and --follow-links, for every command that reads images.
void add_limits(Command& command, ImageLimits& limits);
/// --max-unfolded alone, for those that read nothing but labels.
void add_unfold_limit(Command& command, ImageLimits& limits);

/// Throws Error(usage) where the program was started as several ranks: not every command can share its work.
void require_one_rank(const std::string& command);

/// The device of that name: of several ranks on a machine, each takes a GPU of its own.
Device device_of_rank(const std::string& name);

/// What -k says: a number, or "auto". Throws Error(usage) where nothing is given.
std::size_t parse_clusters(const std::string& text);

/// A whole number of at least `least`, or "auto". Throws Error(usage) that names the option.
std::size_t parse_count(const std::string& text, const std::string& option, std::size_t least);

}  // namespace pssc::command
