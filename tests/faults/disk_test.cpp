// A disk that is full: an output that cannot be written is an error and loses nothing; what a run keeps for itself is
// not worth an error.
#include "support/child.hpp"
#include "support/image_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace pssc::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> run_into(const std::string& folder) {
  return {
      "cluster", "synthetic:3000", "-k",       "6",   "--size",       "16",  "--scales",        "2",  "--angles", "4",
      "-o",      folder,           "--device", "cpu", "--fit-images", "800", "--sample-images", "600"};
}

std::string plain_labels() {
  const TempFolder folder;
  EXPECT_EQ(Child(run_into(folder.string("out"))).wait().code, 0);
  return contents(folder / "out/labels.csv");
}

/// Every write to this file of the process finds the disk full (full_disk.cpp).
std::function<void()> no_space_for(const fs::path& file) {
  return [file] {
    setenv("PSSC_TEST_FULL", file.c_str(), 1);
    setenv("LD_PRELOAD", PSSC_FULL_DISK, 1);
    const char* options = std::getenv("ASAN_OPTIONS");
    setenv("ASAN_OPTIONS", (std::string(options ? options : "") + ":verify_asan_link_order=0").c_str(), 1);
  };
}

class DiskFull : public ::testing::TestWithParam<const char*> {};

TEST_P(DiskFull, AtAnOutputIsAnErrorAndTheRunContinues) {
  const TempFolder folder;
  const fs::path out = folder / "out", output = out / GetParam();
  const CommandResult full = Child(run_into(out.string()), no_space_for(output)).wait();
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.err, "pssc: cannot write " + output.string() +
                          ": No space left on device; check the disk's space and the folder's permissions\n");
  EXPECT_FALSE(fs::exists(output));
  for (const auto& entry : fs::recursive_directory_iterator(out))
    EXPECT_EQ(entry.path().string().find("unfinished"), std::string::npos) << entry.path();

  const CommandResult again = Child(run_into(out.string())).wait();
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.err, "pssc: continuing: the clusters are kept, and where 3000 of the 3000 images belong\n");
  EXPECT_TRUE(fs::exists(output));
  EXPECT_FALSE(fs::exists(out / ".partial"));
  EXPECT_TRUE(contents(out / "labels.csv") == plain_labels());
}

INSTANTIATE_TEST_SUITE_P(Outputs, DiskFull,
                         ::testing::Values("labels.csv", "labels.npy", "summary.json", "model.pssc", "explore.pssc",
                                           "report.html"),
                         [](const auto& output) {
                           std::string name = output.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

class DiskFullForItself : public ::testing::TestWithParam<const char*> {};

TEST_P(DiskFullForItself, IsToldInOneLineAndTheRunGoesOn) {
  const TempFolder folder;
  const fs::path out = folder / "out";
  const CommandResult full = Child(run_into(out.string()), no_space_for(out / ".partial" / GetParam())).wait();
  EXPECT_EQ(full.code, 0) << full.err;
  EXPECT_NE(full.err.find("No space left on device"), std::string::npos) << full.err;
  EXPECT_NE(full.err.find("the run goes on"), std::string::npos) << full.err;
  EXPECT_EQ(std::count(full.err.begin(), full.err.end(), '\n'), 1) << full.err;
  EXPECT_TRUE(contents(out / "labels.csv") == plain_labels());
  EXPECT_FALSE(fs::exists(out / ".partial"));
}

INSTANTIATE_TEST_SUITE_P(Stages, DiskFullForItself,
                         ::testing::Values("run.json", "components", "coordinates", "clusters", "placed-0"),
                         [](const auto& file) {
                           std::string name = file.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '.' || c == '-'; }, '_');
                           return name;
                         });

/// No file may grow beyond this: first nothing can be kept, then an output cannot be written.
TEST(FileSizeLimit, IsAnErrorAndNoSignal) {
  for (const rlim_t limit : {100UL, 10000UL, 100000UL, 400000UL}) {
    const TempFolder folder;
    const fs::path out = folder / "out";
    const CommandResult ended = Child(run_into(out.string()), [&] {
                                  const rlimit most{limit, limit};
                                  setrlimit(RLIMIT_FSIZE, &most);
                                }).wait();
    EXPECT_EQ(ended.code, 1) << limit << " " << ended.err;
    EXPECT_TRUE(limit < 1000 || ended.err.find("pssc: cannot write") != std::string::npos) << ended.err;
    for (const char* name : {"labels.csv", "labels.npy", "summary.json", "model.pssc", "explore.pssc", "report.html"})
      EXPECT_TRUE(!fs::exists(out / name) || fs::file_size(out / name) <= limit) << name;
    const CommandResult again = Child(run_into(out.string())).wait();
    EXPECT_EQ(again.code, 0) << again.err;
  }
}

TEST(Predicting, IntoAFullDiskIsAnError) {
  const TempFolder folder;
  ASSERT_EQ(Child(run_into(folder.string("out"))).wait().code, 0);
  const std::string model = folder.string("out/model.pssc");
  const fs::path file = folder / "placed.csv";
  const CommandResult to_file =
      Child({"predict", model, "synthetic:3000", "-o", file.string()}, no_space_for(file)).wait();
  EXPECT_EQ(to_file.code, 1);
  EXPECT_NE(to_file.err.find("No space left on device"), std::string::npos) << to_file.err;
  EXPECT_FALSE(fs::exists(file));
  for (const char* count : {"synthetic:5", "synthetic:3000"}) {
    const CommandResult to_stdout =
        Child({"predict", model, count}, [] { dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO); }).wait();
    EXPECT_EQ(to_stdout.code, 1) << count;
    EXPECT_NE(to_stdout.err.find("No space left on device"), std::string::npos) << to_stdout.err;
    EXPECT_EQ(std::count(to_stdout.err.begin(), to_stdout.err.end(), '\n'), 1) << to_stdout.err;
  }
}

}  // namespace
}  // namespace pssc::test
