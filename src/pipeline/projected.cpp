#include "projected.hpp"

#include <fmt/format.h>

namespace pssc {

void equalise_features(const Context& context, const Parameters& parameters, FeatureSource& source) {
  const bool scattered = parameters.features == Features::scattering;
  EqualiserFit fit(scattered ? parameters.equalise : Equalisation::none, source.dimension(), source.path_length());
  source.for_each_chunk(scattered ? "scattering" : "reading", [&](FloatView rows) { fit.add(context, rows); });
  if (source.count() > 0) source.equalise(fit.finish());
}

Projected project_features(const Context& context, const Parameters& parameters, FeatureSource& source,
                           StageTimer& timer, const std::function<void()>& after_first_pass) {
  Projected result;
  equalise_features(context, parameters, source);
  after_first_pass();
  timer.finish(parameters.features == Features::scattering ? "scattering" : "reading");

  PcaFit fit(source.count(), source.dimension());
  source.for_each_chunk("covariance", [&](FloatView rows) { fit.add(context, rows); });
  context.report("eigenvectors", 0, 0);
  result.projection = fit.finish(context, parameters.pca_dims);
  if (fit.rows_used() < source.count())
    result.notes.push_back(
        fmt::format("principal components come from {} of the {} images, because an image has {} "
                    "features",
                    fit.rows_used(), source.count(), source.dimension()));
  timer.finish("principal components");

  result.coordinates = FloatMatrix(source.count(), result.projection.dimension());
  std::size_t done = 0;
  source.for_each_chunk("projection", [&](FloatView rows) {
    project(context, result.projection, rows, result.coordinates.view().row_range(done, done + rows.rows()));
    done += rows.rows();
  });
  timer.finish("projection");
  return result;
}

}  // namespace pssc
