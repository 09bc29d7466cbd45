// What outgrows the memory: learned from a sample, fitted to some, placed one by one.
#include "images_of.hpp"

#include <pssc/core/error.hpp>
#include <pssc/pipeline.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace pssc {
namespace {

/// Small images and few angles: 400 numbers an image.
std::unique_ptr<ImageSet> small_images(const char* name) {
  return open_images(name, {.size = 16});
}

Parameters fitted_to(const char* method, std::size_t sample, std::size_t fit) {
  Parameters parameters = preset(method);
  parameters.clusters = 10;
  parameters.scales = 2;
  parameters.angles = 4;
  parameters.sample_images = sample;
  parameters.fit_images = fit;
  return parameters;
}

TEST(Streaming, MostImagesArePlacedByWhatWasFoundAmongSome) {
  const auto images = small_images("synthetic:6000");
  for (const char* method : {"tuned", "paper"}) {
    const auto whole = cluster(Context(), fitted_to(method, 20000, 100000), *images);
    const auto some = cluster(Context(), fitted_to(method, 1500, 3000), *images);
    EXPECT_EQ(some.count, 6000);
    EXPECT_EQ(some.ids.size(), 6000);
    EXPECT_EQ(some.clustering.confidence.size(), 6000);
    EXPECT_EQ(some.clustering.outliers.size(), 6000);
    EXPECT_GT(some.metrics->accuracy, whole.metrics->accuracy - 0.01) << method;
    EXPECT_EQ(some.timings.back().stage, "placing all images");
  }
}

TEST(Streaming, KMeansPlacesFurtherImagesToo) {
  const auto images = small_images("synthetic:3000");
  Parameters parameters = fitted_to("paper", 1000, 1500);
  parameters.clusterer = Clusterer::kmeans;
  const auto run = cluster(Context(), parameters, *images);
  EXPECT_EQ(run.clustering.labels.size(), 3000);
  EXPECT_EQ(std::ranges::count(run.clustering.outliers, 1), 0);
  EXPECT_GT(run.metrics->accuracy, 0.5);
}

TEST(Streaming, LabelsAreTheSameForAnyNumberOfThreads) {
  const auto images = small_images("synthetic:2500");
  for (const char* method : {"tuned", "paper"}) {
    const Parameters parameters = fitted_to(method, 800, 1200);
    const auto one = cluster(Context(1), parameters, *images);
    for (const unsigned threads : {2, 3, 4}) {
      const auto more = cluster(Context(threads), parameters, *images);
      EXPECT_EQ(one.clustering.labels, more.clustering.labels) << method << " " << threads;
      EXPECT_EQ(one.clustering.confidence, more.clustering.confidence) << method << " " << threads;
    }
  }
}

/// Every seventh image is broken.
class SomeBroken : public ImageSet {
 public:
  explicit SomeBroken(const ImageSet& all) : all_(all) {
    name_ = "some broken";
    size_ = all.size();
  }
  std::size_t count() const override { return all_.count(); }
  std::size_t channels() const override { return all_.channels(); }
  std::string id(std::size_t i) const override { return "image " + std::to_string(i); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    all_.read(begin, end, pixels, broken);
    for (std::size_t i = begin; i < end; ++i)
      if (i % 7 == 3) broken.push_back({i, id(i), "broken on purpose"});
  }

 private:
  const ImageSet& all_;
};

TEST(Streaming, BrokenImagesAreSkippedInEveryPass) {
  const auto images = small_images("synthetic:3500");
  const SomeBroken broken(*images);
  for (const std::size_t fit : {1400, 100000}) {
    const auto run = cluster(Context(), fitted_to("paper", 1000, fit), broken);
    EXPECT_EQ(run.skipped.size(), 500);
    EXPECT_EQ(run.skipped.front().index, 3);
    EXPECT_TRUE(std::ranges::is_sorted(run.skipped, {}, &BrokenImage::index));
    ASSERT_EQ(run.count, 3000);
    EXPECT_EQ(run.clustering.labels.size(), 3000);
    EXPECT_EQ(run.ids[3], "image 4");
  }
}

TEST(Streaming, MethodsThatNeedAllCoordinatesSayHowMuchMemory) {
  const auto images = small_images("synthetic:3000");
  Parameters parameters = fitted_to("paper", 20000, 100000);
  parameters.clusterer = Clusterer::dbscan;
  Context context;
  context.memory = std::size_t{8} << 20;
  try {
    cluster(context, parameters, *images);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("--memory"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pssc
