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

std::size_t parse_clusters(const std::string& text) {
  if (text.empty()) throw usage_error("how many clusters? give -k K, or -k auto to have the number found");
  return parse_count(text, "-k", 2);
}

void add_limits(Command& command, ImageLimits& limits) {
  command
      .count("--max-pixels", limits.pixels,
             "Skip images with more pixels than this (guards against decompression bombs)")
      .above_zero()
      .shown("N (100M)")
      .group(images_group);
  add_unfold_limit(command, limits);
  command.flag("--follow-links", limits.follow_links, "Also read what links in a folder point to outside it")
      .group(images_group);
}

void add_unfold_limit(Command& command, ImageLimits& limits) {
  command.bytes("--max-unfolded", limits.unfolded, "Refuse compressed files that unpack to more than this")
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
              "A data set (mnist, mnist-test, usps, fashion-mnist, synthetic[:COUNT]), a folder of images, an .npy or "
              ".npz array, an IDX file, or a text file of paths")
      .required()
      .once();
  command
      .option(
          "--size", [this](const std::string& text) { size_ = parse_count(text, "--size", 1); },
          "Side of the square canvas: larger images are reduced to it; smaller ones are enlarged to it, or centred on "
          "it where their own borders are black")
      .shown("N (32)")
      .group(images_group);
  add_choice<std::optional<Colour>>(command, "--colour", colour_,
                                    {{"grey", Colour::grey}, {"channels", Colour::channels}, {"auto", std::nullopt}},
                                    "grey: use the luminance; channels: use red, green and blue separately")
      .shown("(grey)")
      .group(images_group);
  add_choice<std::optional<Contrast>>(
      command, "--contrast", contrast_, {{"none", Contrast::none}, {"local", Contrast::local}, {"auto", std::nullopt}},
      "none; local: even out light and contrast around each pixel, for photos in uneven light or with faint shapes")
      .shown("(none)")
      .group(images_group);
  command.option("--labels", labels_, "Score the result against these true labels: csv, npy or IDX, one per image")
      .shown("FILE")
      .group(images_group);
  add_limits(command, limits_);
}

void StageOptions::add_scattering(Command& command) {
  add_number(command, "--scales", scales_, "J: average features over 2^J pixels; by default it depends on --size",
             "3 at 32 pixels; 3")
      .group(features_group);
  add_number(command, "--angles", angles_, "L: number of wavelet orientations", "8").group(features_group);
  add_number(command, "--order", order_, "Number of wavelet layers, 0 to 2", "2").group(features_group);
}

void StageOptions::add_adapt(Command& command) {
  can_adapt_ = true;
  command
      .flag("--adapt", adapt_,
            "Find out from a sample of the images what does not matter in them: the same as --ignore auto --size auto "
            "--contrast auto --colour auto, less those of them that are given. Each can be auto on its own")
      .group(images_group);
}

