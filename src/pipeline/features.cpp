#include "feature_source.hpp"
#include "parameters.hpp"
#include "projected.hpp"

#include <pssc/core/error.hpp>
#include <pssc/pipeline.hpp>

namespace pssc {

std::vector<BrokenImage> stream_features(const Context& context, const Parameters& given, const ImageSet& images,
                                         FeatureStage stage, const std::function<void(const FeatureShape&)>& begin,
                                         const std::function<void(FloatView)>& rows) {
  const Parameters parameters = fitted_to_canvas(given, images.size());
  FeatureSource source(context, parameters, images);
  const auto require_some = [&] {
    if (source.count() == 0) throw input_error("none of the images of " + images.name() + " could be read");
  };
  if (stage == FeatureStage::projected) {
    if (parameters.poc_dims == Parameters::automatic)
      throw usage_error("features need a number for --poc-dims; auto depends on the clustering");
    StageTimer timer;
    const Projected projected = project_features(context, parameters, source, timer, require_some);
    const std::size_t d = projected.coordinates.cols();
    if (parameters.poc_dims >= d)
      throw usage_error("cannot drop " + std::to_string(parameters.poc_dims) + " of " + std::to_string(d) +
                        " directions; lower --poc-dims or raise --pca-dims");
    begin({source.count(), {d - parameters.poc_dims}});
    rows(projected.coordinates.view().col_range(parameters.poc_dims, d));
    return source.skipped();
  }
  if (stage == FeatureStage::equalised)
    equalise_features(context, parameters, source);
  else
    source.for_each_chunk("scattering", [](FloatView) {});  // the file's header needs the number of readable images
  require_some();
  begin({source.count(), source.row_shape()});
  source.for_each_chunk("writing", [&](FloatView chunk) { rows(chunk); });
  return source.skipped();
}

}  // namespace pssc
