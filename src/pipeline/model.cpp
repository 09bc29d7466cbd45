#include "model.hpp"

#include "feature_source.hpp"
#include "projected.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/spread.hpp>

#include <fmt/format.h>

#include <numeric>

namespace pssc {

ImageParams Model::image_params() const {
  ImageParams params;
  params.size = contents_->size;
  params.colour = contents_->channels == 3 ? Colour::channels : Colour::grey;
  params.frame = contents_->frame;
  return params;
}

std::size_t Model::clusters() const {
  return contents_->rule.clusters;
}

const std::vector<std::string>& Model::names() const {
  return contents_->names;
}

std::size_t Model::embedding_dims() const {
  return pssc::embedding_dims(contents_->rule);
}

namespace {

/// Calls visit(coordinates, which images) for all images, some at a time.
template <class Visit>
std::vector<BrokenImage> for_each_projected(const Context& context, const Model::Contents& c, const ImageSet& images,
                                            Visit&& visit) {
  require_same_input(context, images);
  if (images.size() != c.size || images.channels() != c.channels)
    throw usage_error(fmt::format("the model is for images of {0} x {0} pixels and {1} channels, not {2} x {2} and {3}",
                                  c.size, c.channels, images.size(), images.channels()));
  Parameters p;
  p.features = c.features;
  p.scales = c.scales;
  p.angles = c.angles;
  p.order = c.order;
  p.zoom = c.zoom;
  p.contrast = c.contrast;
  p.ignored = c.ignored;
  FeatureSource source(context, p, images);
  if (source.dimension() != c.projection.mean.size()) throw input_error("the model does not fit its own features");
  source.equalise(c.equaliser);
  const Projector projector(c.projection);
  const Part part = own_part(context, images.count(), source.unit_here());
  std::vector<std::size_t> own(part.end - part.begin);
  std::iota(own.begin(), own.end(), part.begin);
  source.for_each_chunk("placing", own, [&](FloatView rows, std::span<const std::size_t> which) {
    visit(projector.project(context, rows), which);
  });
  return source.all_skipped();
}

}  // namespace

std::vector<BrokenImage> Model::predict(const Context& context, const ImageSet& images, const Visit& visit) const {
  const Placer placer(contents_->rule);
  return for_each_projected(context, *contents_, images, [&](const FloatMatrix& y, std::span<const std::size_t> which) {
    visit(placer.place(context, y), which);
  });
}

std::vector<BrokenImage> Model::probabilities(const Context& context, const ImageSet& images,
                                              const VisitRows& visit) const {
  const Placer placer(contents_->rule);
  return for_each_projected(context, *contents_, images, [&](const FloatMatrix& y, std::span<const std::size_t> which) {
    // Columns past the last cluster are of clusters that hold no image.
    visit(placer.probabilities(context, y).view().col_range(0, clusters()), which);
  });
}

std::vector<BrokenImage> Model::embedding(const Context& context, const ImageSet& images,
                                          const VisitRows& visit) const {
  const Placer placer(contents_->rule);
  return for_each_projected(context, *contents_, images, [&](const FloatMatrix& y, std::span<const std::size_t> which) {
    visit(to_host(placer.embed(context, y)), which);
  });
}

}  // namespace pssc
