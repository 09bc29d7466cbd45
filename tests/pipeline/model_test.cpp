// A model places images as the run did that made it, survives the disk, and is refused where it is not whole.
#include "images_of.hpp"
#include "support/image_files.hpp"

#include <pssc/core/error.hpp>
#include <pssc/core/sha256.hpp>
#include <pssc/pipeline.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>

namespace pssc {
namespace {

using test::contents;
using test::TempFolder;

Clustering predict(const Model& model, const Context& context, const ImageSet& images) {
  Clustering all;
  model.predict(context, images, [&](const Clustering& some, std::span<const std::size_t>) {
    all.labels.insert(all.labels.end(), some.labels.begin(), some.labels.end());
    all.confidence.insert(all.confidence.end(), some.confidence.begin(), some.confidence.end());
    all.outliers.insert(all.outliers.end(), some.outliers.begin(), some.outliers.end());
  });
  return all;
}

double agreement(const std::vector<Label>& a, const std::vector<Label>& b) {
  std::size_t same = 0;
  for (std::size_t i = 0; i < a.size(); ++i) same += a[i] == b[i];
  return static_cast<double>(same) / static_cast<double>(a.size());
}

class ModelOf : public ::testing::TestWithParam<const char*> {};

Parameters parameters_of(const std::string& name) {
  Parameters p = preset(name == "tuned" || name == "consensus" || name == "streamed" ? "tuned" : "paper");
  p.clusters = 10;
  if (name == "consensus") p.refine = Refinement::consensus;
  if (name == "kmeans") p.clusterer = Clusterer::kmeans;
  if (name == "hnsw") p.search = Search::hnsw;
  if (name == "streamed") p.fit_images = 2000, p.sample_images = 1500;
  return p;
}

/// The same with 400 numbers an image, for these.
Parameters small_parameters_of(const std::string& name) {
  Parameters p = parameters_of(name);
  p.scales = 2;
  p.angles = 4;
  return p;
}

std::unique_ptr<ImageSet> small_images() {
  return open_images("synthetic:4000", {.size = 16});
}

TEST_P(ModelOf, PlacesTheImagesOfItsRunWhereTheRunDidAlsoFromDisk) {
  const TempFolder folder;
  const auto images = small_images();
  const auto run = cluster(Context(), small_parameters_of(GetParam()), *images);
  ASSERT_TRUE(run.model.has_value());
  run.model->save(folder / "model.pssc");
  const Model loaded = Model::load(folder / "model.pssc");
  const Clustering placed = predict(loaded, Context(1), *images), again = predict(*run.model, Context(3), *images);
  EXPECT_GE(agreement(placed.labels, run.clustering.labels), 0.999);
  EXPECT_EQ(placed.labels, again.labels);
  EXPECT_EQ(placed.confidence, again.confidence);
  EXPECT_EQ(placed.outliers, again.outliers);
  // The same again, byte for byte.
  loaded.save(folder / "copy.pssc");
  EXPECT_EQ(contents(folder / "copy.pssc"), contents(folder / "model.pssc"));
}

TEST_P(ModelOf, TellsHowLikelyEachClusterIsAndWhereImagesLie) {
  const auto images = small_images();
  const auto run = cluster(Context(), small_parameters_of(GetParam()), *images);
  const Model copy = Model::from_bytes(run.model->bytes(), "a copy");
  EXPECT_EQ(copy.bytes(), run.model->bytes());
  const Clustering placed = predict(copy, Context(), *images);
  const bool kmeans = std::string(GetParam()) == "kmeans";
  std::size_t likeliest = 0, rows_seen = 0;
  copy.probabilities(Context(), *images, [&](FloatView values, std::span<const std::size_t> rows) {
    ASSERT_EQ(values.cols(), 10u);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = values.row(i);
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-4);
      EXPECT_GE(*std::ranges::min_element(row), 0);
      const auto label = static_cast<std::size_t>(placed.labels[rows[i]]);
      likeliest += static_cast<std::size_t>(std::ranges::max_element(row) - row.begin()) == label;
      // The confidence is one of them.
      const bool told = !kmeans && !placed.outliers[rows[i]];
      EXPECT_NEAR(told ? row[label] : 0, told ? placed.confidence[rows[i]] : 0, 1e-4);
    }
    rows_seen += rows.size();
  });
  EXPECT_EQ(rows_seen, 4000u);
  EXPECT_GE(static_cast<double>(likeliest), 0.98 * 4000);
  if (kmeans) {
    EXPECT_EQ(copy.embedding_dims(), 0u);
    EXPECT_THROW(copy.embedding(Context(), *images, {}), Error);
    return;
  }
  EXPECT_EQ(copy.embedding_dims(), 10u);
  copy.embedding(Context(), *images, [&](FloatView values, std::span<const std::size_t>) {
    for (std::size_t i = 0; i < values.rows(); ++i) {
      const auto row = values.row(i);
      EXPECT_NEAR(std::inner_product(row.begin(), row.end(), row.begin(), 0.0), 1, 1e-4);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Methods, ModelOf,
                         ::testing::Values("tuned", "consensus", "paper", "kmeans", "hnsw", "streamed"),
                         [](const auto& method) { return std::string(method.param); });

TEST(Model, PlacesNewImages) {
  const auto known = open_images("synthetic:2500", {}), fresh = open_images("synthetic:1500", {.seed = 77});
  const auto run = cluster(Context(), parameters_of("tuned"), *known);
  const Clustering placed = predict(*run.model, Context(), *fresh);
  EXPECT_GT(evaluate(placed.labels, fresh->labels()->values).accuracy, 0.97);
}

TEST(Model, MnistTrainingDigitsPlaceTheTestDigits) {
  const auto train = test::open_if_there("mnist-train"), unseen = test::open_if_there("mnist-test");
  if (!train || !unseen) GTEST_SKIP() << "skipped: no mnist";
  const auto run = cluster(Context(), parameters_of("tuned"), *train);
  const auto match = best_assignment(contingency(run.clustering.labels, run.truth->values));
  const Clustering placed = predict(*run.model, Context(), *unseen);
  std::size_t right = 0;
  for (std::size_t i = 0; i < placed.labels.size(); ++i)
    right += match[static_cast<std::size_t>(placed.labels[i])] == unseen->labels()->values[i];
  EXPECT_GE(static_cast<double>(right) / static_cast<double>(placed.labels.size()), 0.985);
}

TEST(Model, DamagedForeignAndLaterFilesAreRefusedInOneLine) {
  const TempFolder folder;
  const auto run = cluster(Context(), small_parameters_of("consensus"), *open_images("synthetic:300", {.size = 16}));
  run.model->save(folder / "model.pssc");
  const std::string good = contents(folder / "model.pssc");
  const auto message = [&](const std::string& bytes) {
    const std::string path = folder.write("bad.pssc", bytes);
    try {
      Model::load(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return std::string(error.what());
    }
    return std::string();
  };
  const auto signed_again = [](std::string bytes) {
    bytes.resize(bytes.size() - 64);
    Sha256 sum;
    sum.add({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
    return bytes + sum.hex();
  };
  EXPECT_EQ(message(good), "");
  EXPECT_NE(message("").find("no model"), std::string::npos);
  EXPECT_NE(message("GIF89a").find("no model"), std::string::npos);
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
  EXPECT_NE(message(flipped).find("checksum"), std::string::npos);
  std::string later = good;
  later[8] = 4;
  EXPECT_NE(message(signed_again(later)).find("version 4.0"), std::string::npos);
  for (const std::size_t cut : {9UL, 40UL, 80UL, 200UL, 1000UL, good.size() / 2, good.size() - 1})
    EXPECT_NE(message(good.substr(0, cut)), "") << cut;
  // With a right checksum and wrong contents: every number of the first kilobyte made huge, one at a time.
  for (std::size_t at = 24; at + 8 < 1024; at += 8) {
    std::string huge = good;
    for (std::size_t k = 0; k < 8; ++k) huge[at + k] = static_cast<char>(k == 7 ? 0x0f : 0xff);
    try {
      Model::load(folder.write("bad.pssc", signed_again(huge)));
    } catch (const Error&) {
    }
  }
}

TEST(Model, AFileOfTheFirstFormatIsRefusedByItsVersion) {
  // Written by pssc 0.1.0 of format 1.0, whose default method ended in Gaussians.
  const std::filesystem::path folder = PSSC_TEST_DATA;
  try {
    Model::load(folder / "model-1.0.pssc");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("version 1.0"), std::string::npos) << error.what();
  }
}

Model model_of_four() {
  Parameters p = small_parameters_of("tuned");
  p.clusters = 4;
  return *cluster(Context(), p, *open_images("synthetic:300", {.size = 8})).model;
}

TEST(Model, NamesOfItsClustersGoWithIt) {
  const Model old = model_of_four();
  const std::vector<std::string> names{"ones", "", "two, or three", "\xc3\xa9t\xc3\xa9"};
  const Model named = Model::from_bytes(old.named(names).bytes(), "named");
  EXPECT_EQ(named.names(), names);
  EXPECT_EQ(named.named({}).bytes(), old.named({"", "", "", ""}).bytes());
  const auto images = open_images("synthetic:50", {.size = 8});
  EXPECT_EQ(predict(named, Context(), *images).labels, predict(old, Context(), *images).labels);
  EXPECT_THROW(old.named({"one", "two"}), Error);
}

TEST(Model, ASectionOfALaterMinorVersionIsPassedOver) {
  const Model named = model_of_four().named({"a", "b", "c", "d"});
  std::string bytes = named.bytes();
  bytes.resize(bytes.size() - 64);
  bytes[16] = 9;  // minor version
  bytes += std::string("COLOURS \x05\0\0\0\0\0\0\0green", 21);
  Sha256 sum;
  sum.add({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  const Model later = Model::from_bytes(bytes + sum.hex(), "later");
  EXPECT_EQ(later.names(), named.names());
  EXPECT_EQ(later.bytes(), named.bytes());
}

TEST(Model, ImagesOfAnotherSizeAreRefused) {
  const auto run = cluster(Context(), parameters_of("consensus"), *open_images("synthetic:300", {}));
  EXPECT_THROW(predict(*run.model, Context(), *open_images("synthetic:10", {.size = 16})), Error);
}

}  // namespace
}  // namespace pssc
