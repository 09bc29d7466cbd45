// What does not matter in a set of images, found out from the images alone.
#include "images_of.hpp"
#include "pipeline/image_sample.hpp"
#include "pipeline/symmetry.hpp"

#include <pssc/core/error.hpp>
#include <pssc/pipeline.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace pssc {
namespace {

Parameters tuned(std::size_t clusters) {
  Parameters p = preset("tuned");
  p.clusters = clusters;
  return p;
}

constexpr Adaptive everything{.ignored = true, .size = true, .contrast = true, .colour = true};

/// Of a set that has no other canvas than the usual one.
template <class Set>
Adaptation adapted(std::size_t clusters, std::size_t images, Adaptive adaptive = everything, unsigned threads = 0) {
  return adapt(Context(threads), tuned(clusters), {}, adaptive,
               [&](const ImageParams&) { return std::make_unique<Set>(images); });
}

/// Of upright digits.
Adaptation adapted_digits(std::size_t clusters, std::size_t images, Adaptive adaptive = everything) {
  return adapt(Context(), tuned(clusters), {}, adaptive,
               [&](const ImageParams& params) { return open_images("synthetic:" + std::to_string(images), params); });
}

const Candidate& chosen(const Adaptation& found) {
  return found.candidates.at(found.chosen);
}

/// Images in colour, and which kind each is of.
struct Painted {
  std::vector<std::uint8_t> pixels;  ///< [n, 32, 32, 3]
  std::vector<std::int32_t> truth;

  std::unique_ptr<ImageSet> open(const ImageParams& params) const {
    const std::size_t n = truth.size();
    return images_from_memory({pixels.data(), "|u1", {n, 32, 32, 3}, {3072, 96, 3, 1}}, params);
  }
};

/// Synthetic digits of which half are mirrored.
class Handed : public ImageSet {
 public:
  explicit Handed(std::size_t count) : digits_(open_images("synthetic:" + std::to_string(count), {})) {
    name_ = "handed";
    size_ = digits_->size();
    labels_ = digits_->labels();
  }
  std::size_t count() const override { return digits_->count(); }
  std::size_t channels() const override { return 1; }
  std::string id(std::size_t i) const override { return std::to_string(i); }
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    const std::size_t plane = size() * size();
    digits_->read(begin, end, pixels, broken);
    for (std::size_t i = begin; i < end; ++i)
      if (Random(9, i).uniform(0, 1) < 0.5)
        for (std::size_t y = 0; y < size(); ++y) {
          const auto row = pixels.subspan((i - begin) * plane + y * size(), size());
          std::reverse(row.begin(), row.end());
        }
  }

 private:
  std::unique_ptr<ImageSet> digits_;
};

TEST(Adapt, UprightDigitsAreLeftAsTheyAre) {
  const Adaptation found = adapted_digits(10, 800);
  EXPECT_EQ(found.chosen, 0);
  EXPECT_LT(found.symmetry.mirror, 0.3);
  EXPECT_LT(found.symmetry.quarter_turn, 0.2);
  for (const Candidate& c : found.candidates) EXPECT_FALSE(c.ignored.rotate || c.ignored.flip);
  EXPECT_EQ(options_for(chosen(found)), "");
  EXPECT_EQ(description(chosen(found)), "as they are");
}

TEST(Adapt, TurnedDigitsHaveNoUpright) {
  const Adaptation found = adapted<test::TurnedDigits>(9, 800);
  EXPECT_NEAR(found.symmetry.quarter_turn, 0.5, 0.1);
  EXPECT_TRUE(chosen(found).ignored.rotate);
  const test::TurnedDigits images(800);
  Parameters p = tuned(9);
  const double before = cluster(Context(), p, images).metrics->accuracy;
  ImageParams unchanged;
  use(chosen(found), p, unchanged);
  EXPECT_GT(cluster(Context(), p, images).metrics->accuracy, before + 0.2);
}

TEST(Adapt, AMirrorThatTellsTheKindsApartMatters) {
  const Adaptation one_kind = adapted<Handed>(10, 1000, {.ignored = true});
  const Adaptation two_kinds = adapted<Handed>(20, 1000, {.ignored = true});
  EXPECT_NEAR(one_kind.symmetry.mirror, 0.5, 0.1);
  EXPECT_TRUE(chosen(one_kind).ignored.flip);
  EXPECT_FALSE(chosen(two_kinds).ignored.flip);
}