void StageOptions::add_stages(Command& command) {
  command
      .option(
          "--preset", preset_,
          "tuned: measure what small changes do to an image, and ignore that; paper: the method as published; "
          "authors: what its authors' program does. Where two defaults are shown below, the first is for tuned, the "
          "second for paper")
      .shown("NAME (tuned)");
  add_choice<Features>(command, "--features", features_,
                       {{"scattering", Features::scattering}, {"pixels", Features::pixels}},
                       "Cluster by scattering features, or by raw pixels")
      .shown("(scattering)")
      .group(features_group);
  add_scattering(command);
  command
      .option("--ignore", ignore_,
              "Changes that do not make an image a different thing: a list of shift, tilt, scale, stretch, shear, "
              "thickness, gain, colour, background, flip and rotate (by any angle); none; or changes to the default, "
              "such as "
              "+rotate,-gain")
      .shown("LIST (shift,tilt,scale,stretch,shear,thickness,gain; none)")
      .group(features_group);

  add_choice<Equalisation>(
      command, "--equalise", equalise_,
      {{"maxnorm", Equalisation::maxnorm}, {"log", Equalisation::log}, {"none", Equalisation::none}},
      "How to bring the scattering paths to one scale: maxnorm, log or none")
      .shown("(log; maxnorm)")
      .group(projection_group);
  add_number(command, "--sample-images", sample_images_,
             "Learn equalisation and components from at most this many images", "20000")
      .group(projection_group);
  command.flag("--no-equalise", no_equalise_, "The same as --equalise none").group(projection_group);
  add_number(command, "--pca-dims", pca_dims_, "Number of principal components to keep", "300; 1000")
      .group(projection_group);
  command
      .option("--poc-dims", poc_dims_,
              "Number of leading components to drop; auto: 2, unless another number separates the clusters better")
      .shown("N (0; 2)")
      .group(projection_group);

  add_choice<Clusterer>(command, "--clusterer", clusterer_,
                        {{"uspec", Clusterer::uspec},
                         {"kmeans", Clusterer::kmeans},
                         {"spectral", Clusterer::spectral},
                         {"dbscan", Clusterer::dbscan}},
                        "uspec, or one of the baselines: kmeans, spectral, dbscan")
      .shown("(uspec)")
      .group(clustering_group);
  add_number(command, "--fit-images", fit_images_,
             "Find the clusters among at most this many images, and place all others in them", "100000")
      .group(clustering_group);
  add_number(command, "--candidates", candidates_,
             "Make the representatives from at most this many images; with --refine, also fit each clustering to them",
             "40000; 9000")
      .group(clustering_group);
  add_number(
      command, "--representatives", representatives_,
      "Number of points that stand for all images in the graph; with --refine, each of several graphs takes about "
      "a quarter of them",
      "2000; 1000")
      .group(clustering_group);
  add_number(command, "--neighbours", neighbours_, "Link each image to this many representatives", "5")
      .group(clustering_group);
  add_choice<Search>(command, "--knn", search_, {{"exact", Search::exact}, {"hnsw", Search::hnsw}},
                     "Find neighbours exactly, or by hnsw when there are very many representatives")
      .shown("(exact)")
      .group(clustering_group);
  add_choice<Refinement>(
      command, "--refine", refine_,
      {{"none", Refinement::none}, {"consensus", Refinement::consensus}, {"ridge", Refinement::ridge}},
      "none: cluster once; consensus: cluster several times and combine the results; ridge: then also settle the "
      "borders by ridge regression")
      .shown("(ridge; none)")
      .group(clustering_group);
  command.option("--k-range", k_range_, "Range in which -k auto looks for the number of clusters")
      .shown("A:B (2:30)")
      .group(clustering_group);
  command.flag("--tree", tree_, "Write the tree of clusters to tree.json, even when -k is a number")
      .group(clustering_group);
  command.option("--dbscan-radius", dbscan_radius_, "Radius of a neighbourhood for dbscan; 0: chosen from the data")
      .shown("R (0)")
      .group(clustering_group);
  add_number(command, "--dbscan-points", dbscan_points_, "Number of images within that radius that make a core point",
             "5")
      .group(clustering_group);
}

void StageOptions::add_general(Command& command) {
  command.option("--seed", seed_, "The same seed gives the same labels").shown("N (0)").group(general_group);
  command.option("--threads", threads_, "Number of threads; 0: one per core. The result does not depend on it")
      .range(0, 1024)
      .shown("N (0)")
      .group(general_group);
  command.option("--device", device_, "auto: a GPU where there is one; cpu; or cuda")
      .shown("NAME (auto)")
      .group(general_group);
  command.bytes("--memory", memory_, "Keep within this much memory, however many images there are")
      .shown("SIZE (2GiB)")
      .group(general_group);
  command.flag("--json", json, "Print summary.json on standard output, and nothing else").group(general_group);
  command.flag("--quiet", quiet, "Show no progress and print no table").group(general_group);
}

Parameters StageOptions::parameters() const {
  Parameters p = preset(preset_);
  const auto take = [](auto& to, const auto& from) {
    if (from) to = *from;
  };
  if (contrast_) p.contrast = contrast_->value_or(Contrast::none);
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
  if (ignore_ && ignore_ != "auto") p.ignored = parse_ignored(*ignore_);
  if (k_range_) parse_range(*k_range_, p.k_least, p.k_most);
  take(p.dbscan_radius, dbscan_radius_);
  take(p.dbscan_points, dbscan_points_);
  if (no_equalise_) p.equalise = Equalisation::none;
  if (poc_dims_) p.poc_dims = parse_count(*poc_dims_, "--poc-dims", 0);
  return p;
}

ImageParams StageOptions::images() const {
  if (adaptive().any() && !can_adapt_)
    throw usage_error("auto is for pssc cluster, which finds it out; its results name the options to give here");
  constexpr std::size_t largest_size = 4096;
  const ImageParams usual;
  const std::size_t size = size_ == Parameters::automatic ? usual.size : size_.value_or(usual.size);
  if (size > largest_size) throw usage_error(fmt::format("--size must be 1 to {}, not {}", largest_size, size));
  const Colour colour = colour_ ? colour_->value_or(usual.colour) : usual.colour;
  const Frame frame = preset_ == "tuned" ? Frame::automatic : Frame::black;
  return {.size = size, .colour = colour, .frame = frame, .labels = labels_, .seed = seed_, .limits = limits_};
}

Adaptive StageOptions::adaptive() const {
  const auto wanted = [this](const auto& option, const auto& automatic) {
    return option ? *option == automatic : adapt_;
  };
  return {.ignored = wanted(ignore_, "auto"),
          .size = wanted(size_, Parameters::automatic),
          .contrast = wanted(contrast_, std::nullopt),
          .colour = wanted(colour_, std::nullopt)};
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
