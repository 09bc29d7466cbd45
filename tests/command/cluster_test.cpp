#include "support/child.hpp"
#include "support/image_files.hpp"
#include "support/npy.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace pssc::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::vector<std::string> synthetic{"cluster", "synthetic:600", "-k", "10", "--representatives", "200"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(ClusterCommand, WritesWhatTheContractSays) {
  const TempFolder folder;
  const CommandResult result = run_pssc(with(synthetic, {"-o", folder.string("out")}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("accuracy"), std::string::npos);
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder / "out")) files.insert(entry.path().filename().string());
  EXPECT_EQ(files, (std::set<std::string>{"labels.csv", "labels.npy", "summary.json", "model.pssc", "explore.pssc",
                                          "report.html"}));

  std::ifstream csv(folder / "out/labels.csv");
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "id,cluster,confidence,outlier");
  const Npy<std::int32_t> labels(folder / "out/labels.npy");
  ASSERT_EQ(labels.shape, std::vector<std::size_t>{600});
  for (std::size_t i = 0; i < 600; ++i) {
    ASSERT_TRUE(std::getline(csv, line));
    const std::string start = std::to_string(i) + "," + std::to_string(labels.values[i]) + ",";
    ASSERT_EQ(line.substr(0, start.size()), start);
  }

  const Json summary = Json::parse(contents(folder / "out/summary.json"));
  EXPECT_EQ(summary["input"]["name"], "synthetic:600");
  EXPECT_EQ(summary["input"]["count"], 600);
  EXPECT_EQ(summary["input"]["height"], 32);
  EXPECT_EQ(summary["input"]["channels"], 1);
  EXPECT_EQ(summary["input"]["skipped"], 0);
  EXPECT_EQ(summary["clusters"], 10);
  EXPECT_EQ(summary["cluster_sizes"].size(), 10);
  EXPECT_EQ(summary["parameters"]["representatives"], 200);
  EXPECT_EQ(summary["seed"], 0);
  for (const char* key : {"version", "timings", "total_seconds", "images_per_second", "peak_memory_bytes",
                          "eigenvalues", "k_candidates", "backend"})
    EXPECT_TRUE(summary.contains(key)) << key;
  for (const char* key : {"accuracy", "purity", "nmi", "ari"}) EXPECT_TRUE(summary["metrics"].contains(key)) << key;
  for (const char* key : {"device", "simd", "threads"}) EXPECT_TRUE(summary["backend"].contains(key)) << key;
}

TEST(ClusterCommand, JsonIsTheOnlyThingOnStdout) {
  const CommandResult result = run_pssc(with(synthetic, {"--json"}));
  ASSERT_EQ(result.code, 0);
  const Json summary = Json::parse(result.out);
  EXPECT_EQ(summary["input"]["count"], 600);
}

TEST(ClusterCommand, QuietSaysNothing) {
  const CommandResult result = run_pssc(with(synthetic, {"--quiet"}));
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out + result.err, "");
}

TEST(ClusterCommand, LabelsAreByteIdenticalTwiceAndForAnyThreads) {
  const TempFolder folder;
  std::set<std::string> files;
  for (const char* threads : {"1", "1", "2", "3"}) {
    const auto options = {std::string("-o"), folder.string("out"), std::string("--threads"), std::string(threads)};
    ASSERT_EQ(run_pssc(with(synthetic, options)).code, 0);
    files.insert(contents(folder / "out/labels.csv"));
  }
  EXPECT_EQ(files.size(), 1);
  ASSERT_EQ(run_pssc(with(synthetic, {"-o", folder.string("out"), "--seed", "1"})).code, 0);
  files.insert(contents(folder / "out/labels.csv"));
  EXPECT_EQ(files.size(), 2) << "another seed should draw other digits";
}

TEST(ClusterCommand, EveryClustererAndPresetRuns) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--preset", "authors"},
                                             {"--clusterer", "kmeans"},
                                             {"--clusterer", "spectral"},
                                             {"--clusterer", "dbscan"},
                                             {"--features", "pixels"},
                                             {"--knn", "hnsw"},
                                             {"--equalise", "log"},
                                             {"--no-equalise"},
                                             {"--poc-dims", "0"},
                                             {"--poc-dims", "auto"},
                                             {"--colour", "channels", "--scales", "2"},
                                             {"--contrast", "local"},
                                             {"--order", "1"},
                                             {"--order", "0"},
                                             {"--size", "48"},
                                             {"--memory", "8MB"},
                                             {"--device", "cpu"}}) {
    const CommandResult result =
        run_pssc(with({"cluster", "synthetic:250", "-k", "10", "--representatives", "100", "--quiet"}, options));
    EXPECT_EQ(result.code, 0) << options[0] << ": " << result.err;
  }
}

