#include "support/child.hpp"
#include "support/image_files.hpp"
#include "support/npy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace pssc::test {
namespace {

TEST(FeaturesCommand, ShapesAreTheContracts) {
  const TempFolder folder;
  const auto write = [&](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"features", "synthetic:50", "-o", folder.string("f.npy")};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const CommandResult result = run_pssc(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return Npy<float>(folder / "f.npy");
  };
  using Shape = std::vector<std::size_t>;
  EXPECT_EQ(write({}).shape, (Shape{50, 217, 4, 4}));
  EXPECT_EQ(write({"--stage", "equalised"}).shape, (Shape{50, 217, 4, 4}));
  EXPECT_EQ(write({"--stage", "projected", "--pca-dims", "20"}).shape, (Shape{50, 20}));
  EXPECT_EQ(write({"--stage", "projected", "--pca-dims", "20", "--preset", "paper"}).shape, (Shape{50, 18}));
  EXPECT_EQ(write({"--scales", "2", "--order", "1"}).shape, (Shape{50, 17, 8, 8}));
  EXPECT_EQ(write({"--features", "pixels"}).shape, (Shape{50, 1, 32, 32}));
  EXPECT_EQ(write({"--colour", "channels"}).shape, (Shape{50, 651, 4, 4}));
}

TEST(FeaturesCommand, EqualisedPathsHaveALargestNormOfOne) {
  const TempFolder folder;
  ASSERT_EQ(run_pssc({"features", "synthetic:80", "--stage", "equalised", "--equalise", "maxnorm", "-o",
                      folder.string("f.npy")})
                .code,
            0);
  const Npy<float> f(folder / "f.npy");
  for (std::size_t p = 0; p < 217; ++p) {
    double largest = 0;
    for (std::size_t i = 0; i < 80; ++i) {
      double norm = 0;
      for (std::size_t k = 0; k < 16; ++k) norm += std::pow(f.values[(i * 217 + p) * 16 + k], 2);
      largest = std::max(largest, norm);
    }
    EXPECT_NEAR(largest, 1, 1e-4);
  }
}

TEST(FeaturesCommand, LittleMemoryGivesTheSameNumbers) {
  const TempFolder folder;
  for (const char* stage : {"scattering", "equalised", "projected"}) {
    ASSERT_EQ(run_pssc({"features", "synthetic:90", "--stage", stage, "-o", folder.string("a.npy")}).code, 0);
    ASSERT_EQ(
        run_pssc({"features", "synthetic:90", "--stage", stage, "--memory", "1MB", "-o", folder.string("b.npy")}).code,
        0);
    EXPECT_EQ(Npy<float>(folder / "a.npy").values, test::Npy<float>(folder / "b.npy").values) << stage;
  }
}

TEST(FeaturesCommand, IntoStandardOutput) {
  const TempFolder folder;
  const std::vector<std::string> plain{"features", "synthetic:5", "--features", "pixels", "-o"};
  std::vector<std::string> to_file = plain, to_output = plain;
  to_file.push_back(folder.string("f.npy"));
  to_output.push_back("/dev/stdout");
  ASSERT_EQ(run_pssc(to_file).code, 0);
  const CommandResult result = run_pssc(to_output);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out == contents(folder / "f.npy")) << result.out.size();
}

TEST(FeaturesCommand, AFailureLeavesNoFile) {
  const TempFolder folder;
  EXPECT_EQ(run_pssc({"features", "synthetic:50", "--scales", "9", "-o", folder.string("f.npy")}).code, 2);
  EXPECT_EQ(run_pssc({"features", "synthetic:50", "--stage", "best", "-o", folder.string("f.npy")}).code, 2);
  EXPECT_EQ(run_pssc({"features", "nowhere", "-o", folder.string("f.npy")}).code, 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "."));
}

}  // namespace
}  // namespace pssc::test
