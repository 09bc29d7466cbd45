#include "reproduction/cells.hpp"

#include "support/image_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

namespace pssc::reproduction {
namespace {

using test::TempFolder;

TEST(Cells, ComputeOnce) {
  const TempFolder folder;
  int computed = 0;
  const auto compute = [&] {
    ++computed;
    return Json{{"purity", 0.1 + 0.2}};
  };
  const Json first = Cells(folder / "cells").get("a", {{"seed", 0}}, compute);
  const Json again = Cells(folder / "cells").get("a", {{"seed", 0}}, compute);
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(first.dump(), again.dump());
  EXPECT_EQ(again["purity"], 0.1 + 0.2);
}

TEST(Cells, OfOtherParametersOrDamagedAreComputedAnew) {
  const TempFolder folder;
  const Cells cells(folder / "cells");
  int computed = 0;
  const auto compute = [&] { return Json(++computed); };
  cells.get("a", {{"dims", 2}}, compute);
  EXPECT_EQ(cells.get("a", {{"dims", 3}}, compute), 2);
  EXPECT_EQ(cells.get("a", {{"dims", 3}}, compute), 2);
  folder.write("cells/a.json", std::string("{\"made\": {\"version\""));
  EXPECT_FALSE(cells.find("a", {{"dims", 3}}));
  EXPECT_EQ(cells.get("a", {{"dims", 3}}, compute), 3);
  folder.write("cells/a.json",
               std::string("{\"made\": {\"version\": \"0.0.1\", \"of\": {\"dims\": 3}}, \"figures\": 9}"));
  EXPECT_EQ(cells.get("a", {{"dims", 3}}, compute), 4);
}

TEST(Cells, LeaveNothingBehindWhereTheComputationFails) {
  const TempFolder folder;
  const Cells cells(folder / "cells");
  EXPECT_THROW(cells.get("a", {}, []() -> Json { throw std::runtime_error("stopped"); }), std::runtime_error);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "cells"));
}

TEST(Cells, SumUpWhatTheyTook) {
  const TempFolder folder;
  const Cells cells(folder / "cells");
  EXPECT_EQ(cells.seconds(), 0);
  cells.get("a", {}, [] { return Json(1); });
  EXPECT_GE(cells.seconds(), 0);
  EXPECT_LT(cells.seconds(), 5);
}

}  // namespace
}  // namespace pssc::reproduction
