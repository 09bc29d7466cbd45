// The whole method on real images. Bounds are a little under what every seed gives; bench/accuracy.sh takes the means.
#include "images_of.hpp"
#include "support/image_files.hpp"

#include <pssc/pipeline.hpp>

#include <fmt/format.h>
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
  EXPECT_GE(m.purity, 0.957);  // the paper's figures
  EXPECT_GE(m.nmi, 0.898);
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

TEST(Accuracy, TwoKindsOfImageThatDifferInWhatPocWouldDrop) {
  const test::TempFolder folder;
  for (std::size_t i = 0; i < 200; ++i)
    folder.write(fmt::format("{}/{:03}.pgm", i % 2 ? "disc" : "ring", i), test::encode_pnm(test::disc_or_ring(i)));
  const auto images = open_images(folder.string(), {});
  Parameters tuned = preset("tuned"), dropping = preset("tuned");
  tuned.clusters = dropping.clusters = 2;
  dropping.poc_dims = 2;
  EXPECT_GE(run(*images, tuned).accuracy, 0.98);
  EXPECT_LT(run(*images, dropping).accuracy, 0.75);
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
