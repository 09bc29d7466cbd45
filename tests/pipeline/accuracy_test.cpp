// The whole method on real images. Bounds are a little under what every seed gives; bench/accuracy.sh takes the means.
#include "images_of.hpp"

#include <pssc/pipeline.hpp>

#include <gtest/gtest.h>

namespace pssc {
namespace {

Metrics run(const ImageSet& images, const Parameters& parameters) {
  return *cluster(Context(), parameters, images).metrics;
}

TEST(Accuracy, MnistTestWithThePapersPreset) {
  const auto images = test::open_if_there("mnist-test");
  if (!images) GTEST_SKIP() << "skipped: no mnist";
  const Metrics m = run(*images, preset("paper"));
  EXPECT_GE(m.accuracy, 0.964);
  EXPECT_GE(m.nmi, 0.914);
}

TEST(Accuracy, UspsWithThePapersPreset) {
  const auto images = test::open_if_there("usps");
  if (!images) GTEST_SKIP() << "skipped: no usps";
  const Metrics m = run(*images, preset("paper"));
  EXPECT_GE(m.accuracy, 0.967);
  EXPECT_GE(m.nmi, 0.916);
}

TEST(Accuracy, UspsWithTheAuthorsPreset) {
  const auto images = test::open_if_there("usps");
  if (!images) GTEST_SKIP() << "skipped: no usps";
  const Metrics m = run(*images, preset("authors"));
  EXPECT_GE(m.purity, 0.93);
}

TEST(Accuracy, PocAndEqualisationAreWorthSeveralPoints) {
  const auto images = test::open_if_there("mnist-test");
  if (!images) GTEST_SKIP() << "skipped: no mnist";
  Parameters without_poc = preset("paper"), without_equalising = preset("paper");
  without_poc.poc_dims = 0;
  without_equalising.equalise = Equalisation::none;
  without_poc.pca_dims = without_equalising.pca_dims = 200;  // the same accuracy, sooner
  EXPECT_LT(run(*images, without_poc).accuracy, 0.93);
  EXPECT_LT(run(*images, without_equalising).accuracy, 0.93);
}

TEST(Accuracy, SyntheticDigitsAreHardForPixelsAndNotForUs) {
  const auto images = open_images("synthetic:5000", {});
  EXPECT_GT(run(*images, preset("paper")).accuracy, 0.95);
  Parameters pixels = preset("paper");
  pixels.features = Features::pixels;
  pixels.poc_dims = 0;
  pixels.clusterer = Clusterer::kmeans;
  EXPECT_LT(run(*images, pixels).accuracy, 0.75);
}

}  // namespace
}  // namespace pssc