TEST(Adapt, UnevenLightIsEvenedOut) {
  const Adaptation found = adapted<test::UnevenlyLit>(10, 1000);
  EXPECT_EQ(chosen(found).contrast, Contrast::local);
  EXPECT_NE(options_for(chosen(found)).find("--contrast local"), std::string::npos);
}

/// Discs of any size in red or green, equally bright: in grey they are all alike.
Painted discs(std::size_t count) {
  Painted painted{std::vector<std::uint8_t>(count * 3072), {}};
  for (std::size_t i = 0; i < count; ++i) {
    Random random(3, i);
    const bool red = i % 2 == 0;
    painted.truth.push_back(red);
    const double radius = random.uniform(5, 12), y0 = random.uniform(13, 18), x0 = random.uniform(13, 18);
    for (std::size_t k = 0; k < 1024; ++k) {
      const double y = static_cast<double>(k / 32) - y0, x = static_cast<double>(k % 32) - x0;
      if (y * y + x * x > radius * radius) continue;
      painted.pixels[i * 3072 + 3 * k + (red ? 0 : 1)] = red ? 220 : 112;
    }
  }
  return painted;
}

TEST(Adapt, ColoursThatTellTheKindsApartAreUsed) {
  const Painted images = discs(600);
  const Adaptation found =
      adapt(Context(), tuned(2), {}, everything, [&](const ImageParams& params) { return images.open(params); });
  EXPECT_EQ(chosen(found).colour, Colour::channels);
  EXPECT_EQ(evaluate(chosen(found).labels, images.truth).accuracy, 1);
}

TEST(Adapt, LargerImagesAreTriedLarger) {
  const auto open = [](const ImageParams& params) {
    static std::vector<std::uint8_t> pixels(60 * 80 * 80);
    Random random(4);
    for (std::uint8_t& value : pixels) value = static_cast<std::uint8_t>(random.uniform(0, 255));
    return images_from_memory({pixels.data(), "|u1", {60, 80, 80}, {6400, 80, 1}}, params);
  };
  EXPECT_TRUE(open({})->larger());
  EXPECT_FALSE(open({.size = 80})->larger());
  const auto sizes = [&](Adaptive adaptive, std::size_t size) {
    const Adaptation found = adapt(Context(), tuned(2), {.size = size}, adaptive, open);
    std::vector<std::size_t> all;
    for (const Candidate& c : found.candidates) all.push_back(c.size);
    return all;
  };
  EXPECT_TRUE(std::ranges::count(sizes({.size = true}, 32), 64));
  EXPECT_EQ(sizes({.size = true}, 80), std::vector<std::size_t>{80});
  EXPECT_EQ(sizes({.contrast = true}, 32), (std::vector<std::size_t>{32, 32}));
}

TEST(Adapt, WhatIsNotLeftOpenStays) {
  Parameters p = tuned(9);
  p.contrast = Contrast::local;
  p.ignored = parse_ignored("shift,gain");
  const Adaptation found = adapt(Context(), p, {}, {.ignored = true},
                                 [](const ImageParams&) { return std::make_unique<test::TurnedDigits>(400); });
  for (const Candidate& c : found.candidates) {
    EXPECT_EQ(c.contrast, Contrast::local);
    EXPECT_EQ(c.ignored.changes, p.ignored.changes);
  }
  EXPECT_EQ(options_for(chosen(found)), "--ignore shift,gain,rotate --contrast local");
}

TEST(Adapt, DoesNotDependOnThreads) {
  const Adaptation one = adapted<test::TurnedDigits>(9, 300, everything, 1),
                   three = adapted<test::TurnedDigits>(9, 300, everything, 3);
  ASSERT_EQ(one.candidates.size(), three.candidates.size());
  EXPECT_EQ(one.chosen, three.chosen);
  for (std::size_t c = 0; c < one.candidates.size(); ++c) {
    EXPECT_EQ(one.candidates[c].labels, three.candidates[c].labels);
    EXPECT_EQ(one.candidates[c].stability, three.candidates[c].stability);
  }
}

TEST(Adapt, TheNumberOfClustersMayBeLeftOpenToo) {
  const Adaptation found = adapted_digits(Parameters::automatic, 600, {.contrast = true});
  EXPECT_EQ(found.candidates.size(), 2);
  EXPECT_EQ(found.clusters, 10);
}

