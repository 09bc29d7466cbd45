// What a run keeps: enough to continue after every stage, for any number of threads; damage and change are noticed.
#include "images_of.hpp"
#include "support/image_files.hpp"

#include <pssc/core/error.hpp>
#include <pssc/pipeline.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace pssc {
namespace {

namespace fs = std::filesystem;
using test::contents;
using test::TempFolder;

struct Stopped {};

Parameters all_stages() {
  Parameters p = preset("tuned");
  p.clusters = 5;
  p.sample_images = 700;
  p.fit_images = 1000;
  p.scales = 2;
  p.angles = 4;
  return p;
}

const ImageSet& some_images() {
  static const auto images = open_images("synthetic:10000", {.size = 16});
  return *images;
}

/// A context that stops the run when something is there.
Context stopping_at(const fs::path& file, unsigned threads) {
  Context context(threads);
  context.interrupt = [file] {
    if (fs::exists(file)) throw Stopped{};
  };
  return context;
}

void expect_same(const Run& a, const Run& b) {
  EXPECT_EQ(a.clustering.labels, b.clustering.labels);
  EXPECT_EQ(a.clustering.confidence, b.clustering.confidence);
  EXPECT_EQ(a.clustering.outliers, b.clustering.outliers);
  EXPECT_EQ(a.clustering.notes, b.clustering.notes);
  EXPECT_EQ(a.clustering.eigenvalues, b.clustering.eigenvalues);
  EXPECT_EQ(a.ids, b.ids);
  EXPECT_EQ(a.variances, b.variances);
  ASSERT_EQ(a.positions.size(), b.positions.size());
  EXPECT_TRUE(std::equal(a.positions.data(), a.positions.data() + a.positions.size(), b.positions.data()));
  ASSERT_EQ(a.model.has_value(), b.model.has_value());
  EXPECT_TRUE(!a.model || a.model->bytes() == b.model->bytes());
  ASSERT_EQ(a.removed.size(), b.removed.size());
  for (std::size_t i = 0; i < a.removed.size(); ++i) EXPECT_EQ(a.removed[i].low, b.removed[i].low);
}

/// Stops a run after each stage in turn, with other numbers of threads, and lets the last one end.
Run run_in_pieces(const TempFolder& folder, std::vector<std::string>& said) {
  const auto say = [&](const std::string& line) { said.push_back(line); };
  unsigned threads = 1;
  for (const char* stage : {"components", "coordinates", "clusters", "placed-0"}) {
    Checkpoints kept(folder / "", say);
    EXPECT_THROW(
        cluster(stopping_at(folder / (".partial/" + std::string(stage)), threads++), all_stages(), some_images(), kept),
        Stopped)
        << stage;
  }
  Checkpoints kept(folder / "", say);
  Run run = cluster(Context(3), all_stages(), some_images(), kept);
  kept.finish();
  return run;
}

TEST(Checkpoints, ARunInPiecesIsTheSameRun) {
  const TempFolder folder;
  std::vector<std::string> said;
  const pssc::Run pieces = run_in_pieces(folder, said), whole = cluster(Context(), all_stages(), some_images());
  expect_same(pieces, whole);
  ASSERT_EQ(said.size(), 4u);
  EXPECT_EQ(said[0], "continuing: the principal components are kept");
  EXPECT_EQ(said[1], "continuing: the projection of all images that are clustered is kept");
  EXPECT_EQ(said[2], "continuing: the clusters are kept");
  EXPECT_EQ(said[3], "continuing: the clusters are kept, and where 8192 of the 10000 images belong");
  EXPECT_FALSE(fs::exists(folder / ".partial"));
  ASSERT_EQ(pieces.timings.size(), whole.timings.size());
  for (std::size_t i = 0; i < whole.timings.size(); ++i) EXPECT_EQ(pieces.timings[i].stage, whole.timings[i].stage);
}

/// Leaves behind what a run keeps that was stopped while it placed images.
void leave_everything(const TempFolder& folder) {
  static const TempFolder left;
  if (!fs::exists(left / ".partial")) {
    Checkpoints kept(left / "");
    EXPECT_THROW(cluster(stopping_at(left / ".partial/placed-0", 0), all_stages(), some_images(), kept), Stopped);
  }
  fs::copy(left / "", folder / "", fs::copy_options::recursive);
}

TEST(Checkpoints, DamageIsToldAndThatStageDoneAgain) {
  const pssc::Run whole = cluster(Context(), all_stages(), some_images());
  for (const std::string stage : {"components", "coordinates", "clusters", "placed-0"})
    for (const bool cut : {false, true}) {
      const TempFolder folder;
      leave_everything(folder);
      const std::string name = ".partial/" + stage;
      std::string bytes = contents(folder / name);
      if (cut)
        bytes.resize(bytes.size() - 5);
      else
        bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
      folder.write(name, bytes);
      if (stage == "coordinates") fs::remove(folder / ".partial/clusters");
      if (stage == "components") {
        fs::remove(folder / ".partial/clusters");
        fs::remove(folder / ".partial/coordinates");
      }
      std::string said;
      Checkpoints kept(folder / "", [&](const std::string& line) { said += line + "\n"; });
      expect_same(cluster(Context(), all_stages(), some_images(), kept), whole);
      EXPECT_NE(said.find("cannot be used"), std::string::npos) << said;
      kept.finish();
    }
}

TEST(Checkpoints, AnotherOptionSeedOrInputStartsAfresh) {
  const auto said_by = [](const Context& context, const Parameters& p, const ImageSet& images) {
    const TempFolder folder;
    leave_everything(folder);
    std::string said;
    Checkpoints kept(folder / "", [&](const std::string& line) { said += line; });
    cluster(context, p, images, kept);
    return said;
  };
  Parameters other = all_stages();
  other.neighbours = 4;
  EXPECT_EQ(said_by(Context(), other, some_images()), "starting afresh: neighbours is now 4, and was 5");
  EXPECT_EQ(said_by(Context(0, 7), all_stages(), some_images()), "starting afresh: seed is now 7, and was 0");
  Context small;
  small.memory = std::size_t{1} << 30;
  EXPECT_EQ(said_by(small, all_stages(), some_images()),
            "starting afresh: memory is now 1073741824, and was 2147483648");
  EXPECT_EQ(said_by(Context(), all_stages(), *open_images("synthetic:10000", {.size = 16, .seed = 1})),
            "starting afresh: the input has changed");
}

TEST(Checkpoints, ImagesKnowWhatTellsThemFromOthers) {
  const TempFolder folder;
  for (std::size_t i = 0; i < 4; ++i)
    folder.write("in/" + std::to_string(i) + ".pgm", test::encode_pnm(test::disc_or_ring(i)));
  const auto identity = [&](const std::string& name) { return open_images(folder.string(name), {})->identity(); };
  const std::string before = identity("in");
  EXPECT_EQ(identity("in"), before);
  fs::last_write_time(folder / "in/2.pgm", fs::last_write_time(folder / "in/2.pgm") + std::chrono::seconds(1));
  const std::string touched = identity("in");
  EXPECT_NE(touched, before);
  fs::remove(folder / "in/1.pgm");
  EXPECT_NE(identity("in"), touched);
  // Of a large array not every byte is read: its date tells.
  folder.write("large.npy", test::encode_npy("|u1", {70, 1024, 1024}, std::vector<std::uint8_t>(70 << 20, 9)));
  const std::string large = identity("large.npy");
  EXPECT_EQ(identity("large.npy"), large);
  fs::last_write_time(folder / "large.npy", fs::last_write_time(folder / "large.npy") + std::chrono::seconds(1));
  EXPECT_NE(identity("large.npy"), large);
  std::vector<std::uint8_t> numbers(3 * 8 * 8, 7);
  const auto array = [&] {
    return images_from_memory({numbers.data(), "|u1", {3, 8, 8}, {64, 8, 1}}, {.size = 8})->identity();
  };
  const std::string sevens = array();
  EXPECT_EQ(array(), sevens);
  numbers[100] = 8;
  EXPECT_NE(array(), sevens);
}

TEST(Checkpoints, OneProcessAtATime) {
  const TempFolder folder;
  {
    const Checkpoints first(folder / "");
    try {
      const Checkpoints second(folder / "");
      FAIL() << "two at once";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::failed);
      EXPECT_NE(std::string(error.what()).find("another run"), std::string::npos);
    }
  }
  EXPECT_FALSE(fs::exists(folder / ".partial"));  // nothing was kept
  const Checkpoints again(folder / "");
}

