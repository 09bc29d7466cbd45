#include "feature_source.hpp"
#include "image_sample.hpp"
#include "parameters.hpp"
#include "shared.hpp"
#include "symmetry.hpp"
#include "timer.hpp"
#include "trial.hpp"

#include <pssc/core/error.hpp>
#include <pssc/pipeline.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace pssc {

namespace {

// What these were chosen on is told in docs/method.md.
constexpr std::size_t sample_images = 1500;
constexpr std::size_t images_a_cluster = 3;       ///< with fewer in the sample nothing is tried
constexpr std::size_t clusterings = 2;            ///< stability varies from one to the next, by two or three hundredths
constexpr std::size_t clusterings_again = 4;      ///< before anything but the images as they are is taken
constexpr double clearly = 0.02;                  ///< so much more stable must another way to see the images be
constexpr double hardly_any = 0.05;               ///< of the images in clusters that turning moves: then it surely does
constexpr std::size_t small_change_images = 200;  ///< of which fewer are turned: 16 poses take 16 times as long

/// Poses to ignore besides those that are ignored anyway.
struct Poses {
  bool rotate = false, flip = false;
  bool any() const { return rotate || flip; }
};

Candidate with(Candidate candidate, Poses poses) {
  candidate.ignored.rotate |= poses.rotate;
  candidate.ignored.flip |= poses.flip;
  return candidate;
}

/// Poses that may mean nothing, by the images alone.
Poses free_poses(const Symmetry& s, const Ignored& ignored) {
  return {.rotate = !ignored.rotate && std::min(s.half_turn, s.quarter_turn) >= at_home,
          .flip = !ignored.flip && s.mirror >= at_home};
}

/// Those of them that keep to clusters found without them: no two would be confused.
Poses closed_poses(Poses free, const TurnedImages& turned, const Trial& trial) {
  const auto keeps = [&](const std::vector<std::int32_t>& nearest) {
    return share_moved(trial.labels, nearest, trial.clusters) < hardly_any;
  };
  return {.rotate = free.rotate && keeps(turned.half_turned) && keeps(turned.quarter_turned),
          .flip = free.flip && keeps(turned.mirrored)};
}

/// A way to see the images, the poses in it that are ignored found out, and the candidate that speaks for it: the same,
/// or without poses that surely mean nothing.
struct View {
  Candidate candidate;
  std::size_t number = 0;  ///< of the one that speaks for it
};

class Trials {
 public:
  Trials(const Context& context, const Parameters& parameters, const ImageParams& images, Adaptive adaptive,
         const OpenImages& open)
      : context_(context), parameters_(parameters), params_(images), adaptive_(adaptive), open_(open) {}

  Adaptation run() && {
    const Candidate start{.size = params_.size,
                          .colour = params_.colour,
                          .contrast = parameters_.contrast,
                          .ignored = parameters_.ignored};
    const ImageSample& images = sample(start);
    found_.images = images.numbers();
    if (!enough(images.count())) {
      found_.candidates.push_back(start);
      return std::move(found_);
    }
    View best = see(start);
    const auto consider = [&](auto change) {
      Candidate other = best.candidate;
      other.ignored = parameters_.ignored;
      change(other);
      std::optional<View> view = see_if_possible(other);
      if (view && leads(*view, best)) best = std::move(*view);
    };
    // Colours first: what they tell apart needs no help from the light.
    if (adaptive_.colour && images.coloured()) consider([](Candidate& c) { c.colour = Colour::channels; });
    if (adaptive_.contrast) consider([](Candidate& c) { c.contrast = Contrast::local; });
    if (adaptive_.size && images.larger()) consider([](Candidate& c) { c.size *= 2; });
    const Candidate& speaks = found_.candidates[best.number];
    const bool tried = speaks.ignored == best.candidate.ignored;
    found_.chosen = tried ? best.number : cluster_sample(best.candidate).number;
    return std::move(found_);
  }

 private:
  bool enough(std::size_t images) const {
    const std::size_t least = parameters_.clusters == Parameters::automatic ? 1 : parameters_.clusters;
    return images >= std::max<std::size_t>(10, images_a_cluster * least);
  }

  const ImageSample& sample(const Candidate& candidate, std::size_t draw = 0) {
    auto& there = samples_[{candidate.size, candidate.colour, draw}];
    if (there) return *there;
    ImageParams params = params_;
    params.size = candidate.size;
    params.colour = candidate.colour;
    const auto images = open_(params);
    there = std::make_unique<ImageSample>(context_, *images,
                                          draw_images(context_.reseeded(draw), images->count(), sample_images));
    return *there;
  }

