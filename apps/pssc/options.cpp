#include "options.hpp"

#include "progress_line.hpp"

#include <pssc/core/device.hpp>
#include <pssc/core/error.hpp>
#include <pssc/distributed.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace pssc::command {

namespace {

// Groups of --help, in the order data flows.
constexpr const char* images_group = "Images";
constexpr const char* features_group = "Features";
constexpr const char* projection_group = "Projection";
constexpr const char* clustering_group = "Clustering";
constexpr const char* general_group = "General";

Option add_number(Command& command, const char* name, std::optional<std::size_t>& value, const std::string& help,
                  const char* shown) {
  return command.option(name, value, help).shown(std::string("N (") + shown + ")");
}

std::size_t parse_whole(const std::string& text, const std::string& what) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) throw usage_error(what);
  return value;
}

void parse_range(const std::string& text, std::size_t& least, std::size_t& most) {
  const std::string what = "--k-range must be two whole numbers such as 2:30, not '" + text + "'";
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw usage_error(what);
  least = parse_whole(text.substr(0, colon), what);
  most = parse_whole(text.substr(colon + 1), what);
  if (least < 2 || least >= most || most > 1000) throw usage_error(what);
}

}  // namespace

std::size_t parse_count(const std::string& text, const std::string& option, std::size_t least) {
  if (text == "auto") return Parameters::automatic;
  const std::string what =
      fmt::format("{} must be a whole number of at least {}, or auto, not '{}'", option, least, text);
  const std::size_t value = parse_whole(text, what);
  if (value < least || value == Parameters::automatic) throw usage_error(what);
  return value;
}

void add_limits(Command& command, ImageLimits& limits) {
  command.count("--max-pixels", limits.pixels, "Images of more are broken ones: a small file can hold very many")
      .above_zero()
      .shown("N (100M)")
      .group(images_group);
  add_unfold_limit(command, limits);
  command.flag("--follow-links", limits.follow_links, "Read what links in a folder lead to outside of it")
      .group(images_group);
}

void add_unfold_limit(Command& command, ImageLimits& limits) {
  command.bytes("--max-unfolded", limits.unfolded, "Refuse a compressed file that unfolds to more than this")
      .above_zero()
      .shown("SIZE (8GiB)")
      .group(images_group);
}

void require_one_rank(const std::string& command) {
  if (distributed::launch().ranks > 1)
    throw usage_error("pssc " + command + " does not run as several ranks; start it without mpirun");
}

Device device_of_rank(const std::string& name) {
  use_device(distributed::launch().local_rank);
  return device_named(name);
}

StageOptions::StageOptions(Command& command, Upto upto) {
  add_input(command);
  if (upto == Upto::scattering)
    add_scattering(command);
  else
    add_stages(command);
  add_general(command);
}

void StageOptions::add_input(Command& command) {
  command
      .option("INPUT", input,
              "A data set (mnist, mnist-test, usps, fashion-mnist, synthetic[:COUNT]), a folder of images, an "
              ".npy/.npz array, an IDX file, or a text file of paths")
      .required()
      .once();
  add_number(command, "--size", size_, "Canvas: small images are centred on it, larger ones reduced to it", "32")
      .group(images_group);
  command
      .option(
          "--colour",
          [this](const std::string& text) {
            if (text != "grey" && text != "channels")
              throw usage_error("--colour cannot be '" + text + "'; it is one of grey, channels");
            colour_ = text == "grey" ? Colour::grey : Colour::channels;
          },
          "grey: luminance; channels: red, green and blue each on its own")
      .shown("(grey)")
      .group(images_group);
  command.option("--labels", labels_, "Truth, to measure against: csv, npy or IDX, one label an image")
      .shown("FILE")
      .group(images_group);
  add_limits(command, limits_);
}

void StageOptions::add_scattering(Command& command) {
  add_number(command, "--scales", scales_, "J: features are averaged over 2^J pixels; unless given, by the canvas",
             "3 at 32 pixels; 3")
      .group(features_group);
  add_number(command, "--angles", angles_, "L: orientations of the wavelets", "8").group(features_group);
  add_number(command, "--order", order_, "Layers of wavelets, 0 to 2", "2").group(features_group);
}