TEST(ClusterCommand, LittleMemoryChangesNoLabel) {
  const TempFolder folder;
  ASSERT_EQ(run_pssc(with(synthetic, {"-o", folder.string("much")})).code, 0);
  ASSERT_EQ(run_pssc(with(synthetic, {"-o", folder.string("little"), "--memory", "1MiB"})).code, 0);
  EXPECT_EQ(contents(folder / "much/labels.csv"), contents(folder / "little/labels.csv"));
}

TEST(ClusterCommand, HoldsNoMoreThanItMay) {
  // Features of all images would take 280 MB, and the covariance of their dimensions as much again.
  const CommandResult result = run_pssc({"cluster", "synthetic:20000", "-k", "10", "--memory", "256MiB", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json summary = Json::parse(result.out);
#if !defined(PSSC_SANITIZED)  // they take memory of their own
  EXPECT_LT(summary["peak_memory_bytes"], 256 << 20);
#endif
  EXPECT_GT(summary["metrics"]["accuracy"], 0.98);
}

TEST(ClusterCommand, FindsTheNumberOfClusters) {
  const CommandResult result = run_pssc({"cluster", "synthetic:600", "-k", "auto", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json summary = Json::parse(result.out);
  EXPECT_EQ(summary["clusters"], summary["k_candidates"][0]["clusters"]);
  EXPECT_NEAR(summary["clusters"].get<double>(), 10, 1);
  EXPECT_EQ(summary["k_verdict"]["numbers"].size(), summary["k_candidates"].size());
}

TEST(ClusterCommand, ReadsItsOptionsFromAFile) {
  const TempFolder folder;
  const std::string config = folder.write("run.toml", std::string("[cluster]\nclusters = 7\nscales = 2\nseed = 3\n"));
  const CommandResult result = run_pssc({"--config", config, "cluster", "synthetic:300", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json summary = Json::parse(result.out);
  EXPECT_EQ(summary["clusters"], 7);
  EXPECT_EQ(summary["parameters"]["scales"], 2);
  EXPECT_EQ(summary["seed"], 3);
}

TEST(ClusterCommand, ABrokenImageIsSkippedCountedAndNamed) {
  const TempFolder folder;
  for (const char* shape : {"dark", "light"})
    for (std::size_t i = 0; i < 20; ++i) {
      Raster raster = gradient(16, 16, 1);
      for (auto& s : raster.samples) s = static_cast<std::uint8_t>(shape[0] == 'd' ? s / 8 + i : 255 - s / 2 - i);
      folder.write("in/" + std::string(shape) + "/" + std::to_string(i) + ".png", encode_png(raster));
    }
  folder.write("in/dark/bro\"ken, one.png", std::string("\x89PNG\r\n\x1a\n and no more"));
  const CommandResult result = run_pssc(
      {"cluster", folder.string("in"), "-k", "2", "--size", "16", "--scales", "2", "-o", folder.string("out")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("skipped 1 of 41"), std::string::npos) << result.out;
  const Json summary = Json::parse(contents(folder / "out/summary.json"));
  EXPECT_EQ(summary["input"]["count"], 40);
  EXPECT_EQ(summary["input"]["skipped"], 1);
  EXPECT_EQ(summary["input"]["skipped_images"][0]["id"], "dark/bro\"ken, one.png");
  EXPECT_GT(summary["metrics"]["accuracy"], 0.95);
  const std::string csv = contents(folder / "out/labels.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 41);
  EXPECT_NE(csv.find("dark/0.png,"), std::string::npos);
}

TEST(ClusterCommand, FindsOutWhatDoesNotMatter) {
  const TempFolder folder;
  const CommandResult result =
      run_pssc({"cluster", "synthetic:300", "-k", "10", "--adapt", "-o", folder.string("out")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("chosen: the images as they are (stability "), std::string::npos) << result.out;
  const Json adapted = Json::parse(contents(folder / "out/summary.json"))["adapted"];
  EXPECT_EQ(adapted["chosen"], 0);
  EXPECT_EQ(adapted["sample_images"], 300);
  ASSERT_EQ(adapted["candidates"].size(), 2);
  EXPECT_EQ(adapted["candidates"][1]["options"], "--contrast local");
  EXPECT_GT(adapted["candidates"][0]["stability"], 0.5);
  const CommandResult plain = run_pssc({"cluster", "synthetic:300", "-k", "10", "-o", folder.string("plain")});
  EXPECT_EQ(contents(folder / "out/labels.csv"), contents(folder / "plain/labels.csv"));
  EXPECT_TRUE(Json::parse(contents(folder / "plain/summary.json"))["adapted"].is_null());
}

TEST(ClusterCommand, WhatIsGivenIsNotFoundOut) {
  const CommandResult result = run_pssc({"cluster", "synthetic:100", "-k", "3", "--adapt", "--contrast", "none",
                                         "--ignore", "+flip", "--colour", "grey", "--size", "16"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find("chosen"), std::string::npos) << result.out;
  const CommandResult one = run_pssc({"cluster", "synthetic:100", "-k", "3", "--contrast", "auto"});
  EXPECT_NE(one.out.find("chosen"), std::string::npos) << one.out << one.err;
}

TEST(ClusterCommand, SuggestsToFindOutWhereImagesLookAlikeInTheMirror) {
  const TempFolder folder;
  for (std::size_t i = 0; i < 60; ++i)  // they are their own mirror images, but for where they lie
    folder.write("images/" + std::to_string(100 + i) + ".pgm", encode_pnm(test::disc_or_ring(i)));
  const std::vector<std::string> command{"cluster", folder.string("images"), "-k", "2"};
  const CommandResult plain = run_pssc(command);
  EXPECT_NE(plain.out.find("tip: these images are as much at home when mirrored: --adapt"), std::string::npos)
      << plain.out;
  const CommandResult adapted = run_pssc(with(command, {"--adapt"}));
  EXPECT_EQ(adapted.out.find("tip: "), std::string::npos) << adapted.out;
}

TEST(ClusterCommand, ColourFilesAmongGreyOnesAreFoundOutAboutToo) {
  const TempFolder folder;
  for (std::size_t i = 0; i < 60; ++i) {
    test::Raster raster = test::disc_or_ring(i);
    if (i % 3 == 0) {
      test::Raster colour{raster.height, raster.width, 3, {}};
      for (const std::uint8_t level : raster.samples)
        colour.samples.insert(colour.samples.end(), {level, static_cast<std::uint8_t>(level / 2), 10});
      raster = colour;
    }
    folder.write("images/" + std::to_string(100 + i) + ".pnm", encode_pnm(raster));
  }
  const CommandResult result = run_pssc({"cluster", folder.string("images"), "-k", "2", "--adapt", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json summary = Json::parse(result.out);
  EXPECT_EQ(summary["input"]["count"], 60);
  std::size_t in_colour = 0;
  for (const Json& way : summary["adapted"]["candidates"])
    in_colour += way["options"].get<std::string>().find("--colour channels") != std::string::npos;
  EXPECT_GE(in_colour, 1);
}

TEST(CompareCommand, ShowsWaysToSeeTheImagesSideBySide) {
  const CommandResult table = run_pssc({"compare", "synthetic:300", "-k", "10"});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("300 of 300 images tried in 10 clusters"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("as they are\n"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("light and contrast are evened out: --contrast local\n"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("accuracy"), std::string::npos) << table.out;
  const CommandResult json = run_pssc({"compare", "synthetic:300", "-k", "10", "--contrast", "none", "--json"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(Json::parse(json.out)["candidates"].size(), 1);  // nothing else was left open
  EXPECT_EQ(run_pssc({"compare", "synthetic:300"}).code, 2);
  EXPECT_EQ(run_pssc({"compare", "synthetic:300", "-k", "3", "--preset", "paper"}).code, 2);
  const CommandResult few = run_pssc({"compare", "synthetic:20", "-k", "10"});
  EXPECT_EQ(few.code, 0);
  EXPECT_EQ(few.out, "chosen: the images as they are; there are too few of them to try anything\n");
}

TEST(ClusterCommand, OnlyItsDefaultMethodFindsOut) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"cluster", "synthetic:50", "-k", "3", "--adapt", "--preset", "paper"},
                                             {"cluster", "synthetic:50", "-k", "3", "--adapt", "--features", "pixels"},
                                             {"cluster", "synthetic:50", "-k", "3", "--adapt", "--refine", "none"},
                                             {"features", "synthetic:50", "--size", "auto", "-o", "never.npy"},
                                             {"features", "synthetic:50", "--ignore", "auto", "-o", "never.npy"}}) {
    const CommandResult result = run_pssc(command);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_FALSE(fs::exists("never.npy"));
}

TEST(ClusterCommand, InterruptedItLeavesNothing) {
  const TempFolder folder;
  for (const int signal : {SIGINT, SIGTERM}) {
    Child run({"cluster", "synthetic:200000", "-k", "10", "-o", folder.string("out")});
    ASSERT_TRUE(run.wait_for(folder / "out/.pssc-lock"));
    run.signal(signal);
    const CommandResult result = run.wait();
    EXPECT_EQ(result.code, 128 + signal) << result.err;  // 0 where it went on to its end
    EXPECT_TRUE(fs::is_empty(folder / "out"));
  }
}

TEST(ClusterCommandByTheClock, InterruptedItEndsAtOnce) {
  const TempFolder folder;
  Child run({"cluster", "synthetic:200000", "-k", "10", "-o", folder.string("out")});
  ASSERT_TRUE(run.wait_for(folder / "out/.pssc-lock"));
  const auto began = std::chrono::steady_clock::now();
  run.signal(SIGINT);
  EXPECT_EQ(run.wait().code, 128 + SIGINT);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_LT(took.count(), 3);  // a second is promised; a busy machine may be late
}

}  // namespace
}  // namespace pssc::test
