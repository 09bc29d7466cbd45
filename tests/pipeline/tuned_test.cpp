// The self-tuned method on real images, on awkward sets, and on input that leaves it little to work with.
#include "images_of.hpp"
#include "pipeline/cluster_count.hpp"

#include <pssc/core/error.hpp>
#include <pssc/pipeline.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace pssc {
namespace {

using test::Subset;

Parameters tuned(std::size_t clusters) {
  Parameters parameters = preset("tuned");
  parameters.clusters = clusters;
  return parameters;
}

void expect_sound(const Run& run) {
  ASSERT_EQ(run.clustering.labels.size(), run.count);
  for (std::size_t i = 0; i < run.count; ++i) {
    ASSERT_TRUE(run.clustering.labels[i] >= 0 &&
                static_cast<std::size_t>(run.clustering.labels[i]) < run.clustering.clusters);
    ASSERT_TRUE(run.clustering.confidence[i] >= 0 && run.clustering.confidence[i] <= 1);
  }
  for (const double v : run.clustering.eigenvalues) ASSERT_TRUE(std::isfinite(v));
}

TEST(Tuned, MnistTestIsPastEveryDeepMethodOfThePaper) {
  const auto images = test::open_if_there("mnist-test");
  if (!images) GTEST_SKIP() << "skipped: no mnist";
  const auto run = cluster(Context(), tuned(10), *images);
  EXPECT_GE(run.metrics->accuracy, 0.990);
  EXPECT_GE(run.metrics->nmi, 0.971);

  // Confidence: half of the errors are among the 5 % least sure, and the sure ones are right.
  std::vector<std::size_t> order(run.count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return run.clustering.confidence[i]; });
  const Matrix<std::int64_t> table = contingency(run.clustering.labels, run.truth->values);
  const auto match = best_assignment(table);
  const auto wrong = [&](std::size_t i) {
    return match[static_cast<std::size_t>(run.clustering.labels[i])] != run.truth->values[i];
  };
  const auto errors = std::ranges::count_if(order, wrong);
  EXPECT_GE(2 * std::count_if(order.begin(), order.begin() + 500, wrong), errors);
  std::size_t sure = 0, sure_wrong = 0;
  for (std::size_t i = 0; i < run.count; ++i)
    if (run.clustering.confidence[i] > 0.99F) {
      ++sure;
      sure_wrong += wrong(i);
    }
  EXPECT_GT(sure, 8000);
  EXPECT_LE(static_cast<double>(sure_wrong), 0.005 * static_cast<double>(sure));

  // Why: how far each kind of change moves an image.
  ASSERT_EQ(run.moves.size(), 7);
  for (const Move& move : run.moves) EXPECT_TRUE(move.size > 0.05 && move.size < 2) << name_of(move.change);
  // And how well each cluster comes back.
  ASSERT_EQ(run.clustering.stability.size(), 10);
  for (const double s : run.clustering.stability) EXPECT_GT(s, 0.8);
}

TEST(Tuned, UspsAndTheNumberOfItsClusters) {
  const auto images = test::open_if_there("usps");
  if (!images) GTEST_SKIP() << "skipped: no usps";
  const auto run = cluster(Context(), tuned(Parameters::automatic), *images);
  EXPECT_NEAR(static_cast<double>(run.clustering.clusters), 10, 1);
  ASSERT_TRUE(run.verdict && run.tree);
  EXPECT_EQ(run.verdict->counts.front().clusters, run.clustering.clusters);
  EXPECT_EQ(run.tree->joins.size() + 1, run.tree->pieces.size());
  EXPECT_GE(run.metrics->accuracy, 0.986);
  EXPECT_GE(run.metrics->nmi, 0.963);
}

TEST(Tuned, SyntheticDigitsAndTheirNumber) {
  const auto images = open_images("synthetic:3000", {});
  const auto run = cluster(Context(), tuned(Parameters::automatic), *images);
  EXPECT_EQ(run.clustering.clusters, 10);
  const auto given = cluster(Context(), tuned(10), *images);
  EXPECT_GT(given.metrics->accuracy, 0.99);
  EXPECT_EQ(run.clustering.labels, given.clustering.labels);
}

TEST(Tuned, ANumberThatNeedsLargerGraphsIsClusteredAsWhereItIsGiven) {
  const auto images = open_images("synthetic:600", {.size = 16});
  Parameters parameters = tuned(Parameters::automatic);
  parameters.k_least = 20;
  parameters.k_most = 40;
  const auto run = cluster(Context(), parameters, *images);
  EXPECT_GT(run.verdict->counts.front().clusters, 16);  // which the first graphs are made for
  parameters.clusters = run.verdict->counts.front().clusters;
  EXPECT_EQ(run.clustering.labels, cluster(Context(), parameters, *images).clustering.labels);
}

