#include "options.hpp"

#include "progress_line.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace pssc::command {

namespace {

// Groups of --help, in the order data flows.
constexpr const char* images_group = "Images";
constexpr const char* features_group = "Features (default: the paper's values)";
constexpr const char* projection_group = "Projection";
constexpr const char* clustering_group = "Clustering";
constexpr const char* general_group = "General";

template <class T>
CLI::Option* add_choice(CLI::App& command, const char* name, std::optional<T>& value,
                        const std::map<std::string, T>& choices, const std::string& help, const char* shown) {
  return command
      .add_option_function<std::string>(
          name,
          [&value, choices, name](const std::string& text) {
            const auto found = choices.find(text);
            if (found == choices.end()) {
              std::string known;
              for (const auto& [key, unused] : choices) known += (known.empty() ? "" : ", ") + key;
              throw usage_error(fmt::format("{} cannot be '{}'; it is one of {}", name, text, known));
            }
            value = found->second;
          },
          help)
      ->default_str(shown)
      ->type_name("");
}

CLI::Option* add_number(CLI::App& command, const char* name, std::optional<std::size_t>& value, const std::string& help,
                        const char* shown) {
  return command.add_option(name, value, help)->default_str(shown)->type_name("N");
}

}  // namespace

std::size_t parse_count(const std::string& text, const std::string& option, std::size_t least) {
  if (text == "auto") return Parameters::automatic;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value == Parameters::automatic)
    throw usage_error(fmt::format("{} must be a whole number of at least {}, or auto, not '{}'", option, least, text));
  return value;
}

StageOptions::StageOptions(CLI::App& command) {
  add_input(command);
  add_stages(command);
  add_general(command);
}

void StageOptions::add_input(CLI::App& command) {
  command
      .add_option("INPUT", input,
                  "A data set (mnist, mnist-test, usps, fashion-mnist, synthetic[:COUNT]), a folder of images, an "
                  ".npy/.npz array, an IDX file, or a text file of paths")
      ->required()
      ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
  add_number(command, "--size", size_, "Canvas: small images are centred on it, larger ones reduced to it", "32")
      ->group(images_group);
  command
      .add_option_function<std::string>(
          "--colour",
          [this](const std::string& text) {
            if (text != "grey" && text != "channels")
              throw usage_error("--colour cannot be '" + text + "'; it is one of grey, channels");
            colour_ = text == "grey" ? Colour::grey : Colour::channels;
          },
          "grey: luminance; channels: red, green and blue each on its own")
      ->default_str("grey")
      ->type_name("")
      ->group(images_group);
  command.add_option("--labels", labels_, "Truth, to measure against: csv, npy or IDX, one label an image")
      ->type_name("FILE")
      ->group(images_group);
}

void StageOptions::add_stages(CLI::App& command) {
  command.add_option("--preset", preset_, "paper: as the paper says; authors: as its authors' program does")
      ->default_str("paper")
      ->type_name("NAME")
      ->group(features_group);
  add_choice<Features>(command, "--features", features_,
                       {{"scattering", Features::scattering}, {"pixels", Features::pixels}},
                       "scattering, or the pixels as they are", "scattering")
      ->group(features_group);
  add_number(command, "--scales", scales_, "J: features are averaged over 2^J pixels", "3")->group(features_group);
  add_number(command, "--angles", angles_, "L: orientations of the wavelets", "8")->group(features_group);
  add_number(command, "--order", order_, "Layers of wavelets, 0 to 2", "2")->group(features_group);

  add_choice<Equalisation>(
      command, "--equalise", equalise_,
      {{"maxnorm", Equalisation::maxnorm}, {"log", Equalisation::log}, {"none", Equalisation::none}},
      "Bring scattering paths to one scale: maxnorm, log or none", "maxnorm")
      ->group(projection_group);
  command.add_flag("--no-equalise", no_equalise_, "The same as --equalise none")->group(projection_group);
  add_number(command, "--pca-dims", pca_dims_, "Principal components to keep", "1000")->group(projection_group);
  command.add_option("--poc-dims", poc_dims_, "Leading components to drop: a number, or auto")
      ->default_str("2")
      ->type_name("N")
      ->group(projection_group);

  add_choice<Clusterer>(command, "--clusterer", clusterer_,
                        {{"uspec", Clusterer::uspec},
                         {"kmeans", Clusterer::kmeans},
                         {"spectral", Clusterer::spectral},
                         {"dbscan", Clusterer::dbscan}},
                        "uspec, or a baseline: kmeans, spectral, dbscan", "uspec")
      ->group(clustering_group);
  add_number(command, "--candidates", candidates_, "Images drawn to make representatives of", "9000")
      ->group(clustering_group);
  add_number(command, "--representatives", representatives_, "Points that stand for all images in the graph", "1000")
      ->group(clustering_group);
  add_number(command, "--neighbours", neighbours_, "Representatives an image is tied to", "5")->group(clustering_group);
  add_choice<Search>(command, "--knn", search_, {{"exact", Search::exact}, {"hnsw", Search::hnsw}},
                     "exact, or hnsw for very many representatives", "exact")
      ->group(clustering_group);
  command.add_option("--dbscan-radius", dbscan_radius_, "Reach of a point; 0: chosen from the data")
      ->default_str("0")
      ->type_name("R")
      ->group(clustering_group);
  add_number(command, "--dbscan-points", dbscan_points_, "Images within reach that make a core", "5")
      ->group(clustering_group);
}

void StageOptions::add_general(CLI::App& command) {
  command.add_option("--seed", seed_, "The same seed gives the same labels")
      ->default_str("0")
      ->type_name("N")
      ->group(general_group);
  command.add_option("--threads", threads_, "0: one a core; the result does not depend on it")
      ->default_str("0")
      ->type_name("N")
      ->check(CLI::Range(0, 1024))
      ->group(general_group);
  command.add_option("--device", device_, "auto, cpu or cuda")
      ->default_str("auto")
      ->type_name("")
      ->group(general_group);
  command.add_option("--memory", memory_, "What a run may hold, 2GiB for instance")
      ->transform(CLI::AsSizeValue(false))
      ->default_str("2GiB")
      ->type_name("SIZE")
      ->group(general_group);
  command.add_flag("--json", json, "Print summary.json, and nothing else, on stdout")->group(general_group);
  command.add_flag("--quiet", quiet, "No progress line and no table")->group(general_group);
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
  take(p.clusterer, clusterer_);
  take(p.candidates, candidates_);
  take(p.representatives, representatives_);
  take(p.neighbours, neighbours_);
  take(p.search, search_);
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
  return {.size = size, .colour = colour_, .labels = labels_, .seed = seed_};
}

Context StageOptions::context() const {
  if (device_ != "auto" && device_ != "cpu")
    throw usage_error(device_ == "cuda" ? "this build has no CUDA back end; use --device cpu"
                                        : "--device cannot be '" + device_ + "'; it is one of auto, cpu, cuda");
  Context context(threads_, seed_);
  context.memory = memory_;
  if (!quiet && !json && ProgressLine::wanted()) context.progress = ProgressLine();
  return context;
}

}  // namespace pssc::command
