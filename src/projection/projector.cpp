#include <pssc/core/bfloat.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/projection.hpp>

namespace pssc {

Projector::Projector(const Projection& projection) : projection_(projection) {
  if (multiplies_bfloats()) rounded_ = std::make_unique<BfloatMatrix>(projection.directions);
}

Projector::~Projector() = default;

FloatMatrix Projector::project(const Context& context, FloatView x) const {
  if (!rounded_ || x.on_device()) return pssc::project(context, projection_, x);
  FloatMatrix y(x.rows(), projection_.dimension());
  parallel_blocks(context, x.rows(), BfloatMatrix::block_rows, [&](std::size_t begin, std::size_t end) {
    rounded_->multiply(x.row_range(begin, end), projection_.mean, y.view().row_range(begin, end));
  });
  return y;
}

}  // namespace pssc