TEST(Tuned, RefinementsBuildOnEachOther) {
  const auto images = open_images("synthetic:2000", {.size = 16});
  for (const Refinement refine : {Refinement::none, Refinement::consensus, Refinement::ridge}) {
    Parameters parameters = tuned(10);
    parameters.refine = refine;
    EXPECT_GT(cluster(Context(), parameters, *images).metrics->accuracy, 0.9);
  }
}

TEST(Tuned, FewImages) {
  for (const char* input : {"synthetic:300", "synthetic:100"}) {
    const auto run = cluster(Context(), tuned(10), *open_images(input, {}));
    expect_sound(run);
    EXPECT_GT(run.metrics->accuracy, 0.6) << input;
  }
}

TEST(Tuned, TwoClassesAndUnbalancedOnes) {
  const auto all = open_images("synthetic:8000", {});
  const Subset two(*all, {{0, 500}, {1, 500}});
  EXPECT_GT(cluster(Context(), tuned(2), two).metrics->accuracy, 0.98);
  const Subset unbalanced(*all, {{0, 700}, {6, 700}, {8, 14}});  // 50 to 1
  const auto run = cluster(Context(), tuned(3), unbalanced);
  expect_sound(run);
  EXPECT_GT(run.metrics->purity, 0.97);
}

void expect_digits_told_apart(std::size_t canvas, double accuracy) {
  const auto run = cluster(Context(), tuned(10), *open_images("synthetic:400", {.size = canvas}));
  expect_sound(run);
  EXPECT_GT(run.metrics->accuracy, accuracy) << canvas;
}

TEST(Tuned, SmallAndLargeCanvases) {
  expect_digits_told_apart(8, 0.5);
  for (const std::size_t size : {16, 64}) expect_digits_told_apart(size, 0.6);
}

TEST(Tuned, AVeryLargeCanvas) {
  expect_digits_told_apart(128, 0.6);
}

TEST(Tuned, ManyClusters) {
  const auto run = cluster(Context(), tuned(100), *open_images("synthetic:1200", {.size = 16}));
  expect_sound(run);
  EXPECT_GT(run.metrics->purity, 0.9);
}

TEST(Tuned, MoreClustersThanDifferentImagesIsSaid) {
  const auto all = open_images("synthetic:3", {});
  const Subset repeated(*all, std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1});
  const auto run = cluster(Context(), tuned(6), repeated);
  expect_sound(run);
  EXPECT_LE(run.clustering.clusters, 3);
  ASSERT_FALSE(run.clustering.notes.empty());
  EXPECT_NE(run.clustering.notes.back().find("of 6 clusters hold images"), std::string::npos);
}

TEST(Tuned, AsManyClustersAsImagesAndTheSmallestSets) {
  expect_sound(cluster(Context(), tuned(10), *open_images("synthetic:10", {})));
  expect_sound(cluster(Context(), tuned(2), *open_images("synthetic:2", {})));
  expect_sound(cluster(Context(), tuned(2), *open_images("synthetic:5", {})));
  expect_sound(cluster(Context(), tuned(Parameters::automatic), *open_images("synthetic:4", {})));
}

TEST(Tuned, SameSeedSameLabelsForAnyThreads) {
  const auto images = open_images("synthetic:1500", {.size = 16});
  const Clustering one = cluster(Context(1, 3), tuned(10), *images).clustering;
  for (const unsigned threads : {2, 3}) {
    const Clustering other = cluster(Context(threads, 3), tuned(10), *images).clustering;
    EXPECT_EQ(one.labels, other.labels);
    EXPECT_EQ(one.confidence, other.confidence);
    EXPECT_EQ(one.outliers, other.outliers);
  }
}

TEST(Tuned, ChangesThatMoveNothingAreLeftOut) {
  const auto images = open_images("synthetic:300", {.size = 16});
  for (const char* list : {"colour", "none", "shift,colour"}) {  // the images are grey
    Parameters parameters = tuned(10);
    parameters.ignored = parse_ignored(list);
    const auto run = cluster(Context(), parameters, *images);
    expect_sound(run);
    for (const Move& move : run.moves) EXPECT_EQ(move.size > 0, move.change != Change::colour);
  }
}

TEST(Tuned, ImagesOfEightPixelsAreEnlarged) {
  const auto images = open_images("synthetic:400", {.size = 8});
  std::vector<float> pixels(400 * 64);
  std::vector<BrokenImage> broken;
  images->read(0, 400, pixels, broken);
  const ArrayView small{pixels.data(), "<f4", {400, 8, 8}, {256, 32, 4}};
  const auto run = cluster(Context(), tuned(10), *images_from_memory(small, {.size = 32}));
  EXPECT_EQ(run.parameters.zoom, 3);
  expect_sound(run);
  EXPECT_EQ(cluster(Context(), tuned(10), *open_images("synthetic:100", {})).parameters.zoom, 1);
}