TEST(Adapt, TooFewImagesAreTakenAsTheyAre) {
  const Adaptation found = adapted_digits(10, 20);
  EXPECT_EQ(found.candidates.size(), 1);
  EXPECT_EQ(found.chosen, 0);
}

TEST(Adapt, ImagesThatAreAllTheSameAreRefusedInOneLine) {
  const std::vector<std::uint8_t> pixels(50 * 1024, 7);
  EXPECT_THROW(adapt(Context(), tuned(2), {}, everything,
                     [&](const ImageParams& params) {
                       return images_from_memory({pixels.data(), "|u1", {50, 32, 32}, {1024, 32, 1}}, params);
                     }),
               Error);
}

TEST(Adapt, OnlyTheDefaultMethodAdapts) {
  const auto open = [](const ImageParams& params) { return open_images("synthetic:50", params); };
  EXPECT_THROW(adapt(Context(), preset("paper"), {}, everything, open), Error);
  Parameters pixels = tuned(2);
  pixels.features = Features::pixels;
  EXPECT_THROW(adapt(Context(), pixels, {}, everything, open), Error);
}

TEST(Suggestion, IsMadeWhereTurnedImagesAreAtHome) {
  const test::TurnedDigits turned(600);
  pssc::Run run = cluster(Context(), tuned(9), turned);
  Ignored all_poses = parse_ignored("+rotate,+flip");
  ASSERT_TRUE(run.symmetry);
  EXPECT_NEAR(run.symmetry->quarter_turn, 0.5, 0.12);
  ASSERT_TRUE(suggestion(run));
  EXPECT_NE(suggestion(run)->find("at home when turned"), std::string::npos) << *suggestion(run);
  std::swap(run.parameters.ignored, all_poses);
  EXPECT_FALSE(suggestion(run));
  std::swap(run.parameters.ignored, all_poses);
  run.adaptation.emplace();
  EXPECT_FALSE(suggestion(run));
}

TEST(Suggestion, IsNotMadeOfUprightImagesOrAnotherMethod) {
  const auto digits = open_images("synthetic:600", {});
  const auto run = cluster(Context(), tuned(10), *digits);
  ASSERT_TRUE(run.symmetry);
  EXPECT_LT(run.symmetry->mirror, 0.35);
  EXPECT_FALSE(suggestion(run));
  Parameters paper = preset("paper");
  paper.clusters = 10;
  EXPECT_FALSE(cluster(Context(), paper, *digits).symmetry);
}

TEST(ShareMoved, IsThatOfClustersWhoseImagesGoToAnother) {
  const std::vector<Label> labels{0, 0, 0, 1, 1, 2};
  EXPECT_EQ(share_moved(labels, std::vector<std::int32_t>{1, 0, 1, 4, 3, 5}, 3), 0);
  EXPECT_EQ(share_moved(labels, std::vector<std::int32_t>{1, 0, 3, 0, 1, 5}, 3), 2.0 / 6);  // 1 goes to 0
  EXPECT_EQ(share_moved(labels, std::vector<std::int32_t>{3, 4, 3, 0, 1, 5}, 3), 5.0 / 6);  // 0 and 1 change places
}

/// Every third image is broken.
class Damaged : public Handed {
 public:
  using Handed::Handed;
  void read(std::size_t begin, std::size_t end, std::span<float> pixels,
            std::vector<BrokenImage>& broken) const override {
    Handed::read(begin, end, pixels, broken);
    for (std::size_t i = begin; i < end; ++i)
      if (i % 3 == 0) broken.push_back({i, id(i), "damaged"});
  }
};

TEST(ImageSample, HoldsThoseThatCanBeRead) {
  const Damaged images(10);
  const ImageSample sample(Context(), images, std::vector<std::size_t>{2, 3, 4, 9});
  EXPECT_EQ(sample.numbers(), (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(sample.labels()->values[1], images.labels()->values[4]);
  std::vector<float> one(1024), other(1024);
  std::vector<BrokenImage> broken;
  sample.read(1, 2, one, broken);
  images.read(4, 5, other, broken);
  EXPECT_EQ(one, other);
  EXPECT_EQ(sample.id(1), "4");
  EXPECT_TRUE(broken.empty());
}

TEST(ImageSample, NoneOfThemMayBeReadable) {
  const ImageSample sample(Context(), Damaged(10), std::vector<std::size_t>{3, 6});
  EXPECT_EQ(sample.count(), 0);
}

}  // namespace
}  // namespace pssc
