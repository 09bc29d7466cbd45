#include "support/child.hpp"
#include "support/image_files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace pssc::test {
namespace {

TEST(EvaluateCommand, ComparesAnyLabelFiles) {
  const TempFolder folder;
  const std::string truth = folder.write("truth.csv", std::string("label\ncat\ncat\ndog\ndog\n"));
  const std::string predicted =
      folder.write("labels.csv", std::string("id,cluster,confidence,outlier\na,1,1,0\nb,1,1,0\n"
                                             "c,0,1,0\nd,1,1,0\n"));
  const CommandResult result = run_pssc({"evaluate", predicted, truth, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["accuracy"], 0.75);
  EXPECT_EQ(json["count"], 4);
  EXPECT_NE(run_pssc({"evaluate", predicted, truth}).out.find("accuracy 0.7500"), std::string::npos);
}

TEST(EvaluateCommand, RefusesCountsThatDiffer) {
  const TempFolder folder;
  const std::string a = folder.write("a.csv", std::string("1\n2\n")),
                    b = folder.write("b.csv", std::string("1\n2\n3\n"));
  const CommandResult result = run_pssc({"evaluate", a, b});
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("a.csv"), std::string::npos);
  EXPECT_EQ(run_pssc({"evaluate", folder.string("none.csv"), b}).code, 3);
}

TEST(DatasetsCommand, ListsTheKnown) {
  const CommandResult result = run_pssc({"datasets"});
  EXPECT_EQ(result.code, 0);
  for (const char* name : {"mnist", "mnist-test", "usps", "fashion-mnist", "synthetic"})
    EXPECT_NE(result.out.find(name), std::string::npos) << name;
  EXPECT_EQ(run_pssc({"datasets", "list"}).out, result.out);
  EXPECT_EQ(run_pssc({"datasets", "path", "imagenet"}).code, 3);
}

TEST(InfoCommand, SaysWhatItRunsOn) {
  const CommandResult result = run_pssc({"info"});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.out.find("SIMD"), std::string::npos);
}

TEST(DeviceOption, FallsBackOrSaysWhy) {
  const ScopedVariable hidden("CUDA_VISIBLE_DEVICES", "");  // as if there were no GPU
  EXPECT_NE(run_pssc({"info"}).out.find("device   cpu ("), std::string::npos);
  const CommandResult insisted = run_pssc({"cluster", "synthetic:50", "-k", "2", "--device", "cuda"});
  EXPECT_EQ(insisted.code, 1);
  EXPECT_EQ(insisted.out, "");
  EXPECT_EQ(std::ranges::count(insisted.err, '\n'), 1) << insisted.err;
  EXPECT_EQ(run_pssc({"cluster", "synthetic:50", "-k", "2", "--device", "abacus"}).code, 2);
  const CommandResult automatic = run_pssc({"cluster", "synthetic:50", "-k", "2", "--json"});
  ASSERT_EQ(automatic.code, 0) << automatic.err;
  EXPECT_EQ(nlohmann::json::parse(automatic.out)["backend"]["device"], "cpu");
}

TEST(Help, TeachesAndExitsWithZero) {
  EXPECT_NE(run_pssc({"--help"}).out.find("Examples"), std::string::npos);
  const CommandResult help = run_pssc({"cluster", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"--scales", "--poc-dims", "--representatives", "1000", "Clustering", "--seed"})
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  EXPECT_EQ(run_pssc({"--version"}).code, 0);
}

TEST(ExportCommand, WritesARunOfAnArrayAsPicturesInFolders) {
  const TempFolder folder;
  const std::string out = folder.string("out");
  ASSERT_EQ(run_pssc({"cluster", "synthetic:120", "-k", "3", "--quiet", "-o", out}).code, 0);
  const CommandResult result = run_pssc({"export", out, "--to", "folders", "-o", folder.string("sorted")});
  ASSERT_EQ(result.code, 0) << result.err;
  // The folders are an input themselves, and its truth the clusters.
  const CommandResult again = run_pssc({"cluster", folder.string("sorted"), "-k", "3", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  const auto summary = nlohmann::json::parse(again.out);
  EXPECT_EQ(summary["input"]["count"], 120);
  EXPECT_FALSE(summary["metrics"].is_null());
  std::ifstream file(folder / "out/summary.json");
  const auto sizes = nlohmann::json::parse(file)["cluster_sizes"];
  for (std::size_t c = 0; c < 3; ++c) {
    const auto pictures = std::filesystem::directory_iterator(folder / ("sorted/cluster " + std::to_string(c)));
    EXPECT_EQ(std::distance(pictures, {}), sizes[c].get<std::ptrdiff_t>());
  }
  EXPECT_EQ(run_pssc({"export", out, "--to", "csv"}).code, 0);
  const CommandResult twice = run_pssc({"export", out, "--to", "csv"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("already there"), std::string::npos) << twice.err;
  EXPECT_EQ(run_pssc({"export", folder.string("nothing"), "--to", "csv"}).code, 3);
  EXPECT_EQ(run_pssc({"export", out, "--to", "xml"}).code, 2);
}

TEST(PredictCommand, PlacesImagesByTheModelOfARun) {
  const TempFolder folder;
  const std::string out = folder.string("out"), model = folder.string("out/model.pssc");
  ASSERT_EQ(run_pssc({"cluster", "synthetic:500", "-k", "5", "--quiet", "-o", out}).code, 0);
  const CommandResult result = run_pssc({"predict", model, "synthetic:500", "-o", folder.string("new.csv")});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto compared = nlohmann::json::parse(
      run_pssc({"evaluate", folder.string("new.csv"), folder.string("out/labels.csv"), "--json"}).out);
  EXPECT_EQ(compared["accuracy"], 1);
  const CommandResult printed = run_pssc({"predict", model, "synthetic:3", "--threads", "1"});
  EXPECT_EQ(std::count(printed.out.begin(), printed.out.end(), '\n'), 4) << printed.out;

  const std::string damaged = folder.write("damaged.pssc", std::string("PSSCMODL and no more"));
  const CommandResult refused = run_pssc({"predict", damaged, "synthetic:3"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_EQ(run_pssc({"predict", folder.string("nothing"), "synthetic:3"}).code, 3);
  EXPECT_EQ(run_pssc({"predict", model, folder.string("nothing")}).code, 3);
}

}  // namespace
}  // namespace pssc::test
