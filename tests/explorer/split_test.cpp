// Splitting some images of a set: all of them come out again, in parts that differ.
#include "explorer/split.hpp"

#include "support/image_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace pssc::explorer {
namespace {

/// Stripes that lie or stand, at some phase.
std::string stripes(std::size_t i) {
  constexpr std::size_t size = 16;
  std::string file = "P5 16 16 255\n";
  for (std::size_t y = 0; y < size; ++y)
    for (std::size_t x = 0; x < size; ++x)
      file += static_cast<char>(((i % 2 ? x : y) + i / 2) % 4 < 2 ? 20 + i % 7 : 220 - i % 11);
  return file;
}

TEST(Split, PartsHoldEveryImageOnceAndPartWhatDiffers) {
  const test::TempFolder folder;
  for (std::size_t i = 0; i < 200; ++i) folder.write(fmt::format("{:03}.pgm", i), stripes(i));
  const auto images = open_images(folder.string(""), {});
  ASSERT_EQ(images->count(), 200);
  std::vector<std::size_t> numbers;
  for (std::size_t i = 40; i < 200; ++i) numbers.push_back(i);
  const auto parts = split_images(Context(2), *images, numbers, 2);
  ASSERT_EQ(parts.size(), 2);
  std::set<std::size_t> seen;
  for (const auto& part : parts)
    for (const std::size_t position : part) {
      EXPECT_TRUE(seen.insert(position).second);
      EXPECT_EQ(position % 2, part[0] % 2);
    }
  EXPECT_EQ(seen.size(), numbers.size());
}

}  // namespace
}  // namespace pssc::explorer
