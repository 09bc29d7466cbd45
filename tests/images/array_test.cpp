// IDX, npy and npz arrays: what is read, and what is refused.
#include "images/inflate.hpp"
#include "support/image_files.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <thread>

namespace pssc::test {
namespace {

Bytes big_endian(const std::vector<float>& numbers) {
  Bytes bytes = bytes_of(numbers);
  for (std::size_t i = 0; i < bytes.size(); i += 4)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.begin() + static_cast<std::ptrdiff_t>(i + 4));
  return bytes;
}

std::vector<float> as_floats(const Bytes& bytes) {
  return std::vector<float>(bytes.begin(), bytes.end());
}

void expect_pixels(const std::string& file, std::size_t size, const std::vector<float>& expected,
                   Colour colour = Colour::grey) {
  const auto pixels = read_all_images(*open_images(file, params_of_size(size, colour)));
  ASSERT_EQ(pixels.size(), expected.size()) << file;
  for (std::size_t i = 0; i < pixels.size(); ++i) EXPECT_NEAR(pixels[i], expected[i], 1e-3) << file << " at " << i;
}

void expect_refused(const std::string& file, std::vector<std::string> words) {
  words.push_back(std::filesystem::path(file).filename().string());
  expect_input_error([&] { open_images(file, params_of_size(4)); }, words);
}

TEST(Idx, BytesPlainAndGzip) {
  const TempFolder folder;
  const Bytes content = counting(5 * 4 * 4), idx = encode_idx(0x08, {5, 4, 4}, content);
  expect_pixels(folder.write("plain", idx), 4, as_floats(content));
  expect_pixels(folder.write("packed.gz", gzip(idx)), 4, as_floats(content));
  Bytes members = gzip(Bytes(idx.begin(), idx.begin() + 30));
  const Bytes second = gzip(Bytes(idx.begin() + 30, idx.end()));
  members.insert(members.end(), second.begin(), second.end());
  expect_pixels(folder.write("two-members.gz", members), 4, as_floats(content));
  const auto set = open_images(folder.string("plain"), params_of_size(4));
  EXPECT_EQ(set->count(), 5u);
  EXPECT_EQ(set->id(3), "3");
  EXPECT_EQ(set->name(), folder.string("plain"));
  EXPECT_FALSE(set->labels());
}

TEST(Idx, EveryElementType) {
  const TempFolder folder;
  expect_pixels(folder.write("i8", encode_idx(0x09, {1, 1, 2}, {0xff, 2})), 2, {-1, 2, 0, 0});
  expect_pixels(folder.write("i16", encode_idx(0x0b, {1, 1, 2}, {1, 0, 0xff, 0xff})), 2, {256, -1, 0, 0});
  expect_pixels(folder.write("i32", encode_idx(0x0c, {1, 1, 1}, {0, 1, 0, 0})), 1, {65536});
  expect_pixels(folder.write("f32", encode_idx(0x0d, {1, 1, 2}, big_endian({7.5f, 200.0f}))), 2, {7.5f, 200, 0, 0});
  expect_pixels(folder.write("f64", encode_idx(0x0e, {1, 1, 1}, {0x40, 0x45, 0, 0, 0, 0, 0, 0})), 1, {42});
}

TEST(Idx, SiblingLabelsAreTheTruthWhereTheyMatch) {
  const TempFolder folder;
  const auto images = folder.write("a-images-idx3-ubyte.gz", gzip(encode_idx(0x08, {3, 2, 2}, counting(12))));
  EXPECT_FALSE(open_images(images, params_of_size(2))->labels());
  folder.write("a-labels-idx1-ubyte", encode_idx(0x08, {3}, {7, 0, 7}));
  const auto labels = open_images(images, params_of_size(2))->labels();
  ASSERT_TRUE(labels);
  EXPECT_EQ(labels->values, (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(labels->names, (std::vector<std::string>{"0", "7"}));
  folder.write("a-labels-idx1-ubyte", encode_idx(0x08, {2}, {7, 0}));
  EXPECT_FALSE(open_images(images, params_of_size(2))->labels());
}

TEST(Idx, BadFilesAreRefused) {
  const TempFolder folder;
  const Bytes content = counting(12), idx = encode_idx(0x08, {3, 2, 2}, content);
  expect_refused(folder.write("short-idx3", Bytes(idx.begin(), idx.end() - 1)), {"truncated", "12", "11"});
  expect_refused(folder.write("header-idx3", Bytes(idx.begin(), idx.begin() + 9)), {"truncated"});
  expect_refused(folder.write("two-idx3", Bytes{0, 0}), {"not an IDX file"});
  expect_refused(folder.write("empty-idx3", Bytes{}), {"empty"});
  Bytes longer = idx;
  longer.push_back(0);
  expect_refused(folder.write("long", longer), {"13", "12", "more"});
  expect_refused(folder.write("promises", encode_idx(0x08, {4000000000u, 28, 28}, content)), {"truncated"});
  const std::uint32_t most = 0xffffffff;
  expect_refused(folder.write("overflows", encode_idx(0x0e, {most, most, most}, content)), {"more than any memory"});
  expect_refused(folder.write("wraps", encode_idx(0x08, {1u << 31, 1u << 31, 4}, {})), {"more than any memory"});
  expect_refused(folder.write("rank1", encode_idx(0x08, {12}, content)), {"[12]", "[n, height, width]"});
  expect_refused(folder.write("rank2", encode_idx(0x08, {3, 4}, content)), {"[3, 4]"});
  expect_refused(folder.write("none", encode_idx(0x08, {0, 2, 2}, {})), {"no images"});
  expect_refused(folder.write("flat", encode_idx(0x08, {2, 0, 2}, {})), {"no pixels"});
  expect_refused(folder.write("nan", encode_idx(0x0d, {2, 1, 1}, big_endian({1, std::nanf("")}))), {"NaN", "image 1"});
}

TEST(Gzip, BadFilesAreRefused) {
  const TempFolder folder;
  const Bytes packed = gzip(encode_idx(0x08, {100, 4, 4}, counting(1600)));
  for (const std::size_t length :
       {2u, 9u, 18u, static_cast<unsigned>(packed.size() - 9), static_cast<unsigned>(packed.size() - 1)})
    expect_refused(
        folder.write("short.gz", Bytes(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(length))),
        {"truncated"});
  Bytes damaged = packed;
  damaged[packed.size() - 6] ^= 1;  // its sum
  expect_refused(folder.write("damaged.gz", damaged), {"damaged"});
  Bytes trailing = packed;
  trailing.push_back(7);
  expect_refused(folder.write("trailing.gz", trailing), {"trailing.gz"});
}

TEST(Gzip, UnfoldingHasALimit) {
  const auto packed = images::from_memory(gzip(Bytes(100000)), "bomb.gz");
  EXPECT_EQ(images::unfold_gzip(*packed, "bomb.gz", 100000).size(), 100000u);
  expect_input_error([&] { images::unfold_gzip(*packed, "bomb.gz", 99999); }, {"bomb.gz", "limit of 99999"});
}

TEST(Npy, ElementTypesAndByteOrders) {
  const TempFolder folder;
  const std::vector<float> values{3, 0, 255, 17.5f};
  expect_pixels(folder.write("u1.npy", encode_npy("|u1", {1, 2, 2}, {1, 2, 3, 200})), 2, {1, 2, 3, 200});
  expect_pixels(folder.write("f4.npy", encode_npy("<f4", {1, 2, 2}, bytes_of(values))), 2, values);
  expect_pixels(folder.write("F4.npy", encode_npy(">f4", {1, 2, 2}, big_endian(values))), 2, values);
  expect_pixels(folder.write("f8.npy", encode_npy("<f8", {1, 2, 2}, bytes_of(std::vector<double>{3, 0, 255, 17.5}))), 2,
                values);
  expect_pixels(folder.write("i2.npy", encode_npy("<i2", {1, 1, 2}, {1, 1, 0xff, 0xff})), 2, {257, -1, 0, 0});
  expect_pixels(folder.write("i8.npy", encode_npy("<i8", {1, 1, 1}, bytes_of(std::vector<std::int64_t>{99}))), 1, {99});
  expect_pixels(folder.write("b1.npy", encode_npy("|b1", {1, 1, 2}, {1, 0})), 2, {255, 0, 0, 0});
  expect_pixels(folder.write("gz.npy.gz", gzip(encode_npy("|u1", {1, 1, 1}, {9}))), 1, {9});
}

TEST(Npy, FloatsUpToOneAreScaled) {
  const TempFolder folder;
  const auto write = [&](const std::vector<float>& values) {
    return folder.write("a.npy", encode_npy("<f4", {1, 1, values.size()}, bytes_of(values)));
  };
  expect_pixels(write({0, 1}), 2, {0, 255, 0, 0});
  expect_pixels(write({0, 1.5f}), 2, {0, 1.5f, 0, 0});
  expect_pixels(write({-0.5f, 1}), 2, {-0.5f, 1, 0, 0});
}

TEST(Npy, ColourAndAlpha) {
  const TempFolder folder;
  const auto rgb = folder.write("rgb.npy", encode_npy("|u1", {1, 1, 1, 3}, {100, 150, 200}));
  expect_pixels(rgb, 1, {100, 150, 200}, Colour::channels);
  expect_pixels(rgb, 1, {0.299f * 100 + 0.587f * 150 + 0.114f * 200});
  expect_pixels(folder.write("one.npy", encode_npy("|u1", {1, 1, 1, 1}, {77})), 1, {77});
  expect_pixels(folder.write("rgba.npy", encode_npy("|u1", {1, 1, 1, 4}, {100, 100, 100, 51})), 1, {20});
}

TEST(Npy, BadFilesAreRefused) {
  const TempFolder folder;
  const Bytes npy = encode_npy("|u1", {3, 2, 2}, counting(12));
  expect_refused(folder.write("short.npy", Bytes(npy.begin(), npy.end() - 1)), {"truncated"});
  expect_refused(folder.write("header.npy", Bytes(npy.begin(), npy.begin() + 40)), {"truncated"});
  expect_refused(folder.write("nine.npy", Bytes(npy.begin(), npy.begin() + 9)), {"truncated"});
  expect_refused(folder.write("text.npy", std::string("hello")), {"not an npy file"});
  expect_refused(folder.write("empty.npy", Bytes{}), {"empty"});
  Bytes longer = npy;
  longer.push_back(0);
  expect_refused(folder.write("long.npy", longer), {"more"});
  expect_refused(folder.write("rank.npy", encode_npy("|u1", {12}, counting(12))), {"[12]"});
  expect_refused(folder.write("scalar.npy", encode_npy("|u1", {}, {1})), {"[]"});
  expect_refused(folder.write("rank5.npy", encode_npy("|u1", {1, 1, 2, 2, 3}, counting(12))), {"[1, 1, 2, 2, 3]"});
  expect_refused(folder.write("two.npy", encode_npy("|u1", {3, 2, 1, 2}, counting(12))), {"[3, 2, 1, 2]"});
  expect_refused(folder.write("none.npy", encode_npy("|u1", {0, 2, 2}, {})), {"no images"});
  expect_refused(folder.write("complex.npy", encode_npy("<c8", {1, 1, 1}, counting(8))), {"<c8", "astype"});
  expect_refused(folder.write("half.npy", encode_npy("<f2", {1, 1, 1}, counting(2))), {"<f2"});
  expect_refused(folder.write("object.npy", encode_npy("|O", {1, 1, 1}, counting(8))), {"|O"});
  const std::size_t most = std::numeric_limits<std::size_t>::max() / 2;
  expect_refused(folder.write("huge.npy", encode_npy("|u1", {most, most, 4}, {})), {"more than any memory"});
  Bytes fortran = npy;
  const std::string falsehood = "False", truth = "True ";
  const auto at = std::search(fortran.begin(), fortran.end(), falsehood.begin(), falsehood.end());
  std::copy(truth.begin(), truth.end(), at);
  expect_refused(folder.write("fortran.npy", fortran), {"Fortran", "numpy.ascontiguousarray"});
}

TEST(Npy, NanAndInfinityAreRefusedNamingTheImage) {
  const TempFolder folder;
  for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
    const std::vector<float> values{0, 1, 2, 3, bad, 5, bad, 7};
    expect_refused(folder.write("bad.npy", encode_npy("<f4", {4, 1, 2}, bytes_of(values))), {"NaN", "image 2"});
    const std::vector<double> doubles(values.begin(), values.end());
    expect_refused(folder.write("bad.npy", encode_npy("<f8", {4, 1, 2}, bytes_of(doubles))), {"NaN", "image 2"});
  }
}

TEST(Npz, StoredAndDeflatedWithLabels) {
  const TempFolder folder;
  const Bytes content = counting(3 * 16), images = encode_npy("|u1", {3, 4, 4}, content),
              labels = encode_npy("<i8", {3}, bytes_of(std::vector<std::int64_t>{5, -1, 5}));
  for (const bool deflated : {false, true}) {
    const auto file = folder.write("a.npz", encode_npz({{"labels", labels}, {"x", images}}, deflated));
    expect_pixels(file, 4, as_floats(content));
    const auto truth = open_images(file, params_of_size(4))->labels();
    ASSERT_TRUE(truth);
    EXPECT_EQ(truth->names, (std::vector<std::string>{"-1", "5"}));
    EXPECT_EQ(truth->values, (std::vector<std::int32_t>{1, 0, 1}));
  }
}

TEST(Npz, TheOnlyArrayOfImagesIsTaken) {
  const TempFolder folder;
  const Bytes images = encode_npy("|u1", {1, 1, 1}, {5}), other = encode_npy("|u1", {4}, counting(4));
  expect_pixels(folder.write("a.npz", encode_npz({{"arr_1", other}, {"arr_0", images}}, true)), 1, {5});
  expect_refused(folder.write("b.npz", encode_npz({{"a", images}, {"b", images}}, false)), {"2 arrays", "name"});
  expect_refused(folder.write("c.npz", encode_npz({{"a", other}}, false)), {"0 arrays"});
  expect_pixels(folder.write("d.npz", encode_npz({{"a", images}, {"x_train", images}}, false)), 1, {5});
  const Bytes fractions = encode_npy("<f8", {1}, bytes_of(std::vector<double>{0.5}));
  EXPECT_FALSE(
      open_images(folder.write("e.npz", encode_npz({{"x", images}, {"y", fractions}}, true)), params_of_size(1))
          ->labels());
}

TEST(Npz, BadFilesAreRefused) {
  const TempFolder folder;
  const Bytes images = encode_npy("|u1", {100, 4, 4}, counting(1600));
  for (const bool deflated : {false, true}) {
    const Bytes npz = encode_npz({{"x", images}}, deflated);
    for (const std::size_t length : {npz.size() - 1, npz.size() - 22, npz.size() / 2, std::size_t{5}})
      expect_refused(folder.write("short.npz", Bytes(npz.begin(), npz.begin() + static_cast<std::ptrdiff_t>(length))),
                     {"truncated"});
    Bytes damaged = npz;
    damaged[npz.size() / 3] ^= 0x55;
    expect_refused(folder.write("damaged.npz", damaged), {"damaged"});
  }
  expect_refused(folder.write("text.npz", std::string("hello")), {"zip"});
}

TEST(Arrays, AnyRangeFromAnyThread) {
  const TempFolder folder;
  const Bytes content = counting(1000 * 9);
  const auto set = open_images(folder.write("a", encode_idx(0x08, {1000, 3, 3}, content)), params_of_size(3));
  const auto whole = read_all_images(*set);
  std::vector<std::thread> threads;
  std::vector<int> good(4);
  for (std::size_t t = 0; t < good.size(); ++t)
    threads.emplace_back([&, t] {
      good[t] = 1;
      for (std::size_t begin = t; begin < 1000; begin += 97) {
        const std::size_t end = std::min<std::size_t>(1000, begin + 13 * t + 1);
        std::vector<float> part((end - begin) * 9);
        std::vector<BrokenImage> broken;
        set->read(begin, end, part, broken);
        if (!std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin * 9))) good[t] = 0;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 1));
}

TEST(Arrays, AFileThatShrinksAfterOpeningIsAnError) {
  const TempFolder folder;
  const auto file = folder.write("a", encode_idx(0x08, {1000, 3, 3}, counting(9000)));
  const auto set = open_images(file, params_of_size(3));
  std::filesystem::resize_file(file, 100);
  expect_input_error([&] { read_all_images(*set); }, {file, "ends"});
}

}  // namespace
}  // namespace pssc::test
