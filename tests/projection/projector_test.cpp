// Projection of a stream beside the plain one, and products of bfloat16 beside sums in double precision.
#include "projection/bfloat.hpp"
#include "support/random_matrix.hpp"

#include <pssc/projection.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pssc {
namespace {

TEST(Bfloat, ProductsOfEveryShape) {
  if (!multiplies_bfloats()) GTEST_SKIP() << "skipped: this processor does not multiply bfloat16";
  for (const std::size_t n : {1UL, 7UL, 8UL, 9UL, 128UL})
    for (const std::size_t m : {1UL, 15UL, 16UL, 17UL, 47UL, 48UL, 49UL, 100UL})
      for (const std::size_t K : {1UL, 2UL, 31UL, 255UL, 256UL, 257UL, 700UL}) {
        const FloatMatrix x = test::normal_matrix(n, K, 1), b = test::normal_matrix(m, K, 2);
        const FloatMatrix origin = test::normal_matrix(1, K, 3);
        FloatMatrix y(n, m);
        BfloatMatrix(b).multiply(x, {origin.data(), K}, y);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < m; ++j) {
            double sum = 0, squares = 0;
            for (std::size_t k = 0; k < K; ++k) {
              const double product = double{x(i, k) - origin(0, k)} * double{b(j, k)};
              sum += product;
              squares += product * product;
            }
            // Two roundings of at most 2^-9 a product.
            ASSERT_NEAR(y(i, j), sum, 6 * 0.004 * std::sqrt(squares)) << n << " " << m << " " << K;
          }
      }
}

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
