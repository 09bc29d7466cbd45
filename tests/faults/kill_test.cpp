// A run that is killed at any time continues, and ends with what it would have ended with.
#include "support/child.hpp"
#include "support/image_files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

namespace pssc::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A run of all stages, a second long: learned from some images, fitted to more, and all placed.
std::vector<std::string> run_into(const std::string& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"cluster",
                                     "synthetic:20000",
                                     "-k",
                                     "10",
                                     "--size",
                                     "16",
                                     "--scales",
                                     "2",
                                     "--angles",
                                     "4",
                                     "--seed",
                                     "4",
                                     "-o",
                                     folder,
                                     "--sample-images",
                                     "1000",
                                     "--fit-images",
                                     "1600",
                                     "--device",
                                     "cpu"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

const TempFolder& plain_run() {
  static const TempFolder folder;
  static const bool done = Child(run_into(folder.string("plain"))).wait().code == 0;
  if (!done) throw std::runtime_error("the plain run failed");
  return folder;
}

void expect_same_as_plain(const fs::path& folder) {
  for (const char* name : {"labels.csv", "labels.npy", "model.pssc"})
    EXPECT_TRUE(contents(folder / name) == contents(plain_run() / "plain" / name)) << name;
  for (const char* name : {"summary.json", "report.html"}) EXPECT_TRUE(fs::exists(folder / name)) << name;
  for (const auto& entry : fs::directory_iterator(folder))
    EXPECT_NE(entry.path().filename().string()[0], '.') << entry.path();
}

struct Moment {
  const char* name;
  const char* file;       ///< that is there by then
  const char* continued;  ///< what the next run says it continues with
};

class KilledAt : public ::testing::TestWithParam<Moment> {};

/// How a run ended that got the signal when the file appeared. A run that was done before it came is tried again: a
/// busy machine may be late.
CommandResult stopped_at(const fs::path& out, const char* file, int signal) {
  for (int attempt = 0;; ++attempt) {
    Child run(run_into(out.string()));
    EXPECT_TRUE(run.wait_for(out / file)) << run.wait().err;
    run.signal(signal);
    CommandResult ended = run.wait();
    if (ended.code != 0 || attempt == 5) return ended;
    fs::remove_all(out);
  }
}

TEST_P(KilledAt, ContinuesAndEndsTheSame) {
  const TempFolder folder;
  const fs::path out = folder / "out";
  plain_run();
  ASSERT_EQ(stopped_at(out, GetParam().file, SIGKILL).code, 128 + SIGKILL);
  const CommandResult again = Child(run_into(out.string(), {"--threads", "1"})).wait();
  ASSERT_EQ(again.code, 0) << again.err;
  const std::string continued = GetParam().continued;
  EXPECT_TRUE(continued.empty() || again.err.find("pssc: continuing: " + continued) != std::string::npos) << again.err;
  EXPECT_LE(std::count(again.err.begin(), again.err.end(), '\n'), 1) << again.err;
  expect_same_as_plain(out);
}

INSTANTIATE_TEST_SUITE_P(
    Stages, KilledAt,
    ::testing::Values(Moment{"Scattering", ".pssc-lock", ""},
                      Moment{"Components", ".partial/components", "the principal components are kept"},
                      Moment{"Coordinates", ".partial/coordinates", "the projection of all images"},
                      Moment{"Clusters", ".partial/clusters", "the clusters are kept"},
                      Moment{"Placing", ".partial/placed-0", "the clusters are kept"},
                      Moment{"Outputs", "labels.csv", "the clusters are kept, and where 20000 of the 20000 images"},
                      Moment{"Report", "model.pssc", "the clusters are kept, and where 20000 of the 20000 images"}),
    [](const auto& moment) { return std::string(moment.param.name); });

TEST(Killed, AgainAndAgainItStillEnds) {
  const TempFolder folder;
  const fs::path out = folder / "out";
  plain_run();
  for (const char* file : {".partial/components", ".partial/coordinates", ".partial/clusters", ".partial/placed-0",
                           ".partial/placed-8192"}) {
    Child run(run_into(out.string()));
    if (!run.wait_for(out / file)) break;
    std::this_thread::sleep_for(20ms);
    run.signal(SIGKILL);
    run.wait();
  }
  const CommandResult last = Child(run_into(out.string())).wait();
  ASSERT_EQ(last.code, 0) << last.err;
  expect_same_as_plain(out);
}

class StoppedBy : public ::testing::TestWithParam<int> {};

TEST_P(StoppedBy, EndsAtOnceInOneLineAndContinues) {
  const TempFolder folder;
  const fs::path out = folder / "out";
  plain_run();
  const CommandResult ended = stopped_at(out, ".partial/coordinates", GetParam());
  EXPECT_EQ(ended.code, 128 + GetParam());
  EXPECT_EQ(ended.err, "pssc: stopped; the same command goes on from here\n");
  for (const auto& entry : fs::recursive_directory_iterator(out))
    EXPECT_EQ(entry.path().string().find("unfinished"), std::string::npos) << entry.path();
  const CommandResult again = Child(run_into(out.string())).wait();
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("continuing"), std::string::npos) << again.err;
  expect_same_as_plain(out);
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedBy, ::testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& number) { return std::string(sigabbrev_np(number.param)); });

TEST(Continuing, AChangedOptionStartsAfreshAndSaysSo) {
  const TempFolder folder;
  const fs::path out = folder / "out";
  ASSERT_EQ(stopped_at(out, ".partial/components", SIGKILL).code, 128 + SIGKILL);
  const CommandResult again = Child(run_into(out.string(), {"--pca-dims", "50"})).wait();
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.err, "pssc: starting afresh: pca_dims is now 50, and was 300\n");
  EXPECT_FALSE(fs::exists(out / ".partial"));
}

TEST(Continuing, TheSecondRunIntoAFolderIsRefused) {
  const TempFolder folder;
  const fs::path out = folder / "out";
  plain_run();
  Child first(run_into(out.string()));
  ASSERT_TRUE(first.wait_for(out / ".pssc-lock"));
  const CommandResult second = Child(run_into(out.string())).wait();
  EXPECT_EQ(second.code, 1);
  EXPECT_NE(second.err.find("is being written by another run"), std::string::npos) << second.err;
  EXPECT_EQ(std::count(second.err.begin(), second.err.end(), '\n'), 1);
  ASSERT_EQ(first.wait().code, 0);
  expect_same_as_plain(out);
}

}  // namespace
}  // namespace pssc::test
