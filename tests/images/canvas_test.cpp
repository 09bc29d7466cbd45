#include "images/canvas.hpp"

#include <pssc/core/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pssc::images {
namespace {

struct Image {
  ImageShape shape;
  std::vector<float> values;
};

Image random_image(std::size_t height, std::size_t width, std::size_t channels, std::uint64_t seed = 1) {
  Image image{{height, width, channels}, std::vector<float>(height * width * channels)};
  Random random(seed);
  for (float& value : image.values) value = static_cast<float>(random.uniform(0, 255));
  return image;
}

std::vector<float> drawn(const Image& image, std::size_t size, Colour colour = Colour::grey,
                         Frame frame = Frame::black) {
  std::vector<float> canvas(channels_of(colour) * size * size, -1.0f);
  draw(
      image.shape,
      [&](std::size_t y, std::span<float> row) {
        std::copy_n(image.values.begin() + static_cast<std::ptrdiff_t>(y * row.size()), row.size(), row.begin());
      },
      colour, frame, size, canvas);
  return canvas;
}

double sum(const std::vector<float>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(Canvas, AnImageOfItsSizeIsCopied) {
  const Image image = random_image(8, 8, 1);
  EXPECT_EQ(drawn(image, 8), image.values);
}

TEST(Canvas, ASmallerImageIsCentredOnZeros) {
  for (const auto& [height, width] : {std::pair{1, 1}, {3, 5}, {7, 2}, {8, 7}, {5, 8}}) {
    const auto h = static_cast<std::size_t>(height), w = static_cast<std::size_t>(width);
    const Image image = random_image(h, w, 1);
    const auto canvas = drawn(image, 8);
    const std::size_t top = (8 - h) / 2, left = (8 - w) / 2;
    for (std::size_t y = 0; y < 8; ++y)
      for (std::size_t x = 0; x < 8; ++x) {
        const bool inside = y >= top && y < top + h && x >= left && x < left + w;
        EXPECT_EQ(canvas[y * 8 + x], inside ? image.values[(y - top) * w + x - left] : 0.0f);
      }
  }
}

TEST(Canvas, AWholeFactorAveragesBlocks) {
  const Image image = random_image(12, 12, 1);
  const auto canvas = drawn(image, 4);
  for (std::size_t y = 0; y < 4; ++y)
    for (std::size_t x = 0; x < 4; ++x) {
      double block = 0;
      for (std::size_t i = 0; i < 9; ++i)
        block += static_cast<double>(image.values[(3 * y + i / 3) * 12 + 3 * x + i % 3]);
      EXPECT_NEAR(canvas[y * 4 + x], block / 9, 1e-4);
    }
}

TEST(Canvas, ReductionKeepsTheMeanForAnyFactor) {
  for (const std::size_t side : {9, 10, 13, 17, 31, 33, 100, 255})
    for (const std::size_t size : {1, 3, 7, 8}) {
      const Image image = random_image(side, side, 1, side);
      const double mean = sum(image.values) / static_cast<double>(side * side);
      EXPECT_NEAR(sum(drawn(image, size)) / static_cast<double>(size * size), mean, 1e-3) << side << " to " << size;
    }
}

TEST(Canvas, AConstantImageStaysConstantAtEveryOddSize) {
  for (std::size_t height = 1; height < 40; height += 3)
    for (std::size_t width = 1; width < 40; width += 4) {
      const Image image{{height, width, 1}, std::vector<float>(height * width, 200.0f)};
      const auto canvas = drawn(image, 16);
      const ImageShape target = fitted(image.shape, 16);
      EXPECT_EQ(std::ranges::count_if(canvas, [](float v) { return v > 199.99f && v < 200.01f; }),
                static_cast<std::ptrdiff_t>(target.height * target.width));
      EXPECT_NEAR(sum(canvas), 200.0 * static_cast<double>(target.height * target.width), 1e-1);
    }
}

TEST(Canvas, AspectIsKept) {
  EXPECT_EQ(fitted({64, 32, 1}, 32).height, 32u);
  EXPECT_EQ(fitted({64, 32, 1}, 32).width, 16u);
  EXPECT_EQ(fitted({30, 90, 1}, 32).height, 11u);
  EXPECT_EQ(fitted({30, 90, 1}, 32).width, 32u);
  EXPECT_EQ(fitted({5000, 3, 1}, 32).width, 1u);
  EXPECT_EQ(fitted({20, 10, 1}, 32).height, 20u);
  const auto canvas = drawn({{64, 32, 1}, std::vector<float>(64 * 32, 255.0f)}, 32);
  for (std::size_t x = 0; x < 32; ++x) EXPECT_EQ(canvas[16 * 32 + x] > 0, x >= 8 && x < 24) << x;
}

TEST(Canvas, WithoutAFrameASmallImageIsEnlarged) {
  for (const std::size_t side : {1UL, 2UL, 7UL, 28UL, 31UL}) {
    const auto even = drawn({{side, side, 1}, std::vector<float>(side * side, 90.0F)}, 32, Colour::grey, Frame::none);
    for (const float value : even) ASSERT_NEAR(value, 90, 1e-4) << side;
  }
  // A slope stays one: the middle of pixel x of 32 lies at (x + 0.5) 8/32 - 0.5 of 8, and the ends go on evenly.
  Image slope{{8, 8, 3}, {}};
  for (std::size_t i = 0; i < 64; ++i)
    for (const float share : {1.0F, 2.0F, 3.0F}) slope.values.push_back(share * static_cast<float>(i % 8));
  const auto canvas = drawn(slope, 32, Colour::channels, Frame::none);
  for (std::size_t i = 0; i < canvas.size(); ++i) {
    const double place = std::clamp((static_cast<double>(i % 32) + 0.5) / 4 - 0.5, 0.0, 7.0);
    ASSERT_NEAR(canvas[i], static_cast<double>(1 + i / 1024) * place, 1e-4);
  }
  const Image wide = random_image(3, 12, 1);
  EXPECT_EQ(fitted(wide.shape, 32, Frame::none).height, 8u);
  const auto enlarged = drawn(wide, 32, Colour::grey, Frame::none);
  EXPECT_EQ(enlarged[11 * 32 + 5], 0);
  EXPECT_GT(enlarged[12 * 32 + 5], 0);
}

TEST(Canvas, OfImagesThatAreNotSmallerTheFrameChangesNothing) {
  for (const std::size_t side : {16UL, 17UL, 40UL}) {
    const Image image = random_image(side, side, 1);
    EXPECT_EQ(drawn(image, 16), drawn(image, 16, Colour::grey, Frame::none)) << side;
  }
}

TEST(Canvas, ColourBecomesLuminance) {
  const Image image{{1, 1, 3}, {100, 150, 200}};
  EXPECT_NEAR(drawn(image, 1)[0], 0.299 * 100 + 0.587 * 150 + 0.114 * 200, 1e-4);
}

TEST(Canvas, ChannelsAreKeptOrGreyIsRepeated) {
  EXPECT_EQ(drawn({{1, 1, 3}, {100, 150, 200}}, 1, Colour::channels), (std::vector<float>{100, 150, 200}));
  EXPECT_EQ(drawn({{1, 1, 1}, {100}}, 1, Colour::channels), (std::vector<float>{100, 100, 100}));
}

TEST(Canvas, ReducingColourEqualsReducingEachChannel) {
  const Image image = random_image(21, 34, 3);
  const auto canvas = drawn(image, 8, Colour::channels);
  for (std::size_t c = 0; c < 3; ++c) {
    Image plane{{21, 34, 1}, {}};
    for (std::size_t i = c; i < image.values.size(); i += 3) plane.values.push_back(image.values[i]);
    const auto alone = drawn(plane, 8);
    for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_FLOAT_EQ(canvas[c * 64 + i], alone[i]);
  }
}

TEST(Canvas, AlphaIsLaidOnBlack) {
  EXPECT_EQ(drawn({{1, 1, 2}, {100, 0}}, 1)[0], 0.0f);
  EXPECT_NEAR(drawn({{1, 1, 2}, {100, 51}}, 1)[0], 20, 1e-4);
  EXPECT_NEAR(drawn({{1, 1, 4}, {100, 100, 100, 51}}, 1)[0], 20, 1e-4);
  EXPECT_NEAR(drawn({{1, 1, 4}, {0, 50, 0, 255}}, 1, Colour::channels)[1], 50, 1e-4);
}

}  // namespace
}  // namespace pssc::images
