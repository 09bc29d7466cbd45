#include <pssc/core/error.hpp>
#include <pssc/images.hpp>

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace pssc {
namespace {

using Pixels = std::vector<float>;

std::unique_ptr<ImageSet> synthetic(std::size_t count, const ImageParams& params = {}) {
  return open_images("synthetic:" + std::to_string(count), params);
}

ImageParams with_size(std::size_t size) {
  ImageParams params;
  params.size = size;
  return params;
}

ImageParams with_seed(std::uint64_t seed) {
  ImageParams params;
  params.seed = seed;
  return params;
}

Pixels read(const ImageSet& images, std::size_t begin, std::size_t end) {
  Pixels pixels((end - begin) * images.channels() * images.size() * images.size(), -1.f);
  std::vector<BrokenImage> broken;
  images.read(begin, end, pixels, broken);
  EXPECT_TRUE(broken.empty());
  return pixels;
}

/// Image i of a block of images of `area` pixels.
Pixels image(const Pixels& pixels, std::size_t i, std::size_t area) {
  const auto begin = pixels.begin() + static_cast<std::ptrdiff_t>(i * area);
  return {begin, begin + static_cast<std::ptrdiff_t>(area)};
}

double correlation(const Pixels& a, const Pixels& b) {
  const double ab = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  const double aa = std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
  const double bb = std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
  return ab / std::sqrt(aa * bb);
}

/// Half the size, each pixel the mean of four.
Pixels halved(const Pixels& pixels, std::size_t size) {
  const std::size_t half = size / 2;
  Pixels result(half * half);
  for (std::size_t y = 0; y < half; ++y) {
    for (std::size_t x = 0; x < half; ++x) {
      const float* p = pixels.data() + 2 * y * size + 2 * x;
      result[y * half + x] = (p[0] + p[1] + p[size] + p[size + 1]) / 4;
    }
  }
  return result;
}

TEST(Synthetic, TellsWhatItIs) {
  const auto images = synthetic(50);
  EXPECT_EQ(images->count(), 50u);
  EXPECT_EQ(images->channels(), 1u);
  EXPECT_EQ(images->size(), 32u);
  EXPECT_EQ(images->id(0), "0");
  EXPECT_EQ(images->id(49), "49");
  ASSERT_TRUE(images->labels());
  EXPECT_EQ(images->labels()->values.size(), 50u);
  EXPECT_EQ(images->labels()->names, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}));
}

TEST(Synthetic, AnImageDoesNotDependOnTheRangeRead) {
  const auto images = synthetic(40);
  const std::size_t area = 32 * 32;
  const Pixels all = read(*images, 0, 40), middle = read(*images, 13, 29);
  EXPECT_EQ(Pixels(all.begin() + 13 * area, all.begin() + 29 * area), middle);
  for (std::size_t i = 0; i < 40; i += 7) EXPECT_EQ(read(*images, i, i + 1), image(all, i, area)) << i;
  EXPECT_TRUE(read(*images, 5, 5).empty());
}

TEST(Synthetic, ThreadsReadTheSame) {
  const auto images = synthetic(200);
  const Pixels expected = read(*images, 0, 200);
  std::array<Pixels, 4> seen;
  std::vector<std::thread> threads;
  for (Pixels& pixels : seen) threads.emplace_back([&] { pixels = read(*images, 0, 200); });
  for (std::thread& thread : threads) thread.join();
  for (const Pixels& pixels : seen) EXPECT_EQ(pixels, expected);
}

TEST(Synthetic, FewerImagesAreThePrefixOfMore) {
  const auto few = synthetic(100), many = synthetic(1000);
  EXPECT_EQ(read(*few, 0, 100), read(*many, 0, 100));
  EXPECT_TRUE(std::ranges::equal(few->labels()->values, std::span(many->labels()->values).first(100)));
}

TEST(Synthetic, SeedsGiveOtherImages) {
  const auto zero = synthetic(100, with_seed(0)), one = synthetic(100, with_seed(1));
  const Pixels a = read(*zero, 0, 100), b = read(*one, 0, 100);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_NE(image(a, i, 32 * 32), image(b, i, 32 * 32)) << i;
  EXPECT_NE(zero->labels()->values, one->labels()->values);
}

TEST(Synthetic, NoTwoImagesAreAlike) {
  const auto images = synthetic(500);
  const Pixels pixels = read(*images, 0, 500);
  std::vector<Pixels> each;
  for (std::size_t i = 0; i < 500; ++i) each.push_back(image(pixels, i, 32 * 32));
  std::ranges::sort(each);
  EXPECT_EQ(std::ranges::adjacent_find(each), each.end());
}

