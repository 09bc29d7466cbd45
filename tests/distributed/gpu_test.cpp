// Ranks that compute on GPUs; skipped where there is none. Where there are fewer GPUs than ranks, they share.
#include "mpirun.hpp"
#include "support/image_files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace pssc::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class GpuRanks : public testing::Test {
 protected:
  void SetUp() override {
    const Ended info = run_ranks(0, {"info"});
    ASSERT_EQ(info.code, 0) << info.err;
    if (info.out.find("device   cpu") != std::string::npos) GTEST_SKIP() << "skipped: no GPU";
  }
  const TempFolder folder_;

  /// Runs so many ranks, or one process for 0, and returns the summary. Enough images that a GPU takes them in several
  /// portions, of which ranks get different ones, both those to learn from and those to place.
  Json cluster(std::size_t ranks, const std::string& device) const {
    const std::string name = device + std::to_string(ranks);
    const Ended ended = run_ranks(ranks, {"cluster", "synthetic:200000", "-k", "10", "--preset", "paper",
                                          "--fit-images", "80000", "--sample-images", "4000", "--representatives",
                                          "500", "--device", device, "--quiet", "-o", folder_.string(name)});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.code == 0 ? Json::parse(contents(folder_ / (name + "/summary.json"))) : Json();
  }
};

TEST_F(GpuRanks, FindTheSameClustersForAnyNumber) {
  const Json on_processor = cluster(2, "cpu"), two = cluster(2, "cuda");
  ASSERT_TRUE(on_processor.is_object() && two.is_object());
  EXPECT_EQ(two["backend"]["device"], "cuda");
  EXPECT_NEAR(two["metrics"]["accuracy"], on_processor["metrics"]["accuracy"], .002);
  for (const std::size_t ranks : {3, 4}) {
    const Json more = cluster(ranks, "cuda");
    ASSERT_TRUE(more.is_object());
    EXPECT_EQ(more["backend"]["ranks"], ranks);
    for (const char* file : {"/labels.csv", "/model.pssc"})
      EXPECT_TRUE(contents(folder_ / ("cuda" + std::to_string(ranks) + file)) ==
                  contents(folder_ / (std::string("cuda2") + file)))
          << file << " of " << ranks << " ranks";
  }
}

TEST_F(GpuRanks, PlaceNewImagesAsOneProcessDoes) {
  ASSERT_TRUE(cluster(2, "cuda").is_object());
  const Words arguments{"predict", folder_.string("cuda2/model.pssc"), "synthetic:120000", "--device", "cuda"};
  const Ended alone = run_ranks(0, arguments), shared = run_ranks(3, arguments);
  ASSERT_EQ(alone.code, 0) << alone.err;
  ASSERT_EQ(shared.code, 0) << shared.err;
  EXPECT_TRUE(shared.out == alone.out);
}

}  // namespace
}  // namespace pssc::test
