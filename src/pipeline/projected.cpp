#include "projected.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pssc {

namespace {

/// Features of a sample of images, all in memory.
struct Sample {
  FloatMatrix features;
  std::vector<std::size_t> images;
  bool all = true;  ///< no image was left out of it
};

std::string_view stage_name(const Parameters& p) {
  return p.features == Features::scattering ? "scattering" : "reading";
}

/// As many images' features as a quarter of the memory holds, but enough to learn from, and no more than are made use
/// of.
std::size_t sample_size(const Context& context, const Parameters& p, std::size_t dimension) {
  constexpr std::size_t least = 1000;
  const std::size_t fitting = context.memory / 4 / (dimension * sizeof(float));
  return std::min({p.sample_images, rows_for_components(context, dimension), std::max(least, fitting)});
}

/// Reads the sample and learns from it how features are equalised; both the sample and the source are, afterwards.
Sample equalised_sample(const Context& context, const Parameters& p, FeatureSource& source,
                        const std::vector<std::size_t>& which) {
  Sample sample;
  const std::vector<std::size_t> drawn =
      draw_images(context, which.size(), sample_size(context, p, source.dimension()));
  sample.all = drawn.size() == which.size();
  sample.features = FloatMatrix(drawn.size(), source.dimension(), context.place());
  std::vector<std::size_t> wanted;
  for (const std::size_t d : drawn) wanted.push_back(which[d]);
  const bool scattered = p.features == Features::scattering;
  EqualiserFit fit(scattered ? p.equalise : Equalisation::none, source.dimension(), source.path_length());
  source.for_each_chunk(stage_name(p), wanted, [&](FloatView rows, std::span<const std::size_t> images) {
    const std::size_t done = sample.images.size();
    copy_into(rows, sample.features.view().row_range(done, done + rows.rows()));
    sample.images.insert(sample.images.end(), images.begin(), images.end());
    fit.add(context, rows);
  });
  sample.features.truncate_rows(sample.images.size());
  if (sample.images.empty()) return sample;
  source.equalise(fit.finish());
  equalise(context, source.equaliser(), sample.features);
  return sample;
}

/// Points at their places among the images asked for; the places of broken images are closed at the end.
class Places {
 public:
  Places(const Context& context, const std::vector<std::size_t>& which, std::size_t dims)
      : which_(which), filled_(which.size()), points_(which.size(), dims, context.place()) {}

  void put(FloatView points, std::span<const std::size_t> images) {
    std::vector<std::size_t> places(images.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
      places[i] = static_cast<std::size_t>(std::ranges::lower_bound(which_, images[i]) - which_.begin());
      filled_[places[i]] = 1;
    }
    put_rows(points, places, points_);
  }

  std::vector<std::size_t> empty() const {
    std::vector<std::size_t> images;
    for (std::size_t i = 0; i < which_.size(); ++i)
      if (!filled_[i]) images.push_back(which_[i]);
    return images;
  }

  void finish(Projected& result) && {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < which_.size(); ++i)
      if (filled_[i]) rows.push_back(i);
    for (const std::size_t i : rows) result.images.push_back(which_[i]);
    result.coordinates = rows.size() == which_.size() ? std::move(points_) : gather_rows(FloatView(points_), rows);
  }

 private:
  const std::vector<std::size_t>& which_;
  std::vector<std::uint8_t> filled_;
  FloatMatrix points_;
};

void require_two(const Sample& sample, const FeatureSource& source) {
  const std::vector<BrokenImage> broken = source.skipped();
  if (sample.images.empty())
    throw input_error(fmt::format("none of the {} images of {} could be read; the first, {}: {}", broken.size(),
                                  source.name(), broken.front().id, broken.front().reason));
  if (sample.images.size() < 2)
    throw input_error(fmt::format("only 1 image of {} could be read; clustering needs at least 2", source.name()));
}

/// What the sample has taught, and its own points.
struct Components {
  Projection projection;
  std::vector<std::size_t> images;
  FloatMatrix points;  ///< [images x pca_dims]
  bool all = true;     ///< no image was left out of the sample
  std::vector<std::string> notes;
};

Components learn_components(const Context& context, const Parameters& parameters, FeatureSource& source,
                            const std::vector<std::size_t>& which, StageTimer& timer) {
  Sample sample = equalised_sample(context, parameters, source, which);
  require_two(sample, source);
  timer.finish(fmt::format("{}{}", stage_name(parameters), sample.all ? "" : " of a sample"));

  Components learned;
  context.report("covariance", 0, 0);
  learned.projection = fit_pca(context, sample.features, parameters.pca_dims);
  if (!sample.all)
    learned.notes.push_back(fmt::format("equalisation and principal components were learned from {} of the {} images",
                                        sample.images.size(), which.size()));
  timer.finish("principal components");

  context.report("projection", 0, 0);
  learned.points = project(context, learned.projection, sample.features);
  learned.images = std::move(sample.images);
  learned.all = sample.all;
  if (sample.all) timer.finish("projection");
  return learned;
}

