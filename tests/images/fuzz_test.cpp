// Damaged files of every format: whatever the bytes, a folder reads on, and a whole-file input fails with Error(input).
#include "support/image_files.hpp"

#include <pssc/core/random.hpp>

#include <functional>

namespace pssc::test {
namespace {

constexpr int rounds = 1000;

/// Up to eight changed bytes, sometimes a cut, sometimes bytes too many.
Bytes damaged(const Bytes& whole, Random& random) {
  Bytes bytes = whole;
  for (std::size_t i = random.below(9); i > 0; --i)
    bytes[random.below(bytes.size())] = static_cast<std::uint8_t>(random.below(256));
  if (random.below(3) == 0) bytes.resize(random.below(bytes.size() + 1));
  if (random.below(10) == 0)
    bytes.insert(bytes.end(), 1 + random.below(40), static_cast<std::uint8_t>(random.below(256)));
  return bytes;
}

void fuzz_image(const Bytes& whole) {
  const TempFolder folder;
  folder.write("image.png", whole);
  const auto set = open_images(folder.string(), params_of_size(8));
  Random random(7);
  for (int round = 0; round < rounds; ++round) {
    folder.write("image.png", damaged(whole, random));
    std::vector<BrokenImage> broken;
    const auto pixels = read_all_images(*set, &broken);
    for (const float level : pixels) ASSERT_TRUE(level >= 0 && level <= 255.01f) << level << " in round " << round;
    for (const auto& image : broken)
      ASSERT_FALSE(image.reason.empty() || image.reason.find('\n') != std::string::npos) << image.reason;
  }
}

void fuzz_array(const std::string& name, const Bytes& whole) {
  const TempFolder folder;
  Random random(7);
  for (int round = 0; round < rounds; ++round) {
    const auto file = folder.write(name, damaged(whole, random));
    try {
      const auto set = open_images(file, params_of_size(4));
      if (set->count() < 10000) read_all_images(*set);
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::input) << error.what();
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

TEST(Fuzz, Png) {
  fuzz_image(encode_png(gradient(13, 17, 3)));
}
TEST(Fuzz, PngOf16Bits) {
  fuzz_image(encode_png16(9, 9, std::vector<std::uint16_t>(81, 40000)));
}
TEST(Fuzz, Jpeg) {
  fuzz_image(encode_jpeg(gradient(13, 17, 3), 80));
}
TEST(Fuzz, Webp) {
  fuzz_image(encode_webp(gradient(13, 17, 4)));
}
TEST(Fuzz, Tiff) {
  fuzz_image(encode_tiff(gradient(13, 17, 3)));
}
TEST(Fuzz, Bmp) {
  fuzz_image(encode_bmp24(gradient(13, 17, 3)));
}
TEST(Fuzz, Pnm) {
  fuzz_image(encode_pnm(gradient(13, 17, 3)));
}
TEST(Fuzz, Idx) {
  fuzz_array("a-idx3", encode_idx(0x08, {5, 3, 3}, counting(45)));
}
TEST(Fuzz, IdxOfFloats) {
  fuzz_array("a-idx3", encode_idx(0x0d, {5, 3, 3}, Bytes(180, 0x42)));
}
TEST(Fuzz, Gzip) {
  fuzz_array("a-idx3.gz", gzip(encode_idx(0x08, {5, 3, 3}, counting(45))));
}
TEST(Fuzz, Npy) {
  fuzz_array("a.npy", encode_npy("<f4", {5, 3, 3}, Bytes(180, 0x42)));
}
TEST(Fuzz, Npz) {
  const Bytes images = encode_npy("|u1", {5, 3, 3}, counting(45)), labels = encode_npy("|u1", {5}, counting(5));
  fuzz_array("a.npz", encode_npz({{"a", images}, {"y", labels}}, true));
  fuzz_array("a.npz", encode_npz({{"a", images}, {"y", labels}}, false));
}

TEST(Fuzz, LabelsAsCsv) {
  const TempFolder folder;
  const std::string text = "id,label\na,\"1,2\"\nb,3\n\"c\"\"\",4\n";
  const Bytes whole(text.begin(), text.end());
  Random random(7);
  for (int round = 0; round < rounds; ++round) {
    const auto file = folder.write("labels.csv", damaged(whole, random));
    try {
      read_labels(file);
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::input) << error.what();
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace pssc::test
