#include "geometry/selection.hpp"
#include "pipeline/images_of.hpp"
#include "support/random_matrix.hpp"

#include <pssc/core/error.hpp>
#include <pssc/geometry.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace pssc {
namespace {

Parameters pixels() {
  Parameters p = preset("paper");
  p.features = Features::pixels;
  return p;
}

std::vector<std::size_t> members(const ImageSet& images, std::int32_t label) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < images.count(); ++i)
    if (images.labels()->values[i] == label) rows.push_back(i);
  return rows;
}

/// Images of 4 x 4 pixels that vary in the named pixels alone, all of a class alike but for a random factor.
class Flickering : public ImageSet {
 public:
  Flickering(std::size_t count, std::vector<std::size_t> lit, std::size_t broken = 0)
      : count_(count), lit_(std::move(lit)), broken_(broken) {
    size_ = 4;
    name_ = "flickering";
  }
  std::size_t count() const override { return count_; }
  std::size_t channels() const override { return 1; }
  std::string id(std::size_t i) const override { return std::to_string(i); }
  void read(std::size_t begin, std::size_t end, std::span<float> out, std::vector<BrokenImage>& broken) const override {
    std::ranges::fill(out, 0.0F);
    for (std::size_t i = begin; i < end; ++i) {
      if (broken_ > 0 && i % broken_ == 0) {
        broken.push_back({i, id(i), "broken"});
        continue;
      }
      const auto level = static_cast<float>(Random(1, i).uniform(50, 200));
      for (const std::size_t pixel : lit_) out[(i - begin) * 16 + pixel] = level;
    }
  }

 private:
  std::size_t count_;
  std::vector<std::size_t> lit_;
  std::size_t broken_;
};

std::vector<std::size_t> all(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

TEST(ClassSubspace, IsTheDirectionTheImagesVaryIn) {
  const Flickering images(300, {1, 6, 9});
  const ClassSubspace s = class_subspace(Context(2), pixels(), images, all(300), 1);
  EXPECT_EQ(s.images, 300);
  for (std::size_t j = 0; j < 16; ++j) {
    const bool lit = j == 1 || j == 6 || j == 9;
    EXPECT_NEAR(std::abs(s.directions(0, j)), lit ? 1 / std::sqrt(3.0) : 0, 1e-5) << j;
  }
  EXPECT_NEAR(s.shares[0], 1, 1e-5);
}

TEST(ClassSubspace, PassesOverBrokenImages) {
  const Flickering sound(300, {2, 3}), some_broken(300, {2, 3}, 7);
  const auto a = class_subspace(Context(2), pixels(), sound, all(300), 1),
             b = class_subspace(Context(2), pixels(), some_broken, all(300), 1);
  EXPECT_NEAR(angles_between(a, b).principal[0], 0, 0.05);
}

TEST(ClassSubspace, AnglesAreThoseBetweenTheDirections) {
  // (1,1,0)/sqrt 2 and (0,1,1)/sqrt 2 enclose 60 degrees; with a pixel in common and one each.
  const Flickering left(300, {0, 1}), right(300, {1, 2}), apart(300, {10, 11});
  const auto a = class_subspace(Context(2), pixels(), left, all(300), 1),
             b = class_subspace(Context(2), pixels(), right, all(300), 1),
             c = class_subspace(Context(2), pixels(), apart, all(300), 1);
  EXPECT_NEAR(angles_between(a, b).principal[0], 60, 0.01);
  EXPECT_NEAR(angles_between(a, b).greedy[0], 60, 0.01);
  EXPECT_NEAR(angles_between(a, b).affinity, 0.5, 1e-4);
  EXPECT_NEAR(angles_between(a, c).principal[0], 90, 0.01);
}

TEST(ClassSubspace, RefusesWhatSpansNothing) {
  const Flickering images(10, {1});
  const std::vector<std::size_t> one{3};
  EXPECT_THROW(class_subspace(Context(1), pixels(), images, one, 5), Error);
  const Flickering dark(10, {});
  EXPECT_THROW(class_subspace(Context(1), pixels(), dark, all(10), 5), Error);
}

TEST(ClassSubspace, OfLittleMemoryIsThatOfASample) {
  const auto images = open_images("synthetic:4000", {});
  Context small(2);
  small.memory = 1 << 20;
  const auto rows = all(4000);
  const auto sampled = class_subspace(small, pixels(), *images, rows, 1),
             whole = class_subspace(Context(2), pixels(), *images, rows, 1);
  EXPECT_EQ(sampled.images, 4000);
  EXPECT_LT(angles_between(sampled, whole).principal[0], 40);
  EXPECT_GT(angles_between(sampled, whole).principal[0], 0.05);
}

TEST(FeatureSpectrum, SumsToOneAndFalls) {
  const auto images = open_images("synthetic:600", {});
  Parameters p = preset("paper");
  p.scales = 2;
  p.order = 1;
  const std::vector<double> shares = feature_spectrum(Context(2), p, *images);
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-3);
  EXPECT_TRUE(std::ranges::is_sorted(shares, std::greater{}));
}

/// The paper's table, and the principal angles as NumPy's SVD gives them.
TEST(PapersAngles, OfZerosAndTwos) {
  const auto images = test::open_if_there("mnist-test");
  if (!images) GTEST_SKIP() << "skipped: no mnist";
  const Context context;
  const auto angles = [&](const Parameters& p) {
    return angles_between(class_subspace(context, p, *images, members(*images, 0), 10),
                          class_subspace(context, p, *images, members(*images, 2), 10));
  };
  const SubspaceAngles image = angles(pixels()), scattering = angles(preset("paper"));
  const std::vector<double> image_paper{63.0, 63.8, 65.5, 68.7, 69.5}, scattering_paper{36.2, 36.9, 44.2, 60.9, 66.5},
      image_true{25.36, 33.78, 37.64, 46.46, 50.13}, scattering_true{13.52, 16.48, 22.33, 31.80, 38.32};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(image.greedy[i], image_paper[i], 0.2);
    EXPECT_NEAR(scattering.greedy[i], scattering_paper[i], 0.2);
    EXPECT_NEAR(image.principal[i], image_true[i], 0.02);
    EXPECT_NEAR(scattering.principal[i], scattering_true[i], 0.02);
  }
}

}  // namespace
}  // namespace pssc