// ---- what is kept of it --------------------------------------------------------------------------------------------

/// What both files hold: how features become points, which images could not be read, and how long it took so far.
struct Known {
  Equaliser equaliser;
  std::vector<BrokenImage> broken;
  std::vector<StageTime> times;
};

template <class Archive>
void transfer_known(Archive& a, Known& known, Projection& projection, std::vector<std::size_t>& images,
                    FloatMatrix& points, std::vector<std::string>& notes) {
  transfer(a, known.equaliser);
  transfer(a, known.broken, [&](BrokenImage& b) { transfer(a, b); });
  transfer(a, known.times, [&](StageTime& t) { transfer(a, t); });
  transfer(a, projection);
  transfer(a, images);
  transfer(a, points);
  transfer(a, notes, [&](std::string& note) { transfer(a, note); });
}

Known known_of(const FeatureSource& source, const StageTimer& timer) {
  return {source.equaliser(), source.skipped(), timer.times()};
}

void restore(const Context& context, Known known, const std::vector<std::size_t>& images, FloatMatrix& points,
             FeatureSource& source, StageTimer& timer) {
  source.restore(known.broken, images);
  source.equalise(std::move(known.equaliser));
  timer.restore(std::move(known.times));
  if (context.place() == Place::device) points = copy_to(Place::device, FloatView(points));
}

void save_components(Checkpoints::State& kept, const FeatureSource& source, const StageTimer& timer, Components& c) {
  Known known = known_of(source, timer);
  kept.save("components", [&](auto& a) {
    a(c.all);
    transfer_known(a, known, c.projection, c.images, c.points, c.notes);
  });
}

bool load_components(const Context& context, Checkpoints::State& kept, FeatureSource& source, StageTimer& timer,
                     Components& c) {
  Known known;
  if (!kept.load("components", [&](Reader& a) {
        a(c.all);
        transfer_known(a, known, c.projection, c.images, c.points, c.notes);
      }))
    return false;
  restore(context, std::move(known), c.images, c.points, source, timer);
  kept.tell("continuing: the principal components are kept");
  return true;
}

void save_coordinates(Checkpoints::State& kept, const FeatureSource& source, const StageTimer& timer, Projected& p) {
  Known known = known_of(source, timer);
  kept.save("coordinates", [&](auto& a) { transfer_known(a, known, p.projection, p.images, p.coordinates, p.notes); });
}

bool load_coordinates(const Context& context, Checkpoints::State& kept, FeatureSource& source, StageTimer& timer,
                      Projected& p) {
  Known known;
  if (!kept.load("coordinates",
                 [&](Reader& a) { transfer_known(a, known, p.projection, p.images, p.coordinates, p.notes); }))
    return false;
  restore(context, std::move(known), p.images, p.coordinates, source, timer);
  kept.tell("continuing: the projection of all images that are clustered is kept");
  return true;
}

}  // namespace

std::vector<std::size_t> draw_images(const Context& context, std::size_t count, std::size_t most) {
  constexpr std::uint64_t stream = 0x73616d706c65;
  std::vector<std::size_t> drawn;
  if (count <= most) {
    drawn.resize(count);
    std::iota(drawn.begin(), drawn.end(), 0);
  } else {
    drawn = Random(context.seed(), stream).choose(count, most);  // at random: an even spacing could meet one class only
    std::ranges::sort(drawn);
  }
  return drawn;
}

void equalise_features(const Context& context, const Parameters& parameters, FeatureSource& source,
                       const std::vector<std::size_t>& which) {
  equalised_sample(context, parameters, source, which);
}

Projected project_images(const Context& context, const Parameters& parameters, FeatureSource& source,
                         const std::vector<std::size_t>& which, StageTimer& timer, Checkpoints::State* kept) {
  Projected result;
  if (kept && load_coordinates(context, *kept, source, timer, result)) return result;
  Components learned;
  if (!kept || !load_components(context, *kept, source, timer, learned)) {
    learned = learn_components(context, parameters, source, which, timer);
    if (kept) save_components(*kept, source, timer, learned);
  }
  result.projection = std::move(learned.projection);
  result.notes = std::move(learned.notes);
  Places places(context, which, result.projection.dimension());
  places.put(learned.points, learned.images);
  learned.points = {};
  if (!learned.all) {
    const std::string stage = fmt::format("{} and projection", stage_name(parameters));
    source.for_each_chunk(stage, places.empty(), [&](FloatView rows, std::span<const std::size_t> images) {
      places.put(project(context, result.projection, rows), images);
    });
    timer.finish(stage);
  }
  std::move(places).finish(result);
  if (kept && !learned.all) save_coordinates(*kept, source, timer, result);
  return result;
}

}  // namespace pssc
