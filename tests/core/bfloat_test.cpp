// Products of bfloat16 beside sums in double precision.
#include "support/random_matrix.hpp"

#include <pssc/core/bfloat.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pssc {
namespace {

void expect_products_of_every_shape(bool amx) {
  for (const std::size_t n : {1UL, 7UL, 15UL, 16UL, 17UL, 128UL})
    for (const std::size_t m : {1UL, 15UL, 16UL, 17UL, 47UL, 48UL, 49UL, 100UL})
      for (const std::size_t K : {1UL, 2UL, 31UL, 32UL, 33UL, 255UL, 256UL, 257UL, 700UL}) {
        const FloatMatrix x = test::normal_matrix(n, K, 1), b = test::normal_matrix(m, K, 2);
        const FloatMatrix origin = test::normal_matrix(1, K, 3);
        FloatMatrix y(n, m);
        BfloatMatrix(b).multiply(x, {origin.data(), K}, y, amx);
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

TEST(Bfloat, ProductsOfEveryShapeByVectors) {
  if (!multiplies_bfloats()) GTEST_SKIP() << "skipped: this processor does not multiply bfloat16";
  expect_products_of_every_shape(false);
}

TEST(Bfloat, ProductsOfEveryShapeByAmx) {
  if (!multiplies_bfloats_by_amx()) GTEST_SKIP() << "skipped: this processor has no AMX";
  expect_products_of_every_shape(true);
}

}  // namespace
}  // namespace pssc
