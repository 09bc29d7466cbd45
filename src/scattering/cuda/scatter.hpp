#pragma once

#include "../plan.hpp"

#include <memory>

namespace pssc::cuda {

/// A plan as the device reads it.
class ScatterPlan {
 public:
  virtual ~ScatterPlan() = default;
  /// pixels [n x height*width] -> features [n x dimension], both on the device.
  virtual void transform(FloatView pixels, MatrixView<float> features) const = 0;
};

/// By the fused kernel, where there is one for the plan's shape; else by a product a transform.
std::unique_ptr<const ScatterPlan> make_scatter_plan(const Scattering::Plan& plan);
/// Nothing where there is none for the shape.
std::unique_ptr<const ScatterPlan> make_fused_plan(const Scattering::Plan& plan);
std::unique_ptr<const ScatterPlan> make_general_plan(const Scattering::Plan& plan);

/// The spectrum of psi_{j,t} on the grid of resolution `from`, divided by its number of points: [rows x cols].
FloatMatrix dense_filter(const Scattering::Plan& plan, std::size_t j, std::size_t t, std::size_t from);

/// Pixels of the host are copied beside the work; may be called from several threads at once.
void scatter(const ScatterPlan& plan, FloatView pixels, MatrixView<float> features);

}  // namespace pssc::cuda