TEST(Tuned, FeaturesAveragedOverPosesForgetThem) {
  // Digits turned by any angle: with the poses ignored they are found again, without they are not.
  const test::TurnedDigits images(1500);
  Parameters plain = tuned(9), turned = plain;
  turned.ignored = parse_ignored("+rotate");
  const double with = cluster(Context(), turned, images).metrics->accuracy;
  EXPECT_GT(with, 0.8);
  EXPECT_GT(with, cluster(Context(), plain, images).metrics->accuracy + 0.15);
}

TEST(Tuned, ATreeAlsoWhereTheNumberIsGiven) {
  Parameters parameters = tuned(10);
  parameters.tree = true;
  const auto run = cluster(Context(), parameters, *open_images("synthetic:1000", {.size = 16}));
  ASSERT_TRUE(run.tree);
  EXPECT_FALSE(run.verdict);
  std::size_t images = 0;
  for (const auto& piece : run.tree->pieces) images += piece.size;
  EXPECT_EQ(images, 1000);
  for (std::size_t t = 1; t < run.tree->joins.size(); ++t)
    EXPECT_LE(run.tree->joins[t].tie, run.tree->joins[t - 1].tie);
}

TEST(Tuned, OneCloudHasNoClearNumber) {
  // One digit in all its variants is no ten things.
  const auto all = open_images("synthetic:6000", {.size = 16});
  const Subset one(*all, std::map<std::int32_t, std::size_t>{{3, 500}});
  const auto run = cluster(Context(), tuned(Parameters::automatic), one);
  ASSERT_TRUE(run.verdict);
  EXPECT_FALSE(run.verdict->clear);
  EXPECT_EQ(run.verdict->unrestricted, 1);
  EXPECT_EQ(run.clustering.clusters, 2);  // and not what a hundredth of the evidence speaks for
  EXPECT_EQ(std::ranges::count(run.clustering.notes, "nothing clearly parts these images; 2 is used"), 1);
  expect_sound(run);
}

TEST(Tuned, TheEndOfTheRangeIsSaid) {
  const auto images = open_images("synthetic:1000", {.size = 16});
  for (const auto& [least, most, words] :
       {std::tuple(2, 5, "more than 5: raise --k-range"), std::tuple(14, 20, "fewer than 14: lower --k-range")}) {
    Parameters parameters = tuned(Parameters::automatic);
    parameters.k_least = least, parameters.k_most = most;
    const auto run = cluster(Context(), parameters, *images);
    EXPECT_EQ(run.clustering.clusters, least == 2 ? 5 : 14);
    EXPECT_EQ(run.verdict->unrestricted, 10);
    EXPECT_FALSE(run.verdict->clear);
    EXPECT_TRUE(std::ranges::any_of(run.clustering.notes, [&](const std::string& note) {
      return note.starts_with("no clear number of clusters") && note.ends_with(words);
    })) << testing::PrintToString(run.clustering.notes);
  }
}

TEST(CountVerdict, SaysEquallyOnlyOfWhatIs) {
  const Parameters p;
  const auto words = [&](std::size_t unrestricted, std::vector<ClusterCount> counts) {
    return words_of({.unrestricted = unrestricted, .counts = std::move(counts)}, p);
  };
  EXPECT_EQ(words(10, {{10, 0.41}, {12, 0.33}, {14, 0.21}}),
            "no clear number of clusters: 10, 12 or 14 fit about equally; 10 is used");
  EXPECT_EQ(words(8, {{8, 0.04}, {4, 0.2}}), "no clear number of clusters: 8 (4 %) or 4 (20 %); 8 is used");
  EXPECT_EQ(words(1, {{11, 0.5}}), "nothing clearly parts these images; 11 is used");
  EXPECT_EQ(words(34, {{30, 0.9}}),
            "no clear number of clusters; 30 is used; there may be more than 30: raise --k-range");
}

TEST(Tuned, StraysAmongDigitsAreFlagged) {
  for (const std::size_t digits : {1500, 4000}) {
    const test::DigitsAndStrays images(digits, 6);
    const auto run = cluster(Context(), tuned(10), images);
    std::size_t found = 0, falsely = 0;
    for (std::size_t i = 0; i < run.count; ++i) (images.is_stray(i) ? found : falsely) += run.clustering.outliers[i];
    EXPECT_GE(found, 4) << "of 6 among " << digits;
    EXPECT_LE(falsely, digits / 100);
  }
}

}  // namespace
}  // namespace pssc
