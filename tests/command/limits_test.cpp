// The limits as options: each command that reads images has them, and a run that was given them can be opened again.
#include "support/child.hpp"
#include "support/image_files.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace pssc::test {
namespace {

namespace fs = std::filesystem;

class LimitOptions : public ::testing::Test {
 protected:
  LimitOptions() {
    for (std::size_t i = 0; i < 20; ++i) {
      const std::string name = (i < 10 ? "in/" : "out/") + std::to_string(i) + ".pgm";
      folder.write(name, encode_pnm(disc_or_ring(i)));
    }
    fs::create_directory_symlink("../out", folder / "in/linked");
  }

  CommandResult cluster(std::vector<std::string> options) {
    options.insert(options.begin(), {"cluster", folder.string("in"), "-k", "2", "--scales", "2", "--angles", "4",
                                     "--quiet", "-o", folder.string("run")});
    return run_pssc(options);
  }
  nlohmann::json summary() { return nlohmann::json::parse(contents(folder / "run/summary.json")); }

  TempFolder folder;
};

TEST_F(LimitOptions, LinksOutOfTheFolderAreSkippedUnlessFollowed) {
  ASSERT_EQ(cluster({}).code, 0);
  EXPECT_EQ(summary()["input"]["count"], 10);
  EXPECT_EQ(summary()["input"]["skipped_images"][0]["id"], "linked/");
  const std::string reason = summary()["input"]["skipped_images"][0]["reason"];
  EXPECT_NE(reason.find("--follow-links"), std::string::npos) << reason;

  ASSERT_EQ(cluster({"--follow-links"}).code, 0);
  EXPECT_EQ(summary()["input"]["count"], 20);
  EXPECT_EQ(summary()["input"]["skipped"], 0);
  EXPECT_EQ(summary()["parameters"]["follow_links"], true);
  // Who opens the run again opens the same images.
  const CommandResult exported = run_pssc({"export", folder.string("run"), "--to", "folders", "--copy"});
  EXPECT_EQ(exported.code, 0) << exported.err;
  const CommandResult placed =
      run_pssc({"predict", folder.string("run/model.pssc"), folder.string("in"), "--follow-links"});
  EXPECT_EQ(placed.code, 0) << placed.err;
  EXPECT_EQ(std::count(placed.out.begin(), placed.out.end(), '\n'), 21);
}

TEST_F(LimitOptions, PixelsAreCounted) {
  const CommandResult refused = cluster({"--max-pixels", "1K"});  // they have 1024
  EXPECT_EQ(refused.code, 3);
  EXPECT_NE(refused.err.find("limit of 1000 pixels"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--max-pixels"), std::string::npos) << refused.err;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_EQ(cluster({"--max-pixels", "1024"}).code, 0);
}

TEST_F(LimitOptions, CompressedFilesAreMeasured) {
  const auto file = folder.write("a-idx3.gz", gzip(encode_idx(0x08, {4, 256, 256}, Bytes(4 * 65536))));
  const auto truth = folder.write("truth.gz", gzip(Bytes(1 << 20, '\n')));
  for (const std::vector<std::string>& command : {std::vector<std::string>{"cluster", file, "-k", "2"},
                                                  {"features", file, "-o", folder.string("f.npy")},
                                                  {"geometry", file},
                                                  {"evaluate", truth, truth}}) {
    std::vector<std::string> arguments = command;
    arguments.insert(arguments.end(), {"--max-unfolded", "200KiB"});
    const CommandResult result = run_pssc(arguments);
    EXPECT_EQ(result.code, 3) << result.err;
    EXPECT_NE(result.err.find("limit of 204800 bytes"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("--max-unfolded"), std::string::npos) << result.err;
  }
}

TEST_F(LimitOptions, WhatIsNoLimitIsRefused) {
  for (const char* value : {"0", "-5", "many", "1e9"}) {
    const CommandResult result = cluster({"--max-pixels", value});
    EXPECT_EQ(result.code, 2) << value << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace pssc::test
