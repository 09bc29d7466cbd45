#include "run_command.hpp"
#include "support/image_files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

TEST(Help, TeachesAndExitsWithZero) {
  EXPECT_NE(run_pssc({"--help"}).out.find("Examples"), std::string::npos);
  const CommandResult help = run_pssc({"cluster", "--help"});
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"--scales", "--poc-dims", "--representatives", "1000", "Clustering", "--seed"})
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  EXPECT_EQ(run_pssc({"--version"}).code, 0);
}

}  // namespace
}  // namespace pssc::test