TEST(Checkpoints, BrokenImagesStayBrokenAndOneClustererKeepsAsAnother) {
  const TempFolder folder;
  for (std::size_t i = 0; i < 300; ++i)
    folder.write(
        "in/" + std::to_string(1000 + i) + ".pgm", i % 50 == 7 ? std::string("P5 no image") : [&] {
          const auto bytes = test::encode_pnm(test::disc_or_ring(i));
          return std::string(bytes.begin(), bytes.end());
        }());
  const auto images = open_images(folder.string("in"), {});
  for (const Clusterer clusterer : {Clusterer::uspec, Clusterer::kmeans, Clusterer::dbscan}) {
    Parameters p = preset("paper");
    p.clusters = clusterer == Clusterer::dbscan ? Parameters::automatic : 2;
    p.clusterer = clusterer;
    p.pca_dims = 20;
    p.representatives = 50;
    const pssc::Run whole = cluster(Context(), p, *images);
    EXPECT_EQ(whole.skipped.size(), 6u);
    for (const char* stage : {"components", "clusters"}) {
      {
        Checkpoints kept(folder / "out");
        Context stopping = stopping_at(folder / ("out/.partial/" + std::string(stage)), 0);
        try {
          cluster(stopping, p, *images, kept);  // the last stage may have been the last look at the interrupt
        } catch (const Stopped&) {
        }
      }
      Checkpoints kept(folder / "out");
      const pssc::Run continued = cluster(Context(), p, *images, kept);
      expect_same(continued, whole);
      EXPECT_EQ(continued.skipped.size(), 6u);
      EXPECT_EQ(continued.skipped[0].reason, whole.skipped[0].reason);
      kept.finish();
    }
  }
}

}  // namespace
}  // namespace pssc