void StageOptions::add_stages(Command& command) {
  command
      .option("--preset", preset_,
              "tuned: measures what small changes do to an image, and ignores it; paper: as the paper says; "
              "authors: as its authors' "
              "program does. Where defaults differ below, the first is tuned's, the second the paper's")
      .shown("NAME (tuned)");
  add_choice<Features>(command, "--features", features_,
                       {{"scattering", Features::scattering}, {"pixels", Features::pixels}},
                       "scattering, or the pixels as they are")
      .shown("(scattering)")
      .group(features_group);
  add_scattering(command);
  command
      .option("--ignore", ignore_,
              "What may change without making an image another thing: kinds separated by commas (shift, tilt, scale, "
              "stretch, shear, thickness, gain, colour, background, flip, and rotate for any angle), none, or "
              "changes to the default such as +rotate,-gain")
      .shown("LIST (shift,tilt,scale,stretch,shear,thickness,gain; none)")
      .group(features_group);

  add_choice<Equalisation>(
      command, "--equalise", equalise_,
      {{"maxnorm", Equalisation::maxnorm}, {"log", Equalisation::log}, {"none", Equalisation::none}},
      "Bring scattering paths to one scale: maxnorm, log or none")
      .shown("(log; maxnorm)")
      .group(projection_group);
  add_number(command, "--sample-images", sample_images_,
             "Images that equalisation and components are learned from, at most", "20000")
      .group(projection_group);
  command.flag("--no-equalise", no_equalise_, "The same as --equalise none").group(projection_group);
  add_number(command, "--pca-dims", pca_dims_, "Principal components to keep", "300; 1000").group(projection_group);
  command
      .option("--poc-dims", poc_dims_,
              "Leading components to drop: a number, or auto: 2 unless another parts the clusters better")
      .shown("N (0; 2)")
      .group(projection_group);

  add_choice<Clusterer>(command, "--clusterer", clusterer_,
                        {{"uspec", Clusterer::uspec},
                         {"kmeans", Clusterer::kmeans},
                         {"spectral", Clusterer::spectral},
                         {"dbscan", Clusterer::dbscan}},
                        "uspec, or a baseline: kmeans, spectral, dbscan")
      .shown("(uspec)")
      .group(clustering_group);
  add_number(command, "--fit-images", fit_images_,
             "Images that clusters are found among, at most; further ones are placed by what was found", "100000")
      .group(clustering_group);
  add_number(command, "--candidates", candidates_,
             "Images that representatives are made of and, with --refine, that clusterings are fitted to",
             "40000; 9000")
      .group(clustering_group);
  add_number(command, "--representatives", representatives_, "Points that stand for all images in the graph",
             "2000; 1000")
      .group(clustering_group);
  add_number(command, "--neighbours", neighbours_, "Representatives an image is tied to", "5").group(clustering_group);
  add_choice<Search>(command, "--knn", search_, {{"exact", Search::exact}, {"hnsw", Search::hnsw}},
                     "exact, or hnsw for very many representatives")
      .shown("(exact)")
      .group(clustering_group);
  add_choice<Refinement>(
      command, "--refine", refine_,
      {{"none", Refinement::none}, {"consensus", Refinement::consensus}, {"ridge", Refinement::ridge}},
      "none: cluster once; consensus: several times, and make one of them; ridge: and settle its borders by a ridge "
      "regression")
      .shown("(ridge; none)")
      .group(clustering_group);
  command.option("--k-range", k_range_, "Where -k auto looks for the number of clusters")
      .shown("A:B (2:30)")
      .group(clustering_group);
  command.flag("--tree", tree_, "Write how the images fall apart to tree.json, also where -k is a number")
      .group(clustering_group);
  command.option("--dbscan-radius", dbscan_radius_, "Reach of a point; 0: chosen from the data")
      .shown("R (0)")
      .group(clustering_group);
  add_number(command, "--dbscan-points", dbscan_points_, "Images within reach that make a core", "5")
      .group(clustering_group);
}

void StageOptions::add_general(Command& command) {
  command.option("--seed", seed_, "The same seed gives the same labels").shown("N (0)").group(general_group);
  command.option("--threads", threads_, "0: one a core; the result does not depend on it")
      .range(0, 1024)
      .shown("N (0)")
      .group(general_group);
  command.option("--device", device_, "auto, cpu or cuda").shown("NAME (auto)").group(general_group);
  command.bytes("--memory", memory_, "What a run may hold at once, whatever the number of images")
      .shown("SIZE (2GiB)")
      .group(general_group);
  command.flag("--json", json, "Print summary.json, and nothing else, on stdout").group(general_group);
  command.flag("--quiet", quiet, "No progress line and no table").group(general_group);
}

Parameters StageOptions::parameters() const {
  Parameters p = preset(preset_);
  const auto take = [](auto& to, const auto& from) {
    if (from) to = *from;
  };
  take(p.features, features_);
  take(p.scales, scales_);
  take(p.angles, angles_);
  take(p.order, order_);
  take(p.equalise, equalise_);
  take(p.pca_dims, pca_dims_);
  take(p.sample_images, sample_images_);
  take(p.fit_images, fit_images_);
  take(p.clusterer, clusterer_);
  take(p.candidates, candidates_);
  take(p.representatives, representatives_);
  take(p.neighbours, neighbours_);
  take(p.search, search_);
  take(p.refine, refine_);
  p.tree = tree_;
  if (ignore_) p.ignored = parse_ignored(*ignore_);
  if (k_range_) parse_range(*k_range_, p.k_least, p.k_most);
  take(p.dbscan_radius, dbscan_radius_);
  take(p.dbscan_points, dbscan_points_);
  if (no_equalise_) p.equalise = Equalisation::none;
  if (poc_dims_) p.poc_dims = parse_count(*poc_dims_, "--poc-dims", 0);
  return p;
}

ImageParams StageOptions::images() const {
  constexpr std::size_t default_size = 32, largest_size = 4096;
  const std::size_t size = size_.value_or(default_size);
  if (size < 1 || size > largest_size)
    throw usage_error(fmt::format("--size must be 1 to {}, not {}", largest_size, size));
  return {.size = size, .colour = colour_, .labels = labels_, .seed = seed_, .limits = limits_};
}

Context StageOptions::shared_context() const {
  const auto ranks = distributed::start();  // first, so that what fails on one rank is told by one
  Context shared = context();
  shared.set_ranks(ranks);
  if (ranks->rank() > 0) shared.progress = {};
  return shared;
}

Context StageOptions::context() const {
  Context context(threads_, seed_, device_of_rank(device_));
  context.memory = memory_;
  if (!quiet && !json && ProgressLine::wanted()) context.progress = ProgressLine();
  return context;
}

}  // namespace pssc::command
