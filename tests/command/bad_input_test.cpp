// What is wrong gets one line, the right exit code, and no output. Each case runs the real command.
#include "support/child.hpp"
#include "support/image_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

namespace pssc::test {
namespace {

namespace fs = std::filesystem;

class BadInput : public ::testing::Test {
 protected:
  TempFolder folder;

  /// Clusters `input` and expects exit code `code`, one line that holds all the words, and an output folder that is
  /// empty or absent.
  void expect_refused(const std::string& input, int code, const std::vector<std::string>& words,
                      std::vector<std::string> options = {"-k", "2"}) {
    const std::string out = folder.string("out");
    std::vector<std::string> arguments{"cluster", input, "-o", out, "--size", "16", "--scales", "2"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const CommandResult result = run_pssc(arguments);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    for (const std::string& word : words) EXPECT_NE(result.err.find(word), std::string::npos) << result.err;
    EXPECT_TRUE(!fs::exists(out) || fs::is_empty(out));
  }

  std::string images(const std::string& name, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Raster raster = gradient(12, 12, 1);
      raster.samples[i * 7 % raster.samples.size()] ^= 0xff;
      raster.samples[i] = static_cast<std::uint8_t>(i);
      folder.write(name + "/" + std::to_string(i) + ".pgm", encode_pnm(raster));
    }
    return folder.string(name);
  }

  std::string array(const std::string& name, std::size_t n) {
    return folder.write(name, encode_npy("|u1", {n, 12, 12}, counting(n * 144)));
  }
};

TEST_F(BadInput, MissingPath) {
  expect_refused(folder.string("nowhere/"), 3, {"nowhere"});
}

TEST_F(BadInput, UnknownDataSetNamesTheKnownAndTheNearest) {
  expect_refused("mnits", 3, {"mnits", "usps", "fashion-mnist", "mnist"});
}

TEST_F(BadInput, EmptyFolder) {
  fs::create_directory(folder / "empty");
  expect_refused(folder.string("empty"), 3, {"empty"});
}

TEST_F(BadInput, FolderWithoutImages) {
  folder.write("texts/a.txt", std::string("hello"));
  expect_refused(folder.string("texts"), 3, {"texts"});
}

TEST_F(BadInput, FolderWithoutAReadableImage) {
  folder.write("broken/a.png", std::string("not a png"));
  folder.write("broken/b.jpg", std::string("nor a jpeg"));
  expect_refused(folder.string("broken"), 3, {"broken", "none of the 2 images"});
}

Bytes cut(Bytes bytes, std::size_t keep) {
  bytes.resize(keep);
  return bytes;
}

TEST_F(BadInput, TruncatedArrays) {
  const Bytes idx = encode_idx(8, {10, 12, 12}, counting(1440));
  const Bytes npy = encode_npy("|u1", {10, 12, 12}, counting(1440));
  expect_refused(folder.write("a-idx3-ubyte", cut(idx, 700)), 3, {"a-idx3-ubyte"});
  expect_refused(folder.write("b-idx3-ubyte.gz", cut(gzip(idx), 100)), 3, {"b-idx3-ubyte.gz"});
  expect_refused(folder.write("c.npy", cut(npy, 700)), 3, {"c.npy"});
  const Bytes npz = encode_npz({{"x", npy}}, true);
  expect_refused(folder.write("d.npz", cut(npz, npz.size() / 2)), 3, {"d.npz"});
}

TEST_F(BadInput, TruncatedImagesAreNotHalfRead) {
  const Bytes png = encode_png(gradient(40, 40, 3)), jpeg = encode_jpeg(gradient(40, 40, 3));
  folder.write("cut/a.png", cut(png, png.size() * 2 / 3));
  folder.write("cut/b.jpg", cut(jpeg, jpeg.size() * 2 / 3));
  expect_refused(folder.string("cut"), 3, {"none of the 2 images", "a.png"});
}

TEST_F(BadInput, HeaderPromisesMoreThanTheFileHolds) {
  expect_refused(folder.write("more-idx3-ubyte", encode_idx(8, {1000, 12, 12}, counting(1440))), 3,
                 {"more-idx3-ubyte"});
}

TEST_F(BadInput, SizesThatOverflow) {
  const std::uint32_t huge = 0xffffffff;
  expect_refused(folder.write("huge-idx3-ubyte", encode_idx(8, {huge, huge, huge}, counting(100))), 3,
                 {"huge-idx3-ubyte"});
  expect_refused(folder.write("huge.npy", encode_npy("|u1", {std::size_t{1} << 40, 1 << 20, 1 << 20}, counting(100))),
                 3, {"huge.npy"});
}

TEST_F(BadInput, WrongRankOrType) {
  expect_refused(folder.write("flat.npy", encode_npy("|u1", {100, 144}, counting(14400))), 3, {"flat.npy"});
  expect_refused(folder.write("text.npy", encode_npy("<U4", {10, 3, 3}, counting(1440))), 3, {"text.npy"});
  expect_refused(folder.write("complex.npy", encode_npy("<c8", {10, 3, 3}, counting(720))), 3, {"complex.npy"});
}

TEST_F(BadInput, NanAndInfinity) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> values(10 * 144, 1.0F);
    values[5 * 144 + 3] = bad;
    expect_refused(folder.write("nan.npy", encode_npy("<f4", {10, 12, 12}, bytes_of(values))), 3, {"nan.npy", "5"});
  }
}

