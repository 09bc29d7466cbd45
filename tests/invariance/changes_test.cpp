// Small changes by what they must do to images that are easy to reckon with.
#include <pssc/invariance.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pssc {
namespace {

constexpr Change all_kinds[] = {Change::shift,     Change::tilt, Change::scale,  Change::stretch,   Change::shear,
                                Change::thickness, Change::gain, Change::colour, Change::background};

/// A soft round spot off the middle, in each channel.
std::vector<float> spot(const CanvasShape& shape, double row, double col, double spread = 8) {
  std::vector<float> image(shape.numbers());
  for (std::size_t k = 0; k < image.size(); ++k) {
    const double y = static_cast<double>(k / shape.size % shape.size) - row,
                 x = static_cast<double>(k % shape.size) - col;
    image[k] = static_cast<float>(200 * std::exp(-(y * y + x * x) / spread));
  }
  return image;
}

std::vector<float> changed(Change change, std::size_t variant, const CanvasShape& shape,
                           const std::vector<float>& image) {
  std::vector<float> result(image.size(), -1);
  apply_change(change, variant, shape, image, result);
  return result;
}

double total(const std::vector<float>& image) {
  return std::accumulate(image.begin(), image.end(), 0.0);
}

TEST(Changes, AreSmallAndFiniteOnEveryCanvas) {
  for (const std::size_t size : {1UL, 2UL, 3UL, 8UL, 31UL, 32UL, 64UL})
    for (const std::size_t channels : {1UL, 3UL}) {
      const CanvasShape shape{size, channels};
      const auto side = static_cast<double>(size);
      const std::vector<float> image = spot(shape, side / 2, side / 3, std::max(1.0, side * side / 32));
      for (const Change change : all_kinds)
        for (std::size_t v = 0; v < variants(change); ++v) {
          const std::vector<float> result = changed(change, v, shape, image);
          double difference = 0;
          for (std::size_t i = 0; i < image.size(); ++i) {
            ASSERT_TRUE(std::isfinite(result[i]) && result[i] >= 0) << name_of(change);
            difference += std::abs(result[i] - image[i]);
          }
          if (change != Change::background && size >= 8) {
            EXPECT_LT(difference, 0.6 * total(image)) << name_of(change) << " at " << size;
          }
        }
    }
}

TEST(Changes, AConstantImageStaysConstant) {
  const CanvasShape shape{16, 1};
  const std::vector<float> flat(shape.numbers(), 50);
  for (const Change change : all_kinds)
    for (std::size_t v = 0; v < variants(change); ++v) {
      const std::vector<float> result = changed(change, v, shape, flat);
      const auto [least, most] = std::ranges::minmax_element(result);
      EXPECT_NEAR(*least, *most, 1e-4) << name_of(change);
    }
}

TEST(Changes, AShiftMovesByAThirtySecondOfTheCanvas) {
  for (const std::size_t size : {32UL, 64UL}) {
    const CanvasShape shape{size, 1};
    const double step = static_cast<double>(size) / 32, middle = static_cast<double>(size) / 2;
    const std::vector<float> result = changed(Change::shift, 0, shape, spot(shape, middle, middle));
    const std::vector<float> expected = spot(shape, middle - step, middle);
    for (std::size_t i = 0; i < result.size(); ++i) ASSERT_NEAR(result[i], expected[i], 1e-2);
  }
}

TEST(Changes, OppositeOnesUndoEachOther) {
  const CanvasShape shape{32, 1};
  const std::vector<float> image = spot(shape, 18, 12);
  for (const Change change : {Change::shift, Change::tilt, Change::scale, Change::stretch, Change::shear}) {
    const std::vector<float> back = changed(change, 1, shape, changed(change, 0, shape, image));
    for (std::size_t i = 0; i < image.size(); ++i) ASSERT_NEAR(back[i], image[i], 25) << name_of(change);
  }
}

TEST(Changes, ThicknessGrowsAndShrinks) {
  const CanvasShape shape{32, 1};
  const std::vector<float> image = spot(shape, 16, 16);
  EXPECT_GT(total(changed(Change::thickness, 0, shape, image)), 1.1 * total(image));
  EXPECT_LT(total(changed(Change::thickness, 1, shape, image)), 0.9 * total(image));
}

TEST(Changes, ColourLeavesGreyImagesAlone) {
  const CanvasShape grey{16, 1}, colour{16, 3};
  const std::vector<float> image = spot(grey, 8, 8);
  EXPECT_EQ(changed(Change::colour, 3, grey, image), image);
  const std::vector<float> before = spot(colour, 8, 8), after = changed(Change::colour, 3, colour, before);
  EXPECT_FLOAT_EQ(after[256 + 8 * 16 + 8], 1.2F * before[256 + 8 * 16 + 8]);
  EXPECT_EQ(after[8 * 16 + 8], before[8 * 16 + 8]);
}

TEST(Poses, TurnRoundTheMiddleAndMirror) {
  const Ignored ignored{{}, true, true};
  ASSERT_EQ(poses(ignored), 16u);
  EXPECT_EQ(poses({}), 1u);
  const CanvasShape shape{33, 1};
  const std::vector<float> image = spot(shape, 10, 16);
  std::vector<float> turned(image.size());
  apply_pose(ignored, 0, shape, image, turned);
  for (std::size_t i = 0; i < image.size(); ++i) ASSERT_NEAR(turned[i], image[i], 1e-3);
  apply_pose(ignored, 2, shape, image, turned);  // a quarter turn
  const std::vector<float> sideways = spot(shape, 16, 10), other = spot(shape, 16, 22);
  double one = 0, two = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    one = std::max(one, std::abs(double{turned[i]} - double{sideways[i]}));
    two = std::max(two, std::abs(double{turned[i]} - double{other[i]}));
  }
  EXPECT_LT(std::min(one, two), 0.1);
  apply_pose(ignored, 8, shape, spot(shape, 10, 12), turned);
  const std::vector<float> mirrored = spot(shape, 10, 20);
  for (std::size_t i = 0; i < image.size(); ++i) ASSERT_NEAR(turned[i], mirrored[i], 1e-2);
}

TEST(Enlarging, FillsTheCanvasFromItsMiddle) {
  const CanvasShape shape{32, 1};
  std::vector<float> image(shape.numbers()), enlarged(shape.numbers());
  for (std::size_t y = 12; y < 20; ++y)
    for (std::size_t x = 12; x < 20; ++x) image[y * 32 + x] = 100;
  enlarge_middle(3, shape, image, enlarged);
  EXPECT_NEAR(total(enlarged), 9 * total(image), 0.05 * 9 * total(image));
  EXPECT_EQ(enlarged[0], 0);
  EXPECT_EQ(enlarged[16 * 32 + 6], 100);
}

}  // namespace
}  // namespace pssc
