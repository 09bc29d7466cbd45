#include "feature_source.hpp"
#include "parameters.hpp"
#include "projected.hpp"

#include <pssc/core/error.hpp>
#include <pssc/pipeline.hpp>

namespace pssc {

namespace {

/// Components after POC, learned from a sample of the images.
Projection learn_projection(const Context& context, const Parameters& parameters, FeatureSource& source,
                            const std::vector<std::size_t>& kept) {
  // What is best to drop depends on the clustering, which is not known here: the paper's number.
  const std::size_t dropped =
      parameters.poc_dims == Parameters::automatic ? preset("paper").poc_dims : parameters.poc_dims;
  StageTimer timer(context.ranks());
  std::vector<std::size_t> sample;
  for (const std::size_t i : draw_images(context, kept.size(), parameters.sample_images)) sample.push_back(kept[i]);
  const Projected learned = project_images(context, parameters, source, sample, timer, nullptr);
  return orthogonal_complement(learned.projection, dropped);
}

}  // namespace

std::vector<BrokenImage> stream_features(const Context& context, const Parameters& given, const ImageSet& images,
                                         FeatureStage stage, const std::function<void(const FeatureShape&)>& begin,
                                         const std::function<void(FloatView)>& rows) {
  const Parameters parameters = fitted_to_canvas(given, images.size());
  FeatureSource source(context, parameters, images);
  source.find_broken();
  const std::vector<std::size_t> kept = source.kept();
  if (kept.empty()) throw input_error("none of the images of " + images.name() + " could be read");
  const auto hand_over = [&](FloatView some) { some.on_device() ? rows(copy_to(Place::host, some)) : rows(some); };
  if (stage == FeatureStage::projected) {
    const Projection projection = learn_projection(context, parameters, source, kept);
    begin({kept.size(), {projection.dimension()}});
    source.for_each_chunk("writing", kept,
                          [&](FloatView chunk, auto) { hand_over(project(context, projection, chunk)); });
  } else {
    if (stage == FeatureStage::equalised) equalise_features(context, parameters, source, kept);
    begin({kept.size(), source.row_shape()});
    source.for_each_chunk("writing", kept, [&](FloatView chunk, auto) { hand_over(chunk); });
  }
  return source.skipped();
}

}  // namespace pssc
