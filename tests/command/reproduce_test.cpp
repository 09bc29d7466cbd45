#include "support/child.hpp"
#include "support/image_files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace pssc::test {
namespace {

TEST(ReproduceCommand, WritesItsFilesAndGoesOnWhereItStopped) {
  const TempFolder folder;
  const CommandResult first = run_pssc({"reproduce", "poc", "-o", folder.string("out")});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.err.find("poc"), std::string::npos);  // progress
  for (const char* name : {"reproduction.md", "reproduction.json", "reproduction.html", "cells/poc.json"})
    EXPECT_TRUE(std::filesystem::exists(folder / ("out/" + std::string(name)))) << name;
  const CommandResult again = run_pssc({"reproduce", "poc", "-o", folder.string("out")});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.err, "");
  EXPECT_EQ(run_pssc({"reproduce", "poc", "--quiet", "-o", folder.string("new")}).err, "");
}

TEST(ReproduceCommand, RefusesWhatThePaperDoesNotHold) {
  const CommandResult wrong = run_pssc({"reproduce", "everything"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("ablation"), std::string::npos) << wrong.err;
  EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1);
  EXPECT_EQ(run_pssc({"reproduce", "poc", "--seeds", "0"}).code, 2);
  EXPECT_EQ(run_pssc({"reproduce", "poc", "-o", "/proc/nowhere"}).code, 3);
}

TEST(ReproduceCommand, InterruptedLeavesNoHalfFile) {
  if (run_pssc({"datasets", "path", "mnist-test"}).code != 0) GTEST_SKIP() << "skipped: no mnist";
  const TempFolder folder;
  Child run({"reproduce", "eigenvalues", "-o", folder.string("out")});  // of two domains, a cell each
  const auto a_cell_is_there = [&] {
    std::error_code ignored;
    const std::filesystem::directory_iterator cells(folder / "out/cells", ignored);
    return !ignored && cells != std::filesystem::directory_iterator();
  };
  ASSERT_TRUE(run.wait_until(a_cell_is_there));
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().code, 128 + SIGINT);
  EXPECT_FALSE(std::filesystem::exists(folder / "out/reproduction.json"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "out"))
    if (entry.is_regular_file()) {
      EXPECT_EQ(entry.path().extension(), ".json");
      EXPECT_TRUE(nlohmann::json::accept(contents(entry.path()))) << entry.path();
    }
}

TEST(GeometryCommand, ComparesClassesOfAnyInput) {
  const TempFolder folder;
  const CommandResult result =
      run_pssc({"geometry", "synthetic:400", "--classes", "1,7", "--json", "-o", folder.string("out")});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(nlohmann::json::parse(contents(folder / "out/geometry.json")), json);
  EXPECT_EQ(json["classes"][1]["name"], "7");
  for (const auto& domain : json["domains"]) {
    ASSERT_EQ(domain["pairs"].size(), 1);
    const auto& pair = domain["pairs"][0];
    ASSERT_EQ(pair["principal"].size(), 10);
    EXPECT_TRUE(std::is_sorted(pair["principal"].begin(), pair["principal"].end()));
    EXPECT_LE(pair["principal"][0], pair["greedy"][0]);
    EXPECT_GT(pair["affinity"], 0);
    EXPECT_LT(pair["affinity"], 1);
  }
  const CommandResult all = run_pssc({"geometry", "synthetic:400", "--dims", "3"});
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 2 * (45 + 2) + 1) << all.out;
}

TEST(GeometryCommand, ComparesClustersOfARun) {
  const TempFolder folder;
  const std::string out = folder.string("out");
  ASSERT_EQ(run_pssc({"cluster", "synthetic:300", "-k", "4", "--quiet", "-o", out}).code, 0);
  const CommandResult run = run_pssc({"geometry", out, "--classes", "0,3", "--json"});
  ASSERT_EQ(run.code, 0) << run.err;
  const CommandResult labels =
      run_pssc({"geometry", "synthetic:300", "--labels", out + "/labels.csv", "--classes", "0,3", "--json"});
  ASSERT_EQ(labels.code, 0) << labels.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["domains"], nlohmann::json::parse(labels.out)["domains"]);
}

TEST(GeometryCommand, RefusesWithOneLine) {
  const TempFolder folder;
  const std::string photo = folder.write("some/a.pgm", std::string("P2 2 2 255 0 1 2 3"));
  folder.write("some/b.pgm", std::string("P2 2 2 255 0 9 2 3"));
  const auto refused = [](const CommandResult& result, int code) {
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  refused(run_pssc({"geometry", "synthetic:100", "--classes", "0,12"}), 2);
  refused(run_pssc({"geometry", "synthetic:100", "--classes", "0"}), 2);
  refused(run_pssc({"geometry", "synthetic:100", "--classes", "3,3"}), 2);
  refused(run_pssc({"geometry", folder.string("some")}), 3);
  refused(run_pssc({"geometry", folder.string("nothing")}), 3);
}

}  // namespace
}  // namespace pssc::test
