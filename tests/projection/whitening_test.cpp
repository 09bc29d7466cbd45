#include "support/random_matrix.hpp"

#include <pssc/projection.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pssc {
namespace {

/// Two clusters that differ in the second column and vary widely in the first. Row i is in cluster i % 2.
FloatMatrix elongated(std::size_t n) {
  FloatMatrix x = test::normal_matrix(n, 3, 1);
  for (std::size_t i = 0; i < n; ++i) {
    x(i, 0) *= 50;
    x(i, 1) += i % 2 ? 5.0F : -5.0F;
  }
  return x;
}

std::vector<std::int32_t> alternating(std::size_t n) {
  std::vector<std::int32_t> labels(n);
  for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::int32_t>(i % 2);
  return labels;
}

TEST(Whitening, MakesTheInsideOfClustersRound) {
  const Context context(2);
  const FloatMatrix x = elongated(4000);
  const auto labels = alternating(4000);
  const Whitening w = fit_whitening(context, x, labels, 2, 0);
  EXPECT_NEAR(w.variances[0], 2500, 150);
  EXPECT_NEAR(std::abs(w.directions(0, 0)), 1, 1e-3);
  const Whitening again = fit_whitening(context, whiten(context, w, x), labels, 2, 0);
  for (const double v : again.variances) EXPECT_NEAR(v, 1, 0.01);
}

TEST(Whitening, UnwhitenGoesBack) {
  const Context context(1);
  const FloatMatrix x = elongated(300);
  const Whitening w = fit_whitening(context, x, alternating(300), 2, 0.1);
  const FloatMatrix back = unwhiten(context, w, whiten(context, w, x));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(back.data()[i], x.data()[i], 1e-2);
}

TEST(Whitening, ASingularCovarianceStaysFinite) {
  FloatMatrix x = elongated(100);
  for (std::size_t i = 0; i < 100; ++i) x(i, 2) = x(i, 0);  // a direction with no variance at all
  for (const double ridge : {0.1, 1e-6}) {
    const Whitening w = fit_whitening(Context(1), x, alternating(100), 2, ridge);
    for (std::size_t i = 0; i < w.map.size(); ++i) ASSERT_TRUE(std::isfinite(w.map.data()[i]));
  }
}

TEST(Whitening, IdenticalImagesInEachClusterAreLeftAlone) {
  FloatMatrix x(40, 2);
  for (std::size_t i = 0; i < 40; ++i) x(i, 0) = i % 2 ? 0.1F : -0.3F;
  const Whitening w = fit_whitening(Context(1), x, alternating(40), 2, 0.1);
  EXPECT_EQ(w.map(0, 0), 1);
  EXPECT_EQ(w.map(0, 1), 0);
}

TEST(Whitening, EmptyAndSingleImageClustersAreNoTrouble) {
  const FloatMatrix x = elongated(50);
  std::vector<std::int32_t> labels(50, 0);
  labels[7] = 2;  // cluster 1 is empty, cluster 2 one image
  const Whitening w = fit_whitening(Context(1), x, labels, 3, 0.1);
  for (std::size_t i = 0; i < w.map.size(); ++i) EXPECT_TRUE(std::isfinite(w.map.data()[i]));
}

}  // namespace
}  // namespace pssc
