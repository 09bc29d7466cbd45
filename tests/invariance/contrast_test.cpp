// Local contrast: against the plain formula, and by what it must and must not do to images.
#include <pssc/invariance.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace pssc {
namespace {

std::vector<float> noise(const CanvasShape& shape, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<float> image(shape.numbers());
  for (float& value : image) value = static_cast<float>(random() % 256);
  return image;
}

std::vector<float> evened(const CanvasShape& shape, std::vector<float> image) {
  even_contrast(shape, image);
  return image;
}

std::size_t mirrored(std::ptrdiff_t at, std::size_t size) {
  const auto n = static_cast<std::ptrdiff_t>(size);
  at = ((at % (2 * n)) + 2 * n) % (2 * n);
  return static_cast<std::size_t>(at < n ? at : 2 * n - 1 - at);
}

/// The mean around (y, x): pixels count less and less up to twice the reach away, along each axis.
double mean_around(const std::vector<double>& plane, std::size_t size, std::size_t y, std::size_t x) {
  const auto reach = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, (3 * size + 16) / 32));
  double sum = 0, weights = 0;
  for (std::ptrdiff_t i = -2 * reach; i <= 2 * reach; ++i)
    for (std::ptrdiff_t j = -2 * reach; j <= 2 * reach; ++j) {
      const auto weight = static_cast<double>((2 * reach + 1 - std::abs(i)) * (2 * reach + 1 - std::abs(j)));
      sum += weight * plane[mirrored(static_cast<std::ptrdiff_t>(y) + i, size) * size +
                            mirrored(static_cast<std::ptrdiff_t>(x) + j, size)];
      weights += weight;
    }
  return sum / weights;
}

std::vector<double> by_the_formula(const CanvasShape& shape, const std::vector<float>& image) {
  const std::size_t plane = shape.size * shape.size;
  std::vector<double> light(plane), square(plane), result(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) {
    light[i % plane] += double{image[i]} / static_cast<double>(shape.channels);
    square[i % plane] += double{image[i]} * double{image[i]} / static_cast<double>(shape.channels);
  }
  double mean = 0, mean_square = 0;
  for (std::size_t i = 0; i < plane; ++i) {
    mean += light[i] / static_cast<double>(plane);
    mean_square += square[i] / static_cast<double>(plane);
  }
  const double spread = std::sqrt(mean_square - mean * mean);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const std::size_t y = i % plane / shape.size, x = i % shape.size;
    const double m = mean_around(light, shape.size, y, x);
    const double s = std::sqrt(std::max(0.0, mean_around(square, shape.size, y, x) - m * m));
    result[i] = std::clamp(128 + 48 * (double{image[i]} - m) / (s + 0.2 * spread + 1), 0.0, 255.0);
  }
  return result;
}

TEST(Contrast, IsThePlainFormulaOnEveryCanvas) {
  for (const std::size_t size : {1UL, 2UL, 3UL, 8UL, 31UL, 32UL, 64UL})
    for (const std::size_t channels : {1UL, 3UL}) {
      const CanvasShape shape{size, channels};
      const std::vector<float> image = noise(shape), result = evened(shape, image);
      const std::vector<double> expected = by_the_formula(shape, image);
      for (std::size_t i = 0; i < image.size(); ++i)
        ASSERT_NEAR(result[i], expected[i], 0.01) << "size " << size << ", number " << i;
    }
}

TEST(Contrast, OfAnImageWithoutAnyIsGreyAndItsRoundingStaysFaint) {
  const CanvasShape shape{32, 1};
  for (const float level : {0.0F, 7.0F, 255.0F})
    EXPECT_EQ(evened(shape, std::vector<float>(1024, level)), std::vector<float>(1024, 128.0F));
  std::vector<float> rounded(1024, 90.0F);
  for (std::size_t i = 0; i < rounded.size(); i += 7) rounded[i] = 91;
  for (const float value : evened(shape, rounded)) EXPECT_NEAR(value, 128, 48);
}

TEST(Contrast, ForgetsLightThatFallsOffAndHowStrongTheContrastWas) {
  const CanvasShape shape{32, 1};
  const std::vector<float> image = noise(shape);
  std::vector<float> faint = image;
  for (std::size_t i = 0; i < faint.size(); ++i) faint[i] = 20 + 0.2F * image[i] + 4 * static_cast<float>(i / 32);
  const auto difference = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(double{a[i]} - double{b[i]});
    return sum / static_cast<double>(a.size());
  };
  EXPECT_GT(difference(image, faint), 50);
  EXPECT_LT(difference(evened(shape, image), evened(shape, faint)), 12);
}

TEST(Contrast, KeepsHues) {
  // Red, green and blue fields: what is brightest stays so, which it would not if each channel were evened alone.
  const CanvasShape shape{32, 3};
  std::vector<float> image(shape.numbers(), 20.0F);
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < 1024; ++i)
      if (i % 32 * 3 / 32 == c) image[c * 1024 + i] = 120;
  const std::vector<float> result = evened(shape, image);
  for (std::size_t i = 0; i < 1024; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t own = i % 32 * 3 / 32;
      if (c != own) {
        EXPECT_GT(result[own * 1024 + i], result[c * 1024 + i] + 40) << i;
      }
    }
}

TEST(Contrast, ATurnedImageIsTheTurnedResult) {
  const CanvasShape shape{32, 1};
  const auto turned = [](const std::vector<float>& image) {
    std::vector<float> result(image.size());
    for (std::size_t i = 0; i < 1024; ++i) result[i] = image[i % 32 * 32 + (31 - i / 32)];
    return result;
  };
  const std::vector<float> image = noise(shape), one = evened(shape, turned(image)),
                           other = turned(evened(shape, image));
  for (std::size_t i = 0; i < 1024; ++i) ASSERT_NEAR(one[i], other[i], 0.01);
}

}  // namespace
}  // namespace pssc
