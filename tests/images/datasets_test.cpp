#include "images/datasets.hpp"

#include "images/download.hpp"
#include "support/image_files.hpp"

#include <algorithm>
#include <numeric>

namespace pssc::test {
namespace {

namespace fs = std::filesystem;

const DatasetInfo& info_of(const std::vector<DatasetInfo>& list, const std::string& name) {
  return *std::ranges::find(list, name, &DatasetInfo::name);
}

/// Hides the user's cache and $PSSC_DATA, so that only what the test puts there is found.
struct NoData {
  TempFolder folder;
  ScopedVariable data{"PSSC_DATA", nullptr};
  ScopedVariable cache{"XDG_CACHE_HOME", folder.string("cache").c_str()};
};

void write_usps_names(const TempFolder& folder, const std::string& where) {
  folder.write(where + "/usps-images-idx3-ubyte", encode_idx(0x08, {1, 2, 2}, counting(4)));
  folder.write(where + "/usps-labels-idx1-ubyte.gz", gzip(encode_idx(0x08, {1}, {3})));
}

TEST(Datasets, UnknownNamesGetTheNearestSuggested) {
  expect_input_error([] { open_images("mnits", {}); },
                     {"mnits", "mnist, mnist-train, mnist-test, usps, fashion-mnist", "did you mean mnist?"});
  expect_input_error([] { open_images("fashon-mnist", {}); }, {"did you mean fashion-mnist?"});
  expect_input_error([] { open_images("upss", {}); }, {"did you mean usps?"});
  expect_input_error([] { fetch_dataset("mnist-tset"); }, {"did you mean mnist-test?"});
}

TEST(Datasets, AnAbsentOneSaysHowToGetIt) {
  const NoData none;
  expect_input_error([] { open_images("mnist", {}); }, {"mnist", "pssc datasets fetch mnist"});
  expect_input_error([] { open_images("usps", {}); }, {"usps-images-idx3-ubyte.gz", "$PSSC_DATA"});
  expect_input_error([] { fetch_dataset("usps"); }, {"usps-labels-idx1-ubyte.gz"});
  EXPECT_FALSE(info_of(list_datasets(), "mnist").path);
  EXPECT_NE(info_of(list_datasets(), "fashion-mnist").remedy.find("apt-get install dataset-fashion-mnist"),
            std::string::npos);
}

TEST(Datasets, AreFoundThroughTheVariableAndTheCache) {
  NoData none;
  write_usps_names(none.folder, "one/usps");
  write_usps_names(none.folder, "cache/pssc/usps");
  EXPECT_EQ(info_of(list_datasets(), "usps").path, none.folder / "cache/pssc/usps");
  for (const char* entry : {"one", "one/", "one/usps", "one/usps/"}) {
    const ScopedVariable data("PSSC_DATA", ("/nowhere::" + none.folder.string(entry)).c_str());
    const auto found = info_of(list_datasets(), "usps").path;
    ASSERT_TRUE(found) << entry;
    EXPECT_TRUE(fs::equivalent(*found, none.folder / "one/usps")) << entry;
  }
}

TEST(Datasets, AlteredFilesAreRefused) {
  const NoData none;
  write_usps_names(none.folder, "usps");
  const ScopedVariable data("PSSC_DATA", none.folder.string().c_str());
  expect_input_error([] { open_images("usps", {}); }, {"usps-images-idx3-ubyte", "SHA-256", "get it again"});
  expect_input_error([] { fetch_dataset("usps"); }, {"usps-images-idx3-ubyte", "SHA-256"});
}

TEST(Datasets, SyntheticIsAlwaysThere) {
  EXPECT_EQ(open_images("synthetic", {})->count(), 10000u);
  EXPECT_EQ(open_images("synthetic:12", {})->count(), 12u);
  EXPECT_EQ(open_images("synthetic:12", {})->name(), "synthetic:12");
  for (const char* bad : {"synthetic:", "synthetic:0", "synthetic:-3", "synthetic:ten", "synthetic:1e3"})
    expect_input_error([&] { open_images(bad, {}); }, {bad, "whole number"});
}

TEST(Datasets, ProgramsRunWithoutAShell) {
  const TempFolder folder;
  EXPECT_EQ(images::run_program({"touch", "a; b"}, folder / ""), 0);
  EXPECT_TRUE(fs::exists(folder / "a; b"));
  EXPECT_EQ(images::run_program({"false"}, folder / ""), 1);
  EXPECT_EQ(images::run_program({"no-such-program-anywhere"}, folder / ""), 127);
}

/// Count, labels and the mean level of the real files, where they are.
void expect_dataset(const std::string& name, std::size_t count, std::size_t first_labels_sum, double mean) {
  const auto set = open_images(name, params_of_size(32));
  EXPECT_EQ(set->count(), count);
  ASSERT_TRUE(set->labels());
  EXPECT_EQ(set->labels()->names, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
  const auto& values = set->labels()->values;
  EXPECT_EQ(std::accumulate(values.begin(), values.begin() + 10, std::size_t{0}), first_labels_sum);
  std::vector<float> pixels(1000 * 32 * 32);
  std::vector<BrokenImage> broken;
  set->read(0, 1000, pixels, broken);
  EXPECT_NEAR(std::accumulate(pixels.begin(), pixels.end(), 0.0) / static_cast<double>(pixels.size()), mean, 1e-3);
  EXPECT_TRUE(broken.empty());
}

bool is_there(const std::string& name) {
  return info_of(list_datasets(), name).path.has_value();
}

TEST(Datasets, Mnist) {
  if (!is_there("mnist")) GTEST_SKIP() << "skipped: no mnist";
  EXPECT_EQ(open_images("mnist", {})->count(), 70000u);
  EXPECT_EQ(open_images("mnist-train", {})->count(), 60000u);
  expect_dataset("mnist-test", 10000, 42, 23.8702);
}

TEST(Datasets, Usps) {
  if (!is_there("usps")) GTEST_SKIP() << "skipped: no usps";
  expect_dataset("usps", 9298, 36, 16.8437);
}

TEST(Datasets, FashionMnist) {
  if (!is_there("fashion-mnist")) GTEST_SKIP() << "skipped: no fashion-mnist";
  EXPECT_EQ(open_images("fashion-mnist", {})->count(), 70000u);
  expect_dataset("fashion-mnist-test", 10000, 42, 56.6740);
}

}  // namespace
}  // namespace pssc::test