  double stability(const View& view) const { return found_.candidates[view.number].stability; }

  /// Chance can lead by as much, so both are clustered again before the lead counts.
  bool leads(const View& view, const View& best) {
    const auto clearly_more_stable = [&] { return stability(view) > stability(best) + clearly; };
    if (!clearly_more_stable()) return false;
    for (const View* v : {&view, &best}) cluster_again(v->number);
    return clearly_more_stable();
  }

  /// One candidate, clustered.
  struct Clustered {
    std::size_t number = 0;  ///< among the candidates
    Trial trial;
    TurnedImages turned;  ///< where poses are to be found out
  };

  Clustered cluster_sample(const Candidate& candidate, bool turn = false) {
    Clustered result{.number = found_.candidates.size()};
    with_projected(candidate, 0,
                   [&](const Context& context, const Parameters& p, FeatureSource& source, const Projected& projected) {
                     result.trial = try_clustering(context, p, projected, clusterings);
                     if (turn) result.turned = turn_images(context, source, projected.projection, projected.images);
                   });
    found_.clusters = result.trial.clusters;
    found_.candidates.push_back(candidate);
    Candidate& noted = found_.candidates.back();
    noted.stability = result.trial.stability;
    noted.confidence = result.trial.confidence;
    noted.labels = result.trial.labels;
    return result;
  }

  /// Once for each candidate: by other random numbers, and from other images where there are any. Its figures are then
  /// the means over all of its clusterings; they stay where those other images cannot be clustered.
  void cluster_again(std::size_t number) {
    if (!again_.insert(number).second) return;
    const Candidate candidate = found_.candidates[number];
    try {
      with_projected(candidate, 1,
                     [&](const Context& context, const Parameters& p, FeatureSource&, const Projected& projected) {
                       const Trial trial = try_clustering(context, p, projected, clusterings_again);
                       const auto mean = [](double first, double again) {
                         return (clusterings * first + clusterings_again * again) / (clusterings + clusterings_again);
                       };
                       Candidate& noted = found_.candidates[number];
                       noted.stability = mean(candidate.stability, trial.stability);
                       noted.confidence = mean(candidate.confidence, trial.confidence);
                     });
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
    }
  }

  /// Projects a sample, seen as the candidate says, and calls body(context, parameters, source, projected).
  template <class Body>
  void with_projected(const Candidate& candidate, std::size_t draw, Body&& body) {
    const ImageSample& images = sample(candidate, draw);
    Parameters p = parameters_;
    ImageParams unused = params_;
    use(candidate, p, unused);
    if (found_.clusters > 0) p.clusters = found_.clusters;
    p.tuning.nuisance_images = std::max<std::size_t>(50, small_change_images / poses(p.ignored));
    p = fitted_to_canvas(p, images.size());
    settle_zoom(p, images);

    const std::string stage = "trying: " + description(candidate);
    Context context = context_.reseeded(draw);
    if (context_.progress) context.progress = [&](const Progress&) { context_.progress({stage, 0, 0}); };
    std::vector<std::size_t> all(images.count());
    std::iota(all.begin(), all.end(), 0);
    FeatureSource source(context, p, images);
    StageTimer timer(context.ranks());
    body(context, p, source, project_images(context, p, source, all, timer, nullptr));
  }

  /// Seen so, which poses mean nothing? Those that keep to the clusters surely; others where clusters become more
  /// stable without them. What tells b from d would otherwise be lost.
  View see(const Candidate& candidate) {
    const Clustered plain = cluster_sample(candidate, adaptive_.ignored);
    View best{candidate, plain.number};
    if (!adaptive_.ignored) return best;
    if (plain.number == 0) found_.symmetry = plain.turned.symmetry;
    const Poses free = free_poses(plain.turned.symmetry, candidate.ignored);
    const Poses sure = closed_poses(free, plain.turned, plain.trial);
    best.candidate = with(candidate, sure);
    const auto consider = [&](Poses poses) {
      const Candidate other = with(best.candidate, poses);
      const Clustered tried = cluster_sample(other);
      if (tried.trial.stability <= stability(best)) return false;
      best = {other, tried.number};
      return true;
    };
    const Poses open{.rotate = free.rotate && !sure.rotate, .flip = free.flip && !sure.flip};
    if (open.any() && !consider(open) && open.rotate && open.flip) consider({.flip = true});
    return best;
  }

