// Ranks that fail, die or see another input: one line, the right code, and soon.
#include "mpirun.hpp"
#include "support/image_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

namespace pssc::test {
namespace {

using Words = std::vector<std::string>;

TEST(FailingRanks, TellOfABadOptionOnce) {
  const Ended ended = run_ranks(3, {"cluster", "synthetic:500", "-k", "1"});
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_EQ(ended.lines().size(), 1U) << ended.err;
}

TEST(FailingRanks, TellOfAMissingInputOnce) {
  const Ended ended = run_ranks(3, {"cluster", "/nowhere/at/all", "-k", "3"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(ended.lines().size(), 1U) << ended.err;
}

TEST(FailingRanks, TellWhatAllOfThemFindOutTogether) {
  const TempFolder folder;
  for (int i = 0; i < 5; ++i) folder.write("broken/" + std::to_string(i) + ".png", "no image");
  const Ended ended = run_ranks(2, {"cluster", folder.string("broken"), "-k", "2"});
  EXPECT_EQ(ended.code, 3) << ended.err;
  ASSERT_EQ(ended.lines().size(), 1U) << ended.err;
  EXPECT_NE(ended.lines()[0].find("none of the 5 images"), std::string::npos) << ended.lines()[0];
}

TEST(FailingRanks, SeeTheSameInput) {
  const Ended ended = Started(Words{PSSC_MPIRUN, "--oversubscribe", "-n", "1", PSSC_COMMAND, "cluster", "synthetic:500",
                                    "-k", "3", ":", "-n", "1", PSSC_COMMAND, "cluster", "synthetic:600", "-k", "3"})
                          .wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  ASSERT_EQ(ended.lines().size(), 1U) << ended.err;
  EXPECT_NE(ended.lines()[0].find("500"), std::string::npos);
}

TEST(FailingRanks, OneThatFailsAloneEndsAll) {
  const TempFolder folder;
  folder.write("labels.csv", "1\n2\n");  // of the wrong length: this rank cannot begin
  const Ended ended = Started(Words{PSSC_MPIRUN, "--oversubscribe", "-n", "1", PSSC_COMMAND, "cluster", "synthetic:500",
                                    "-k", "3", ":", "-n", "1", PSSC_COMMAND, "cluster", "synthetic:500", "-k", "3",
                                    "--labels", folder.string("labels.csv")})
                          .wait();
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(ended.lines().size(), 1U) << ended.err;
}

TEST(FailingRanks, CommandsThatCannotShareSaySo) {
  const TempFolder folder;
  const Ended ended = run_ranks(2, {"features", "synthetic:50", "-o", folder.string("f.npy")});
  EXPECT_EQ(ended.code, 2) << ended.err;
  EXPECT_EQ(ended.lines().size(), 1U) << ended.err;
}

class DyingRank : public testing::TestWithParam<std::size_t> {};

TEST_P(DyingRank, EndsTheRunWithItsNameAndMachine) {
  const TempFolder folder;
  Started started(3, {"cluster", "synthetic:60000", "-k", "10", "--quiet", "-o", folder.string("run")});
  ASSERT_TRUE(started.wait_for(folder / "run/.partial/components"))
      << started.wait().err;  // past the start, amid the work
  const pid_t victim = started.process_of(GetParam());
  ASSERT_NE(victim, 0) << "no such rank";
  ASSERT_EQ(kill(victim, SIGKILL), 0);
  const Ended ended = started.wait();  // never, where the others went on waiting for it
  EXPECT_NE(ended.code, 0);
  ASSERT_EQ(ended.lines().size(), 1U) << ended.err;
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const std::string wanted = "rank " + std::to_string(GetParam()) + " on " + host;
  EXPECT_NE(ended.lines()[0].find(wanted), std::string::npos) << ended.lines()[0];
  EXPECT_TRUE(contents(folder / "run/labels.csv").empty());
}

INSTANTIATE_TEST_SUITE_P(First, DyingRank, testing::Values(0, 1, 2));

}  // namespace
}  // namespace pssc::test
