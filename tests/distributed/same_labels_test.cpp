// One process, and 1, 2, 3 and 4 ranks under mpirun: the same bytes.
#include "mpirun.hpp"
#include "support/image_files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <ostream>

namespace pssc::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// Small features: 400 numbers an image, so that a run takes a second.
const Words small{"--size", "16", "--scales", "2", "--angles", "4"};

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

struct Case {
  std::string name;
  Words arguments;
  std::vector<std::size_t> ranks;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class SameLabels : public testing::TestWithParam<Case> {};

Json summary_of(const TempFolder& folder, const std::string& run) {
  return Json::parse(contents(folder / (run + "/summary.json")));
}

TEST_P(SameLabels, ForAnyNumberOfRanks) {
  const TempFolder folder;
  const Case& c = GetParam();
  const Words arguments = Words{"cluster"} + c.arguments + Words{"--quiet", "-o"};
  const Ended alone = run_ranks(0, arguments + Words{folder.string("alone")});
  ASSERT_EQ(alone.code, 0) << alone.err;
  const std::string labels = contents(folder / "alone/labels.csv"), npy = contents(folder / "alone/labels.npy");
  const Json summary = summary_of(folder, "alone");
  for (const std::size_t ranks : c.ranks) {
    const std::string name = std::to_string(ranks);
    const Ended shared = run_ranks(ranks, arguments + Words{folder.string(name)});
    ASSERT_EQ(shared.code, 0) << shared.err;
    EXPECT_TRUE(contents(folder / (name + "/labels.csv")) == labels) << ranks << " ranks: other labels";
    EXPECT_TRUE(contents(folder / (name + "/labels.npy")) == npy);
    EXPECT_TRUE(contents(folder / (name + "/model.pssc")) == contents(folder / "alone/model.pssc"));
    const Json theirs = summary_of(folder, name);
    for (const char* figure : {"metrics", "clusters", "cluster_sizes", "input", "k_candidates", "eigenvalues",
                               "projected_out", "outliers", "notes", "pca", "turned_images_at_home"})
      EXPECT_EQ(theirs[figure], summary[figure]) << figure << " of " << ranks << " ranks";
    EXPECT_EQ(theirs["backend"]["ranks"], ranks);
    EXPECT_GT(contents(folder / (name + "/report.html")).size(), 10000U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, SameLabels,
    testing::Values(Case{"Tuned", Words{"synthetic:3100", "-k", "10"} + small, {1, 2, 3, 4}},
                    Case{
                        "Placed",  // most images are placed by what was found among some
                        Words{"synthetic:20000", "-k", "10", "--fit-images", "2300", "--sample-images", "2100"} + small,
                        {2, 3, 4}},
                    Case{"NumberFound", Words{"synthetic:1500", "-k", "auto", "--k-range", "2:14"} + small, {3}},
                    Case{"Paper", Words{"synthetic:3000", "-k", "10", "--preset", "paper"} + small, {2}},
                    Case{"Authors", Words{"synthetic:2500", "-k", "10", "--preset", "authors"} + small, {3}},
                    Case{"WidePixels",  // components by inner products
                         Words{"synthetic:400", "-k", "5", "--features", "pixels"},
                         {2}},
                    Case{"KMeans", Words{"synthetic:2500", "-k", "10", "--clusterer", "kmeans"} + small, {3}},
                    Case{"Spectral", Words{"synthetic:1500", "-k", "10", "--clusterer", "spectral"} + small, {2}},
                    Case{"Dbscan", Words{"synthetic:1500", "--clusterer", "dbscan"} + small, {2}}),
    [](const auto& instance) { return instance.param.name; });

TEST(Ranks, PlaceNewImagesAsOneProcessDoes) {
  const TempFolder folder;
  ASSERT_EQ(
      run_ranks(0, Words{"cluster", "synthetic:1500", "-k", "10", "--quiet", "-o", folder.string("run")} + small).code,
      0);
  const Words arguments{"predict", folder.string("run/model.pssc"), "synthetic:7000"};
  const Ended alone = run_ranks(0, arguments);
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_TRUE(run_ranks(3, arguments).out == alone.out);
  const Ended written = run_ranks(4, arguments + Words{"-o", folder.string("new.csv")});
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_TRUE(contents(folder / "new.csv") == alone.out);
}

TEST(Ranks, SkipBrokenImagesWhereverTheyAre) {
  const TempFolder folder;
  for (std::size_t i = 0; i < 4300; ++i) {  // three ranks read some: lists are cut at multiples of 2,048
    const bool broken = i == 7 || i == 2100 || i == 4200;
    const std::string name = "images/" + std::to_string(10000 + i) + ".pgm";
    folder.write(name, broken ? Bytes{1, 2, 3} : encode_pnm(disc_or_ring(i)));
  }
  const Words arguments = Words{"cluster", folder.string("images"), "-k", "2", "-o"};
  const Ended alone = run_ranks(0, arguments + Words{folder.string("alone")} + small);
  const Ended shared = run_ranks(3, arguments + Words{folder.string("shared")} + small);
  ASSERT_EQ(alone.code, 0) << alone.err;
  ASSERT_EQ(shared.code, 0) << shared.err;
  EXPECT_TRUE(contents(folder / "shared/labels.csv") == contents(folder / "alone/labels.csv"));
  const Json summary = summary_of(folder, "shared");
  EXPECT_EQ(summary["input"]["count"], 4297);
  EXPECT_EQ(summary["input"]["skipped_images"], summary_of(folder, "alone")["input"]["skipped_images"]);
  std::size_t told = 0;  // by one rank, not by three
  for (std::size_t at = 0; (at = shared.out.find("skipped 3 of", at)) != std::string::npos; ++at) ++told;
  EXPECT_EQ(told, 1U) << shared.out;
}

TEST(Ranks, FindOutTheSameAsOneProcess) {
  const TempFolder folder;
  for (std::size_t i = 0; i < 300; ++i) {  // red and green discs and rings, equally bright
    const Raster grey = disc_or_ring(i);
    Raster colour{grey.height, grey.width, 3, Bytes(3 * grey.samples.size())};
    for (std::size_t k = 0; k < grey.samples.size(); ++k)
      colour.samples[3 * k + i / 2 % 2] = static_cast<std::uint8_t>(grey.samples[k] / (i / 2 % 2 ? 2 : 1));
    folder.write("images/" + std::to_string(1000 + i) + ".ppm", encode_pnm(colour));
  }
  const Words arguments{"cluster", folder.string("images"), "-k", "4", "--adapt", "--scales", "2", "--angles", "4"};
  const Ended alone = run_ranks(0, arguments + Words{"-o", folder.string("alone")});
  ASSERT_EQ(alone.code, 0) << alone.err;
  const Ended shared = run_ranks(3, arguments + Words{"-o", folder.string("shared")});
  ASSERT_EQ(shared.code, 0) << shared.err;
  Json one = summary_of(folder, "alone")["adapted"], three = summary_of(folder, "shared")["adapted"];
  one.erase("seconds"), three.erase("seconds");
  EXPECT_GT(one["chosen"], 0);
  EXPECT_EQ(three, one);
  EXPECT_TRUE(contents(folder / "shared/labels.csv") == contents(folder / "alone/labels.csv"));
  EXPECT_TRUE(contents(folder / "shared/model.pssc") == contents(folder / "alone/model.pssc"));
}

/// Kills all once `file` of what a run keeps is there; false: it ended before.
bool kill_when_kept(Started& started, const std::filesystem::path& kept) {
  if (!started.wait_for(kept)) return false;
  for (const std::size_t rank : {1, 0})
    if (const pid_t process = started.process_of(rank); process > 0) kill(process, SIGKILL);
  return true;
}

TEST(Ranks, ContinueWithAnotherNumberOfRanks) {
  const TempFolder folder;
  const Words arguments =
      Words{"cluster", "synthetic:60000", "-k", "10", "--fit-images", "2300", "--sample-images", "2100"} + small;
  ASSERT_EQ(run_ranks(0, arguments + Words{"--quiet", "-o", folder.string("whole")}).code, 0);
  const Words into{"-o", folder.string("run")};
  const std::filesystem::path kept = folder / "run/.partial";
  for (const auto& [ranks, stage] : {std::pair<std::size_t, const char*>{2, "coordinates"}, {3, "placed-0"}}) {
    Started started(ranks, arguments + into);
    const bool was_kept = kill_when_kept(started, kept / stage);
    const Ended ended = started.wait();
    ASSERT_TRUE(was_kept) << stage << ": " << ended.err;
    ASSERT_NE(ended.code, 0);
    ASSERT_TRUE(contents(folder / "run/labels.csv").empty());
  }
  const Ended last = run_ranks(4, arguments + into);
  ASSERT_EQ(last.code, 0) << last.err;
  ASSERT_EQ(last.lines().size(), 1U) << last.err;
  EXPECT_NE(last.lines()[0].find("continuing: the clusters are kept, and where"), std::string::npos) << last.lines()[0];
  EXPECT_TRUE(contents(folder / "run/labels.csv") == contents(folder / "whole/labels.csv"));
  EXPECT_TRUE(contents(folder / "run/model.pssc") == contents(folder / "whole/model.pssc"));
  EXPECT_FALSE(std::filesystem::exists(kept));
}

TEST(Ranks, SendNoMoreForMoreImages) {
  const TempFolder folder;
  std::vector<Json> traffic;
  for (const char* input : {"synthetic:12000", "synthetic:40000"}) {
    const Words fit{"-k", "10", "--fit-images", "2300", "--sample-images", "2100", "--refine", "consensus"};
    const Ended ended = run_ranks(2, Words{"cluster", input, "--json"} + fit + small);
    ASSERT_EQ(ended.code, 0) << ended.err;
    traffic.push_back(Json::parse(ended.out)["backend"]["traffic"]);
  }
  ASSERT_EQ(traffic[0].size(), traffic[1].size());
  for (std::size_t s = 0; s < traffic[0].size(); ++s) {
    const double few = traffic[0][s]["bytes_sent"], many = traffic[1][s]["bytes_sent"];
    EXPECT_LT(many, 1.5 * few + 10000) << traffic[0][s]["stage"];  // iterations of k-means differ, images do not count
  }
}

}  // namespace
}  // namespace pssc::test
