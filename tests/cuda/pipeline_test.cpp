// Whole runs on the device: the labels of the processor, and the same ones every time.
#include "on_device.hpp"
#include "pipeline/images_of.hpp"
#include "support/image_files.hpp"

#include <pssc/core/cuda.hpp>
#include <pssc/core/device.hpp>
#include <pssc/core/error.hpp>
#include <pssc/pipeline.hpp>

#include <cmath>
#include <iostream>

namespace pssc {
namespace {

using CudaPipeline = test::OnDevice;

Parameters parameters_of(const std::string& name, std::size_t clusters) {
  Parameters p = preset(name);
  p.clusters = clusters;
  return p;
}

void expect_parity(const ImageSet& images, const Parameters& p, double least = 0.995) {
  const Run here = cluster(Context(), p, images), there = cluster(Context(0, 0, Device::cuda), p, images);
  const double ari = evaluate(there.clustering.labels, here.clustering.labels).ari;
  EXPECT_GE(ari, least) << images.name();
  if (here.metrics) {
    std::cout << "parity: " << images.name() << ", refinement " << static_cast<int>(p.refine) << ": ARI " << ari
              << ", accuracy " << here.metrics->accuracy << " on the processor, " << there.metrics->accuracy
              << " on the GPU" << std::endl;
    EXPECT_NEAR(here.metrics->accuracy, there.metrics->accuracy, 0.002) << images.name();
  }
  ASSERT_EQ(here.variances.size(), there.variances.size());
  for (std::size_t v = 0; v < here.variances.size(); ++v)
    ASSERT_NEAR(here.variances[v], there.variances[v], 1e-4 * here.variances[0]) << "component " << v;
  const Run again = cluster(Context(3, 0, Device::cuda), p, images);
  EXPECT_EQ(there.clustering.labels, again.clustering.labels) << images.name() << ": not the same twice";
}

TEST_F(CudaPipeline, SyntheticDigitsByEveryPreset) {
  const auto images = open_images("synthetic:4000", {});
  for (const char* name : {"paper", "tuned"}) expect_parity(*images, parameters_of(name, 10));
}

/// Every kernel of ours, in little time: what a sanitizer goes through.
TEST_F(CudaPipeline, SmallRuns) {
  const auto images = open_images("synthetic:600", {});
  for (const char* name : {"paper", "tuned"}) {
    Parameters p = parameters_of(name, 10);
    p.pca_dims = 60;
    p.fit_images = 500;
    const auto run = cluster(test::gpu(), p, *images);
    EXPECT_GE(run.metrics->accuracy, 0.5);
    std::size_t placed = 0;
    run.model->predict(test::gpu(), *images, [&](const Clustering& some, auto) { placed += some.labels.size(); });
    EXPECT_EQ(placed, 600);
  }
}

TEST_F(CudaPipeline, EveryClusterer) {
  const auto images = open_images("synthetic:600", {});
  for (const Clusterer clusterer : {Clusterer::uspec, Clusterer::kmeans, Clusterer::spectral, Clusterer::dbscan}) {
    Parameters p = parameters_of("paper", 10);
    p.clusterer = clusterer;
    p.pca_dims = 50;
    const auto run = cluster(test::gpu(), p, *images);
    EXPECT_EQ(run.clustering.labels.size(), 600);
  }
  Parameters p = parameters_of("paper", 10);
  p.features = Features::pixels;
  EXPECT_EQ(cluster(test::gpu(), p, *images).clustering.labels.size(), 600);
  p = parameters_of("tuned", Parameters::automatic);
  EXPECT_EQ(cluster(test::gpu(), p, *images).clustering.labels.size(), 600);
}

TEST_F(CudaPipeline, DataSets) {
  for (const char* name : {"usps", "mnist-test", "fashion-mnist-test", "mnist", "fashion-mnist"}) {
    const auto images = test::open_if_there(name);
    if (!images) {
      std::cout << "skipped: no " << name << "\n";
      continue;
    }
    for (const char* preset : {"paper", "tuned"}) {
      SCOPED_TRACE(std::string(name) + " by " + preset);
      expect_parity(*images, parameters_of(preset, 10));
    }
  }
}

TEST_F(CudaPipeline, LittleDeviceMemory) {
  const auto images = open_images("synthetic:1500", {});
  cluster(test::gpu(), parameters_of("paper", 10), *images);  // what the libraries keep for themselves
  const auto taken = test::all_memory_but(std::size_t{3} << 29);
  EXPECT_EQ(cluster(test::gpu(), parameters_of("paper", 10), *images).clustering.labels.size(), 1500);
  const auto more = test::all_memory_but(std::size_t{1} << 25);
  try {
    cluster(test::gpu(), parameters_of("paper", 10), *images);
    FAIL() << "32 MiB cannot be enough";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failed);
    EXPECT_NE(std::string(error.what()).find("--device cpu"), std::string::npos) << error.what();
  }
}

TEST_F(CudaPipeline, SetsThatAreStreamed) {
  const auto images = open_images("synthetic:20000", {});
  Parameters p = parameters_of("tuned", 10);
  p.sample_images = 3000;
  p.fit_images = 6000;
  expect_parity(*images, p);
  p = parameters_of("paper", 10);
  p.fit_images = 6000;
  expect_parity(*images, p, 0.99);
}

TEST_F(CudaPipeline, ModelsPlaceAlikeOnBoth) {
  const auto images = open_images("synthetic:3000", {});
  for (const char* name : {"paper", "tuned"}) {
    const auto run = cluster(test::gpu(), parameters_of(name, 10), *images);
    std::vector<Label> here, there;
    run.model->predict(Context(), *images, [&](const Clustering& some, auto) {
      here.insert(here.end(), some.labels.begin(), some.labels.end());
    });
    run.model->predict(test::gpu(), *images, [&](const Clustering& some, auto) {
      there.insert(there.end(), some.labels.begin(), some.labels.end());
    });
    EXPECT_GE(evaluate(there, here).ari, 0.999);
    EXPECT_GE(evaluate(there, run.clustering.labels).ari, 0.98);
  }
}

TEST_F(CudaPipeline, StraysAndBrokenImages) {
  const test::DigitsAndStrays images(3000, 6);
  const auto run = cluster(test::gpu(), parameters_of("tuned", 10), images);
  for (std::size_t i = 3000; i < 3006; ++i) EXPECT_EQ(run.clustering.outliers[i], 1) << i;

  const test::TempFolder folder;
  for (int i = 0; i < 40; ++i)
    folder.write("image" + std::to_string(100 + i) + ".png",
                 test::encode_png(test::gradient(20 + i % 9, 20 + i % 7, 1)));
  folder.write("image000.png", "not an image");
  folder.write("image120.png", "nor this");
  const auto some = open_images(folder.string(), {});
  const auto rest = cluster(test::gpu(), parameters_of("paper", 3), *some);
  EXPECT_EQ(rest.skipped.size(), 2);
  EXPECT_EQ(rest.clustering.labels.size(), 39);
}

TEST_F(CudaPipeline, FeaturesComeToTheHost) {
  const auto images = open_images("synthetic:300", {});
  for (const FeatureStage stage : {FeatureStage::scattering, FeatureStage::equalised, FeatureStage::projected}) {
    std::vector<float> here, there;
    for (const Device device : {Device::cpu, Device::cuda})
      stream_features(
          Context(2, 0, device), parameters_of("paper", 10), *images, stage, [](const FeatureShape&) {},
          [&](FloatView rows) {
            std::vector<float>& all = device == Device::cpu ? here : there;
            for (std::size_t i = 0; i < rows.rows(); ++i) all.insert(all.end(), rows.row(i).begin(), rows.row(i).end());
          });
    ASSERT_EQ(here.size(), there.size());
    double largest = 0;
    for (const float v : here) largest = std::max(largest, double{std::abs(v)});
    std::size_t off = 0;
    for (std::size_t i = 0; i < here.size(); ++i) off += std::abs(double{here[i]} - there[i]) > 1e-4 * largest;
    EXPECT_LE(off, stage == FeatureStage::projected ? here.size() / 10 : 0);  // directions of equal variance may turn
  }
}

}  // namespace
}  // namespace pssc
