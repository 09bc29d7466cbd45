// Projection of a stream beside the plain one.
#include "support/random_matrix.hpp"

#include <pssc/core/bfloat.hpp>
#include <pssc/projection.hpp>

#include <gtest/gtest.h>

namespace pssc {
namespace {

TEST(Projector, IsTheProjectionUpToRoundingAndRowsStandForThemselves) {
  const FloatMatrix x = test::normal_matrix(700, 200, 5);
  const Context context;
  const Projection projection = fit_pca(context, x, 40);
  const Projector projector(projection);
  const FloatMatrix plain = project(context, projection, x), streamed = projector.project(context, x);
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(streamed.data()[i], plain.data()[i], 0.03);
  if (!multiplies_bfloats()) return;
  const FloatMatrix some = projector.project(Context(3), x.view().row_range(123, 456));
  for (std::size_t i = 0; i < some.rows(); ++i)
    for (std::size_t j = 0; j < some.cols(); ++j) ASSERT_EQ(some(i, j), streamed(123 + i, j));
}

}  // namespace
}  // namespace pssc
