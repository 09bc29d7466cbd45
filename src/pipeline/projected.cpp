#include "projected.hpp"

#include "checkpoints.hpp"
#include "shared.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/random.hpp>
#include <pssc/core/spread.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace pssc {

namespace {

/// Features of a sample of images, all in memory: this rank's part of them.
struct Sample {
  FloatMatrix features;
  std::vector<std::size_t> images;
  std::size_t count = 0;  ///< of all ranks
  bool all = true;        ///< no image was left out of it
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

/// Which of the images are the sample.
std::vector<std::size_t> sample_of(const Context& context, const Parameters& p, const FeatureSource& source,
                                   const std::vector<std::size_t>& which) {
  std::vector<std::size_t> images = draw_images(context, which.size(), sample_size(context, p, source.dimension()));
  for (std::size_t& i : images) i = which[i];
  return images;
}

/// Those that this rank reads.
std::span<const std::size_t> own_images(const Context& context, const FeatureSource& source,
                                        std::span<const std::size_t> which) {
  const Part part = own_part(context, which.size(), source.unit_here());
  return which.subspan(part.begin, part.end - part.begin);
}

/// Reads the sample and learns from it how features are equalised; both the sample and the source are, afterwards.
Sample equalised_sample(const Context& context, const Parameters& p, FeatureSource& source,
                        const std::vector<std::size_t>& which) {
  Sample sample;
  const std::vector<std::size_t> wanted = sample_of(context, p, source, which);
  sample.all = wanted.size() == which.size();
  const std::span<const std::size_t> own = own_images(context, source, wanted);
  sample.features = FloatMatrix(own.size(), source.dimension(), context.place());
  source.for_each_chunk(stage_name(p), own, [&](FloatView rows, std::span<const std::size_t> images) {
    const std::size_t done = sample.images.size();
    copy_into(rows, sample.features.view().row_range(done, done + rows.rows()));
    sample.images.insert(sample.images.end(), images.begin(), images.end());
  });
  sample.features.truncate_rows(sample.images.size());
  sample.count = sum_of_all(context, sample.images.size());
  if (sample.count == 0) return sample;
  sample.features = spread_evenly(context, std::move(sample.features), FeatureSource::unit);
  sample.images = spread_values(context, sample.images, sample.features.rows());
  const Equalisation kind = p.features == Features::scattering ? p.equalise : Equalisation::none;
  source.equalise(fit_equaliser(context, kind, sample.features, source.path_length()));
  if (!source.averages()) {
    equalise(context, source.equaliser(), sample.features);
    return sample;
  }
  std::size_t done = 0;
  source.for_each_chunk("all poses", sample.images, [&](FloatView rows, std::span<const std::size_t> images) {
    copy_into(rows, sample.features.view().row_range(done, done + images.size()));
    done += images.size();
  });
  return sample;
}

/// Points at their places among the images asked for; the places of broken images are closed at the end. A rank holds
/// its part of the places, and keeps what it has computed of others' parts until all is there.
class Places {
 public:
  Places(const Context& context, const std::vector<std::size_t>& which, std::size_t dims)
      : which_(which), part_(own_part(context, which.size())), dims_(dims) {
    const std::size_t own = part_.end - part_.begin;
    filled_.resize(own);
    points_ = FloatMatrix(own, dims, context.place());
  }

  void put(const Context& context, FloatMatrix points, std::span<const std::size_t> images) {
    std::vector<std::size_t> places(images.size());
    for (std::size_t i = 0; i < images.size(); ++i)
      places[i] = static_cast<std::size_t>(std::ranges::lower_bound(which_, images[i]) - which_.begin());
    if (context.ranks().ranks() == 1) return receive(points, places);
    points = to_host(std::move(points));
    made_.insert(made_.end(), points.data(), points.data() + points.size());
    made_places_.insert(made_places_.end(), places.begin(), places.end());
  }

