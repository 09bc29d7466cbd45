// Whether small images are enlarged or lie in black, and whether a set has colours: told by a look at some of it.
#include "images/look.hpp"

#include "support/image_files.hpp"

#include <pssc/core/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace pssc::images {
namespace {

using test::Bytes;
using test::Raster;
using test::TempFolder;

void show(Look& look, const Raster& raster) {
  look.at({raster.height, raster.width, raster.channels}, [&](std::size_t y, std::span<float> row) {
    std::copy_n(raster.samples.begin() + static_cast<std::ptrdiff_t>(y * row.size()), row.size(), row.begin());
  });
}

Raster even(std::size_t side, std::uint8_t level) {
  return {side, side, 1, Bytes(side * side, level)};
}

/// White strokes on black, from border to border.
Raster cross(std::size_t side) {
  Raster raster = even(side, 0);
  for (std::size_t i = 0; i < side; ++i)
    raster.samples[i * side + side / 2] = raster.samples[side * (side / 2) + i] = 255;
  return raster;
}

/// Levels from 1 on, to the very border.
Raster photo(std::size_t height, std::size_t width) {
  Raster raster = test::gradient(height, width, 1);
  for (std::uint8_t& sample : raster.samples) sample = std::max<std::uint8_t>(1, sample);
  return raster;
}

Frame frame_of(const Raster& raster, std::size_t size = 32) {
  Look look(size);
  show(look, raster);
  return look.frame();
}

TEST(Look, WhatIsOnBlackKeepsItsFrame) {
  EXPECT_EQ(frame_of(even(28, 0)), Frame::black);
  EXPECT_EQ(frame_of(cross(28)), Frame::black);
  EXPECT_EQ(frame_of(even(28, 255)), Frame::none);
  EXPECT_EQ(frame_of(photo(20, 28)), Frame::none);
  EXPECT_EQ(frame_of(even(1, 1)), Frame::none);
}

TEST(Look, OnlyImagesSmallerThanTheCanvasSpeak) {
  EXPECT_EQ(Look(32).frame(), Frame::black);
  EXPECT_EQ(frame_of(even(32, 255)), Frame::black);
  EXPECT_EQ(frame_of(photo(28, 40)), Frame::black);
  Look look(32);
  show(look, even(100, 255));
  show(look, cross(28));
  EXPECT_EQ(look.frame(), Frame::black);
}

TEST(Look, AQuarterOfAllBordersDecides) {
  Look look(32);
  for (int i = 0; i < 4; ++i) show(look, even(20, 90));
  show(look, even(20, 0));
  EXPECT_EQ(look.frame(), Frame::none);
  show(look, even(20, 0));
  EXPECT_EQ(look.frame(), Frame::black);
}

TEST(Look, WhatIsTransparentIsBlack) {
  Raster icon{20, 20, 4, Bytes(1600, 200)};
  for (std::size_t i = 3; i < 1600; i += 4) icon.samples[i] = 0;
  EXPECT_EQ(frame_of(icon), Frame::black);
}

TEST(Look, ColoursAreThereWhereChannelsDiffer) {
  Raster raster{40, 40, 3, Bytes(4800, 77)};
  Look look(32);
  show(look, raster);
  show(look, even(40, 9));
  EXPECT_FALSE(look.coloured());
  raster.samples[3333] = 78;
  show(look, raster);
  EXPECT_TRUE(look.coloured());
}

TEST(Look, IsSpreadOverAllImages) {
  EXPECT_TRUE(Look::at_some_of(0).empty());
  EXPECT_EQ(Look::at_some_of(3), (std::vector<std::size_t>{0, 1, 2}));
  const auto some = Look::at_some_of(70000);
  EXPECT_EQ(some.size(), 64u);
  EXPECT_TRUE(std::ranges::is_sorted(some));
  EXPECT_GT(some.back(), 68000u);
}

// ---- whole sets -----------------------------------------------------------------------------------------------------

TEST(Frames, SmallPhotosInAnArrayFillTheCanvasAndDigitsDoNot) {
  const TempFolder folder;
  Bytes photos, digits;
  for (int i = 0; i < 5; ++i) {
    const Bytes ground = photo(12, 12).samples, digit = cross(12).samples;
    photos.insert(photos.end(), ground.begin(), ground.end());
    digits.insert(digits.end(), digit.begin(), digit.end());
  }
  const auto set = open_images(folder.write("photos.npy", test::encode_npy("|u1", {5, 12, 12}, photos)), {.size = 16});
  EXPECT_EQ(set->frame(), Frame::none);
  EXPECT_FALSE(set->coloured());
  for (const float value : test::read_all_images(*set)) ASSERT_GT(value, 0);
  const auto black = open_images(folder.string("photos.npy"), {.size = 16, .frame = Frame::black});
  EXPECT_EQ(black->frame(), Frame::black);
  EXPECT_EQ(test::read_all_images(*black)[0], 0);
  const auto on_black =
      open_images(folder.write("digits.npy", test::encode_npy("|u1", {5, 12, 12}, digits)), {.size = 16});
  EXPECT_EQ(on_black->frame(), Frame::black);
  EXPECT_EQ(test::read_all_images(*on_black),
            test::read_all_images(*open_images(folder.string("digits.npy"), {.size = 16, .frame = Frame::black})));
}

TEST(Frames, FilesAreLookedAtBrokenAndLargeOnesToo) {
  const TempFolder folder;
  Raster noise{600, 600, 3, Bytes(1080000)};
  Random random(3);
  for (auto& sample : noise.samples) sample = static_cast<std::uint8_t>(random.uniform(0, 255));
  folder.write("0.png", Bytes{1, 2, 3});
  folder.write("1.png", test::encode_png(noise));  // over a megabyte
  for (int i = 2; i < 6; ++i) folder.write(std::to_string(i) + ".png", test::encode_png(photo(20, 10)));
  const auto set = open_images(folder.string(), {.size = 32});
  EXPECT_EQ(set->frame(), Frame::none);
  EXPECT_TRUE(set->coloured());
  std::vector<BrokenImage> broken;
  const std::vector<float> pixels = test::read_all_images(*set, &broken);
  EXPECT_EQ(broken.size(), 1u);
  // 20 x 10 is enlarged to 32 x 16, with its aspect kept.
  for (std::size_t i = 0; i < 1024; ++i) EXPECT_EQ(pixels[2 * 1024 + i] > 0, i % 32 >= 8 && i % 32 < 24) << i;
}

TEST(Frames, AnImageInMemoryHasTheFrameThatIsAskedFor) {
  const Bytes file = test::encode_png(even(8, 100));
  const auto middle = [&](Frame frame) {
    return test::read_all_images(*image_from_bytes(file, "one", {.size = 16, .frame = frame}))[0];
  };
  EXPECT_EQ(middle(Frame::black), 0);
  EXPECT_NEAR(middle(Frame::none), 100, 1e-3);
}

TEST(Frames, TheDataSetsOfThePaperAreOnBlack) {
  for (const DatasetInfo& set : list_datasets())
    if (set.path) {
      EXPECT_EQ(open_images(set.name, {})->frame(), Frame::black) << set.name;
    }
}

}  // namespace
}  // namespace pssc::images