TEST(Synthetic, ClassesAreAboutEquallyFrequent) {
  const auto images = synthetic(20000);
  std::array<int, 10> sizes{};
  for (const std::int32_t label : images->labels()->values) ++sizes.at(static_cast<std::size_t>(label));
  // 2,000 each, give or take five deviations of sqrt(20000 * 0.1 * 0.9) = 42.
  for (const int size : sizes) EXPECT_NEAR(size, 2000, 210);
}

TEST(Synthetic, AClassLooksMoreLikeItselfThanLikeOthers) {
  const std::size_t area = 32 * 32, count = 4000;
  const auto images = synthetic(count);
  const Pixels pixels = read(*images, 0, count);
  std::array<Pixels, 10> means;
  means.fill(Pixels(area, 0.f));
  for (std::size_t i = 0; i < count; ++i) {
    Pixels& mean = means[static_cast<std::size_t>(images->labels()->values[i])];
    for (std::size_t p = 0; p < area; ++p) mean[p] += pixels[i * area + p];
  }
  std::size_t right = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Pixels own = image(pixels, i, area);
    const auto nearest =
        std::ranges::max_element(means, {}, [&](const Pixels& mean) { return correlation(own, mean); });
    right += nearest - means.begin() == images->labels()->values[i];
  }
  // Seven of ten is far above chance, hence labels and pictures belong together, and far from easy.
  EXPECT_GT(right, count * 6 / 10);
  EXPECT_LT(right, count * 9 / 10);
}

class SyntheticSizes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SyntheticSizes, EveryImageHasInkWithinItsLevels) {
  const std::size_t size = GetParam(), area = size * size, count = 100;
  const auto images = synthetic(count, with_size(size));
  EXPECT_EQ(images->size(), size);
  const Pixels pixels = read(*images, 0, count);
  for (const float level : pixels) ASSERT_TRUE(level >= 0 && level <= 255) << level;
  for (std::size_t i = 0; i < count; ++i) {
    const Pixels one = image(pixels, i, area);
    EXPECT_GT(*std::ranges::max_element(one), 150) << i;
    const double mean = std::accumulate(one.begin(), one.end(), 0.0) / static_cast<double>(area);
    EXPECT_GT(mean, 5) << i;
    EXPECT_LT(mean, 120) << i;
  }
}

TEST_P(SyntheticSizes, TheRimIsAlmostEmpty) {
  const std::size_t size = GetParam(), count = 200;
  const auto images = synthetic(count, with_size(size));
  const Pixels pixels = read(*images, 0, count);
  double rim = 0, all = 0;
  for (std::size_t p = 0; p < pixels.size(); ++p) {
    const std::size_t x = p % size, y = p / size % size;
    const bool at_rim = x == 0 || y == 0 || x == size - 1 || y == size - 1;
    all += pixels[p];
    rim += at_rim ? pixels[p] : 0;
  }
  EXPECT_LT(rim, 0.03 * all);
}

INSTANTIATE_TEST_SUITE_P(Canvas, SyntheticSizes, ::testing::Values(8, 16, 28, 32, 33, 64, 128));

TEST(Synthetic, AnotherSizeIsTheSameDigitAtAnotherResolution) {
  const auto small = synthetic(50, with_size(32)), large = synthetic(50, with_size(64));
  EXPECT_EQ(small->labels()->values, large->labels()->values);
  const Pixels a = read(*small, 0, 50), b = read(*large, 0, 50);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_GT(correlation(image(a, i, 32 * 32), halved(image(b, i, 64 * 64), 64)), 0.97) << i;
}

TEST(Synthetic, ColourIsTheGreyThreeTimes) {
  ImageParams params;
  params.colour = Colour::channels;
  const auto grey = synthetic(20), colour = synthetic(20, params);
  ASSERT_EQ(colour->channels(), 3u);
  const Pixels expected = read(*grey, 0, 20), pixels = read(*colour, 0, 20);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(image(pixels, i, 32 * 32), image(expected, i / 3, 32 * 32)) << i;
}

TEST(Synthetic, MillionsTakeNoMoreMemoryThanTheirLabels) {
  const std::size_t count = 5'000'000;
  const auto in_use = [] {
    const auto info = mallinfo2();  // all zero under a sanitizer, where this test says nothing
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = in_use();
  const auto images = synthetic(count);
  read(*images, count - 10, count);
  EXPECT_LT(in_use() - before, count * sizeof(std::int32_t) + (1u << 20));
}

TEST(Synthetic, RefusesACountOfNothingOrTooMuch) {
  for (const char* input : {"synthetic:0", "synthetic:999999999999"}) {
    try {
      open_images(input, {});
      ADD_FAILURE() << input << " was opened";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    }
  }
}

}  // namespace
}  // namespace pssc
