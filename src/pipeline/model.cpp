#include "model.hpp"

#include "feature_source.hpp"
#include "projected.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>

namespace pssc {

ImageParams Model::image_params() const {
  ImageParams params;
  params.size = contents_->size;
  params.colour = contents_->channels == 3 ? Colour::channels : Colour::grey;
  return params;
}

std::size_t Model::clusters() const {
  return contents_->rule.clusters;
}

std::vector<BrokenImage> Model::predict(const Context& context, const ImageSet& images, const Visit& visit) const {
  const Contents& c = *contents_;
  if (images.size() != c.size || images.channels() != c.channels)
    throw usage_error(fmt::format("the model is for images of {0} x {0} pixels and {1} channels, not {2} x {2} and {3}",
                                  c.size, c.channels, images.size(), images.channels()));
  Parameters p;
  p.features = c.features;
  p.scales = c.scales;
  p.angles = c.angles;
  p.order = c.order;
  FeatureSource source(context, p, images);
  if (source.dimension() != c.projection.mean.size()) throw input_error("the model does not fit its own features");
  source.equalise(c.equaliser);
  const Placer placer(c.rule);
  source.for_each_chunk("placing", draw_images(context, images.count(), images.count()),
                        [&](FloatView rows, std::span<const std::size_t> which) {
                          visit(placer.place(context, project(context, c.projection, rows)), which);
                        });
  return source.skipped();
}

}  // namespace pssc
