// Splitting some images of a set: all of them come out again, in parts that differ.
#include "explorer/split.hpp"

#include "support/image_files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace pssc::explorer {
namespace {

TEST(Split, PartsHoldEveryImageOnceAndPartWhatDiffers) {
  const test::TempFolder folder;
  for (std::size_t i = 0; i < 200; ++i)
    folder.write(fmt::format("{:03}.pgm", i), test::encode_pnm(test::disc_or_ring(i)));
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
