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

  void put(const Context& context, const Projection& projection, FloatView rows, std::span<const std::size_t> images) {
    std::vector<std::size_t> places(images.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
      places[i] = static_cast<std::size_t>(std::ranges::lower_bound(which_, images[i]) - which_.begin());
      filled_[places[i]] = 1;
    }
    put_rows(project(context, projection, rows), places, points_);
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
                         const std::vector<std::size_t>& which, StageTimer& timer) {
  Projected result;
  Sample sample = equalised_sample(context, parameters, source, which);
  require_two(sample, source);
  timer.finish(fmt::format("{}{}", stage_name(parameters), sample.all ? "" : " of a sample"));

  context.report("covariance", 0, 0);
  result.projection = fit_pca(context, sample.features, parameters.pca_dims);
  if (!sample.all)
    result.notes.push_back(fmt::format("equalisation and principal components were learned from {} of the {} images",
                                       sample.images.size(), which.size()));
  timer.finish("principal components");

  Places places(context, which, result.projection.dimension());
  context.report("projection", 0, 0);
  places.put(context, result.projection, sample.features, sample.images);
  sample.features = {};
  const std::string stage = sample.all ? "projection" : fmt::format("{} and projection", stage_name(parameters));
  if (!sample.all)
    source.for_each_chunk(stage, places.empty(), [&](FloatView rows, std::span<const std::size_t> images) {
      places.put(context, result.projection, rows, images);
    });
  std::move(places).finish(result);
  timer.finish(stage);
  return result;
}

}  // namespace pssc