  void finish(const Context& context, Projected& result) && {
    send_to_places(context, FloatView(made_.data(), made_places_.size(), dims_), made_places_, which_.size(),
                   [this](FloatView rows, std::span<const std::size_t> places) { receive(rows, places); });
    made_ = {};
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < filled_.size(); ++i)
      if (filled_[i]) rows.push_back(i);
    for (const std::size_t i : rows) result.images.push_back(which_[part_.begin + i]);
    if (rows.size() < filled_.size()) points_ = gather_rows(FloatView(points_), rows);
    result.coordinates = spread_evenly(context, std::move(points_));
    result.images = spread_values(context, result.images, result.coordinates.rows());
  }

 private:
  void receive(FloatView rows, std::span<const std::size_t> places) {
    std::vector<std::size_t> own;
    for (const std::size_t p : places) {
      own.push_back(p - part_.begin);
      filled_[p - part_.begin] = 1;
    }
    put_rows(rows, own, points_);
  }

  const std::vector<std::size_t>& which_;
  Part part_;
  std::size_t dims_;
  std::vector<std::uint8_t> filled_;
  FloatMatrix points_;
  std::vector<float> made_;
  std::vector<std::size_t> made_places_;
};

/// Broken ones are never asked for again.
std::vector<std::size_t> without(const std::vector<std::size_t>& which, const std::vector<std::size_t>& done) {
  std::vector<std::size_t> rest;
  std::ranges::set_difference(which, done, std::back_inserter(rest));
  return rest;
}

void require_two(const Context& context, const Sample& sample, const FeatureSource& source) {
  if (sample.count >= 2) return;
  const std::vector<BrokenImage> broken = source.all_skipped();
  once(context, [&] {
    if (sample.count == 0)
      throw input_error(fmt::format("none of the {} images of {} could be read; the first, {}: {}", broken.size(),
                                    source.name(), broken.front().id, broken.front().reason));
    throw input_error(fmt::format("only 1 image of {} could be read; clustering needs at least 2", source.name()));
  });
}

/// What the sample has taught, and its own points.
struct Components {
  Projection projection;
  std::vector<std::size_t> images;  ///< this rank's
  FloatMatrix points;               ///< [images x pca_dims]
  Nuisance nuisance;
  bool all = true;  ///< no image was left out of the sample
  std::vector<std::string> notes;
};

Components learn_components(const Context& context, const Parameters& parameters, FeatureSource& source,
                            const std::vector<std::size_t>& which, StageTimer& timer) {
  Sample sample = equalised_sample(context, parameters, source, which);
  require_two(context, sample, source);
  timer.finish(fmt::format("{}{}", stage_name(parameters), sample.all ? "" : " of a sample"));

  Components learned;
  context.report("covariance", 0, 0);
  learned.projection = fit_pca(context, sample.features, parameters.pca_dims);
  if (!sample.all)
    learned.notes.push_back(fmt::format("equalisation and principal components were learned from {} of the {} images",
                                        sample.count, which.size()));
  timer.finish("principal components");

  context.report("projection", 0, 0);
  learned.points = project(context, learned.projection, sample.features);
  learned.images = std::move(sample.images);
  learned.all = sample.all;
  if (sample.all) timer.finish("projection");
  if (parameters.ignored.changes.empty()) return learned;
  sample.features = {};
  learned.nuisance = measure_nuisance(context, parameters, source, learned.projection, gather(context, learned.images));
  timer.finish("small changes");
  return learned;
}

// ---- what is kept of it --------------------------------------------------------------------------------------------

/// What both files hold besides points: how features become points, which images could not be read, and how long it
/// took so far.
struct Known {
  Equaliser equaliser;
  std::vector<BrokenImage> broken;
  std::vector<StageTime> times;
};

template <class Archive>
void transfer_known(Archive& a, Known& known, Projection& projection, Nuisance& nuisance,
                    std::vector<std::string>& notes) {
  transfer(a, known.equaliser);
  transfer(a, known.broken, [&](BrokenImage& b) { transfer(a, b); });
  transfer(a, known.times, [&](StageTime& t) { transfer(a, t); });
  transfer(a, projection);
  transfer(a, nuisance.moves, [&](Move& move) { transfer(a, move); });
  transfer(a, nuisance.covariances, [&](Matrix<double>& m) { transfer(a, m); });
  transfer(a, notes, [&](std::string& note) { transfer(a, note); });
}

/// The points of all ranks are kept by the first: a file does not tell how many ranks there were.
void save_points(const Context& context, Checkpoints::State& kept, const char* stage, const FeatureSource& source,
                 const StageTimer& timer, bool all_images, Projection& projection, Nuisance& nuisance,
                 const std::vector<std::size_t>& own_images, FloatMatrix& own_points, std::vector<std::string>& notes) {
  Known known{source.equaliser(), source.all_skipped(), timer.times()};
  std::vector<std::size_t> images = gather_at_first(context, own_images);
  FloatMatrix gathered;
  if (context.ranks().ranks() > 1) gathered = gather_matrix_at_first(context, own_points);
  FloatMatrix& points = context.ranks().ranks() > 1 ? gathered : own_points;
  once(context, [&] {
    kept.save(stage, [&](auto& a) {
      a(all_images);
      transfer(a, images);
      transfer(a, points);
      transfer_known(a, known, projection, nuisance, notes);
    });
  });
}

bool load_points(const Context& context, Checkpoints::State& kept, const char* stage, std::size_t unit,
                 FeatureSource& source, StageTimer& timer, bool& all_images, Projection& projection, Nuisance& nuisance,
                 std::vector<std::size_t>& images, FloatMatrix& points, std::vector<std::string>& notes) {
  Known known;
  const bool there = true_at_first(context, [&] {
    return kept.load(stage, [&](Reader& a) {
      a(all_images);
      transfer(a, images);
      transfer(a, points);
      transfer_known(a, known, projection, nuisance, notes);
    });
  });
  if (!there) return false;
  share(context, [&](auto& a) {
    a(all_images);
    transfer_known(a, known, projection, nuisance, notes);
  });
  if (points.empty()) points = FloatMatrix(0, projection.dimension());
  points = spread_evenly(context, std::move(points), unit);
  images = spread_values(context, images, points.rows());
  source.restore(known.broken, images);
  source.equalise(std::move(known.equaliser));
  timer.restore(std::move(known.times));
  if (context.place() == Place::device) points = copy_to(Place::device, FloatView(points));
  return true;
}

void save_components(const Context& context, Checkpoints::State& kept, const FeatureSource& source,
                     const StageTimer& timer, Components& c) {
  save_points(context, kept, "components", source, timer, c.all, c.projection, c.nuisance, c.images, c.points, c.notes);
}

bool load_components(const Context& context, Checkpoints::State& kept, FeatureSource& source, StageTimer& timer,
                     Components& c) {
  if (!load_points(context, kept, "components", FeatureSource::unit, source, timer, c.all, c.projection, c.nuisance,
                   c.images, c.points, c.notes))
    return false;
  kept.tell("continuing: the principal components are kept");
  return true;
}

void save_coordinates(const Context& context, Checkpoints::State& kept, const FeatureSource& source,
                      const StageTimer& timer, Projected& p) {
  save_points(context, kept, "coordinates", source, timer, false, p.projection, p.nuisance, p.images, p.coordinates,
              p.notes);
}

bool load_coordinates(const Context& context, Checkpoints::State& kept, FeatureSource& source, StageTimer& timer,
                      Projected& p) {
  bool all = false;
  if (!load_points(context, kept, "coordinates", row_unit, source, timer, all, p.projection, p.nuisance, p.images,
                   p.coordinates, p.notes))
    return false;
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
    if (kept) save_components(context, *kept, source, timer, learned);
  }
  result.projection = std::move(learned.projection);
  result.nuisance = std::move(learned.nuisance);
  result.notes = std::move(learned.notes);
  Places places(context, which, result.projection.dimension());
  places.put(context, std::move(learned.points), learned.images);
  if (!learned.all) {
    const std::string stage = fmt::format("{} and projection", stage_name(parameters));
    const std::vector<std::size_t> rest = without(which, sample_of(context, parameters, source, which));
    source.for_each_chunk(stage, own_images(context, source, rest),
                          [&](FloatView rows, std::span<const std::size_t> images) {
                            places.put(context, project(context, result.projection, rows), images);
                          });
    timer.finish(stage);
  }
  std::move(places).finish(context, result);
  if (kept && !learned.all) save_coordinates(context, *kept, source, timer, result);
  return result;
}

}  // namespace pssc