TEST_F(BadInput, LabelsThatDoNotCountRight) {
  const std::string labels = folder.write("labels.csv", std::string("label\n1\n2\n3\n"));
  expect_refused(images("ten", 10), 3, {"labels.csv", "3", "10"}, {"-k", "2", "--labels", labels});
}

TEST_F(BadInput, AllImagesIdentical) {
  expect_refused(folder.write("same.npy", encode_npy("|u1", {20, 12, 12}, Bytes(20 * 144, 7))), 3, {"identical"});
}

TEST_F(BadInput, FewerImagesThanClusters) {
  expect_refused(images("ten", 10), 3, {"asked for 12 clusters", "10 images"}, {"-k", "12"});
}

TEST_F(BadInput, FewerThanTwoImages) {
  expect_refused(images("one", 1), 3, {"at least 2"});
}

TEST_F(BadInput, FewerImagesThanRepresentativesIsNoError) {
  const CommandResult result =
      run_pssc({"cluster", images("ten", 10), "-k", "2", "--size", "16", "--scales", "2", "--preset", "paper"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("representatives lowered from 1000 to 5"), std::string::npos) << result.out;
}

TEST_F(BadInput, NumbersOfClustersThatCannotBe) {
  const std::string input = array("a.npy", 20);
  for (const char* k : {"0", "1", "-3", "two", "2.5", ""}) expect_refused(input, 2, {"-k"}, {"-k", k});
  expect_refused(input, 2, {"-k"}, {});
}

TEST_F(BadInput, ScalesLargerThanTheCanvas) {
  expect_refused(array("a.npy", 20), 2, {"16 x 16", "--scales"}, {"-k", "2", "--scales", "5"});
}

TEST_F(BadInput, OptionsThatCannotBe) {
  const std::string input = array("a.npy", 20);
  const std::vector<std::vector<std::string>> cases{
      {"--preset", "best"},  {"--order", "3"},       {"--angles", "0"},        {"--features", "sift"},
      {"--size", "0"},       {"--poc-dims", "-1"},   {"--poc-dims", "5000"},   {"--pca-dims", "0"},
      {"--knn", "annoy"},    {"--threads", "-1"},    {"--memory", "lots"},     {"--clusterer", "magic"},
      {"--neighbours", "0"}, {"--seed", "fortytwo"}, {"--no-such-option", "1"}};
  for (std::vector<std::string> options : cases) {
    SCOPED_TRACE(options[0] + " " + options[1]);
    options.insert(options.begin(), {"-k", "2"});
    expect_refused(input, 2, {}, options);
  }
}

TEST_F(BadInput, SpectralClusteringThatDoesNotFitSaysHowMuchItNeeds) {
  expect_refused(array("a.npy", 2000), 2, {"GiB", "--memory"},
                 {"-k", "2", "--clusterer", "spectral", "--memory", "8MiB"});
}

TEST_F(BadInput, UnwritableOutputFolder) {
  folder.write("file", std::string("in the way"));
  const CommandResult result = run_pssc(
      {"cluster", array("a.npy", 20), "-k", "2", "--size", "16", "--scales", "2", "-o", folder.string("file/out")});
  EXPECT_EQ(result.code, 3);
  EXPECT_NE(result.err.find("file/out"), std::string::npos);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

TEST_F(BadInput, ReadOnlyOutputFolder) {
  if (geteuid() == 0) GTEST_SKIP() << "skipped: root may write anywhere";
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
  const CommandResult result = run_pssc({"cluster", array("a.npy", 20), "-k", "2", "-o", folder.string("locked")});
  EXPECT_EQ(result.code, 3);
}

TEST_F(BadInput, DifferentSizesInOneFolderWork) {
  for (std::size_t i = 0; i < 12; ++i)
    folder.write("mixed/" + std::to_string(i) + ".png",
                 encode_png(gradient(8 + 5 * i, 10 + 3 * (i % 4), i % 2 ? 3 : 1)));
  const CommandResult result = run_pssc(
      {"cluster", folder.string("mixed"), "-k", "2", "--size", "16", "--scales", "2", "-o", folder.string("out")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(fs::exists(folder / "out/labels.csv"));
}

TEST_F(BadInput, CommandsThatAreNone) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"clutser"}, {"cluster"}, {"evaluate", "one"}, {"features", "usps"}}) {
    const CommandResult result = run_pssc(arguments);
    EXPECT_EQ(result.code, 2);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
}

}  // namespace
}  // namespace pssc::test
