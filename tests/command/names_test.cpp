// Names that a person gives to clusters are what pssc predict prints.
#include "support/child.hpp"
#include "support/image_files.hpp"

#include <pssc/edits.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace pssc::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

TEST(Names, GivenToClustersArePrintedByPredict) {
  const TempFolder folder;
  const std::string out = folder.string("out"), model = out + "/model.pssc";
  ASSERT_EQ(run_pssc({"cluster", "synthetic:300", "-k", "4", "--size", "8", "--scales", "1", "-o", out}).code, 0);
  const CommandResult before = run_pssc({"predict", model, "synthetic:40"});
  EXPECT_TRUE(before.out.starts_with("id,cluster,confidence,outlier\n"));
  EditedRun edited(out);
  edited.apply({.kind = Edit::Kind::name, .cluster = 0, .text = "round, or so"});
  edited.apply({.kind = Edit::Kind::merge, .cluster = 2, .to = 0});
  edited.apply({.kind = Edit::Kind::name, .cluster = 3, .text = "\"straight\""});

  const CommandResult after = run_pssc({"predict", model, "synthetic:40"});
  ASSERT_EQ(after.code, 0) << after.err;
  const auto rows = lines_of(after.out), plain = lines_of(before.out);
  ASSERT_EQ(rows.size(), 41u);
  EXPECT_EQ(rows[0], "id,cluster,confidence,outlier,name");
  const char* names[] = {"\"round, or so\"", "", "\"round, or so\"", "\"\"\"straight\"\"\""};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto cluster = static_cast<std::size_t>(plain[i][plain[i].find(',') + 1] - '0');
    EXPECT_EQ(rows[i], plain[i] + "," + names[cluster]);  // ids of clusters stay what they were
  }

  // A model that has them inside says the same elsewhere.
  const std::string taken = folder.string("taken.pssc");
  ASSERT_EQ(run_pssc({"export", out, "--to", "model", "-o", taken}).code, 0);
  EXPECT_EQ(run_pssc({"predict", taken, "synthetic:40"}).out, after.out);
  EXPECT_EQ(run_pssc({"export", out, "--to", "model", "-o", taken}).code, 2);
}

}  // namespace
}  // namespace pssc::test