  /// Nothing where images that differ as they are do not when seen so.
  std::optional<View> see_if_possible(const Candidate& candidate) {
    try {
      return see(candidate);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      return std::nullopt;
    }
  }

  const Context& context_;
  const Parameters& parameters_;
  const ImageParams& params_;
  Adaptive adaptive_;
  const OpenImages& open_;
  std::map<std::tuple<std::size_t, Colour, std::size_t>, std::unique_ptr<ImageSample>> samples_;  ///< also by draw
  std::set<std::size_t> again_;  ///< numbers of the candidates that were clustered again
  Adaptation found_;
};

template <class Archive>
void transfer(Archive& a, Candidate& c) {
  a(c.size);
  a(c.colour);
  a(c.contrast);
  transfer(a, c.ignored);
  a(c.stability);
  a(c.confidence);
  transfer(a, c.labels);
}

void require_default_method(const Parameters& p) {
  if (p.features != Features::scattering || p.clusterer != Clusterer::uspec || p.refine == Refinement::none)
    throw usage_error(
        "what does not matter can be found out by the default method only, not with another preset, --features, "
        "--clusterer or --refine none");
}

}  // namespace

Adaptation adapt(const Context& context, const Parameters& parameters, const ImageParams& images, Adaptive adaptive,
                 const OpenImages& open) {
  require_default_method(parameters);
  const auto begin = std::chrono::steady_clock::now();
  Adaptation found;
  once_alone(context, [&](const Context& first) {
    const Context host = first.on_host();  // the same choice, whatever the run computes with
    found = Trials(host, parameters, images, adaptive, open).run();
  });
  share(context, [&](auto& a) {
    transfer(a, found.candidates, [&](Candidate& c) { transfer(a, c); });
    a(found.chosen);
    a(found.symmetry.mirror);
    a(found.symmetry.half_turn);
    a(found.symmetry.quarter_turn);
    a(found.clusters);
    transfer(a, found.images);
  });
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return found;
}

void use(const Candidate& candidate, Parameters& parameters, ImageParams& images) {
  parameters.ignored = candidate.ignored;
  parameters.contrast = candidate.contrast;
  images.size = candidate.size;
  images.colour = candidate.colour;
}

std::string description(const Candidate& c) {
  std::vector<std::string> parts;
  if (c.ignored.rotate || c.ignored.flip)
    parts.push_back(std::string(c.ignored.rotate && c.ignored.flip ? "turned and mirrored"
                                : c.ignored.rotate                 ? "turned"
                                                                   : "mirrored") +
                    " images are the same thing");
  if (c.colour == Colour::channels) parts.emplace_back("colours are used");
  if (c.contrast == Contrast::local) parts.emplace_back("light and contrast are evened out");
  if (c.size != ImageParams{}.size) parts.push_back(fmt::format("{0} x {0} pixels", c.size));
  return parts.empty() ? "as they are" : fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<std::string> suggestion(const Run& run) {
  if (run.adaptation || !run.symmetry) return {};
  const Poses free = free_poses(*run.symmetry, run.parameters.ignored);
  if (!free.any()) return {};
  return fmt::format("these images are as much at home when {}: --adapt finds out whether that means anything",
                     free.rotate && free.flip ? "turned or mirrored"
                     : free.rotate            ? "turned"
                                              : "mirrored");
}

std::string options_for(const Candidate& c) {
  std::vector<std::string> options;
  Ignored usual = ignored_by_default();
  if (c.ignored.changes == usual.changes) {
    if (c.ignored.rotate || c.ignored.flip)
      options.push_back(std::string("--ignore ") + (c.ignored.rotate ? "+rotate" : "") +
                        (c.ignored.rotate && c.ignored.flip ? "," : "") + (c.ignored.flip ? "+flip" : ""));
  } else {
    const std::vector<std::string> names = names_of(c.ignored);
    options.push_back(fmt::format("--ignore {}", names.empty() ? "none" : fmt::format("{}", fmt::join(names, ","))));
  }
  if (c.colour == Colour::channels) options.emplace_back("--colour channels");
  if (c.contrast == Contrast::local) options.emplace_back("--contrast local");
  if (c.size != ImageParams{}.size) options.push_back(fmt::format("--size {}", c.size));
  return fmt::format("{}", fmt::join(options, " "));
}

}  // namespace pssc
