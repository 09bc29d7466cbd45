#include <pssc/core/error.hpp>
#include <pssc/core/random.hpp>
#include <pssc/evaluation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

namespace pssc {
namespace {

using LabelList = std::vector<std::int32_t>;

constexpr double tolerance = 1e-12;

void expect_same(const Metrics& a, const Metrics& b) {
  EXPECT_NEAR(a.accuracy, b.accuracy, tolerance);
  EXPECT_NEAR(a.purity, b.purity, tolerance);
  EXPECT_NEAR(a.nmi, b.nmi, tolerance);
  EXPECT_NEAR(a.ari, b.ari, tolerance);
}

void expect_perfect(const Metrics& metrics) {
  expect_same(metrics, {.accuracy = 1, .purity = 1, .nmi = 1, .ari = 1});
}

LabelList random_labels(std::size_t count, std::size_t classes, Random& random) {
  LabelList labels(count);
  for (auto& label : labels) label = static_cast<std::int32_t>(random.below(classes));
  return labels;
}

LabelList renamed(const LabelList& labels, const LabelList& names) {
  LabelList result(labels.size());
  std::ranges::transform(labels, result.begin(), [&](std::int32_t label) { return names[std::size_t(label)]; });
  return result;
}

LabelList reordered(const LabelList& labels, const std::vector<std::size_t>& order) {
  LabelList result(labels.size());
  std::ranges::transform(order, result.begin(), [&](std::size_t i) { return labels[i]; });
  return result;
}

TEST(Contingency, CountsInTheOrderOfTheValues) {
  const auto counts = contingency(LabelList{7, -2, 7, 7, 0}, LabelList{5, 5, 9, 9, 5});
  ASSERT_EQ(counts.rows(), 3u);  // -2, 0, 7
  ASSERT_EQ(counts.cols(), 2u);  // 5, 9
  EXPECT_EQ(counts(0, 0), 1);
  EXPECT_EQ(counts(0, 1), 0);
  EXPECT_EQ(counts(1, 0), 1);
  EXPECT_EQ(counts(1, 1), 0);
  EXPECT_EQ(counts(2, 0), 1);
  EXPECT_EQ(counts(2, 1), 2);
}

TEST(Metrics, HandWorkedTwoClustersThreeClasses) {
  const auto metrics = evaluate(LabelList{0, 0, 0, 1, 1, 1}, LabelList{0, 0, 1, 1, 2, 2});
  // Counts: 2 1 0 / 0 1 2. Matched and majority alike: 2 + 2 of 6.
  EXPECT_NEAR(metrics.accuracy, 4.0 / 6, tolerance);
  EXPECT_NEAR(metrics.purity, 4.0 / 6, tolerance);
  // I = 2 (2/6) ln(6 * 2 / (3 * 2)) + 2 (1/6) ln(6 * 1 / (3 * 2)) = (2/3) ln 2; H = ln 2 and ln 3.
  EXPECT_NEAR(metrics.nmi, (2.0 / 3) * std::log(2.0) / (std::log(6.0) / 2), tolerance);
  // Pairs: 1 + 1 together, 3 + 3 in clusters, 1 + 1 + 1 in classes, 15 in all; expected 6 * 3 / 15 = 1.2.
  EXPECT_NEAR(metrics.ari, (2 - 1.2) / (4.5 - 1.2), tolerance);
}

TEST(Metrics, HandWorkedMatchingThatIsNotGreedy) {
  // Counts: 3 2 / 2 0. One-to-one: 2 + 2 of 7 beats 3 + 0. Majorities may share a class: 3 + 2 of 7.
  const auto metrics = evaluate(LabelList{0, 0, 0, 0, 0, 1, 1}, LabelList{0, 0, 0, 1, 1, 0, 0});
  EXPECT_NEAR(metrics.accuracy, 4.0 / 7, tolerance);
  EXPECT_NEAR(metrics.purity, 5.0 / 7, tolerance);
  // Pairs: 3 + 1 + 1 = 5 together, 10 + 1 = 11 in clusters, 10 + 1 = 11 in classes, 21 in all; expected 121 / 21.
  EXPECT_NEAR(metrics.ari, (5 - 121.0 / 21) / (11 - 121.0 / 21), tolerance);
}

TEST(Metrics, HandWorkedSplitClass) {
  const auto metrics = evaluate(LabelList{0, 0, 1, 2}, LabelList{0, 0, 1, 1});
  // Counts: 2 0 / 0 1 / 0 1. One of the two single clusters has no class left: 3 of 4. Each cluster is pure.
  EXPECT_NEAR(metrics.accuracy, 0.75, tolerance);
  EXPECT_NEAR(metrics.purity, 1, tolerance);
  // I = H(classes) = ln 2, H(clusters) = (1/2) ln 2 + 2 (1/4) ln 4 = (3/2) ln 2: 2 / (1 + 3/2).
  EXPECT_NEAR(metrics.nmi, 0.8, tolerance);
  // Pairs: 1 together, 1 in clusters, 2 in classes, 6 in all; expected 1/3: (2/3) / (7/6).
  EXPECT_NEAR(metrics.ari, 4.0 / 7, tolerance);
}

TEST(Metrics, HandWorkedIndependentPartitions) {
  // Counts: 1 1 / 1 1. No information; no pair is together twice, where 2 * 2 / 6 = 2/3 would be by chance:
  // (0 - 2/3) / (2 - 2/3).
  expect_same(evaluate(LabelList{0, 0, 1, 1}, LabelList{0, 1, 0, 1}),
              {.accuracy = 0.5, .purity = 0.5, .nmi = 0, .ari = -0.5});
}

TEST(Metrics, AreOneForTheSamePartition) {
  Random random(1);
  const LabelList truth = random_labels(500, 7, random);
  expect_perfect(evaluate(truth, truth));
  expect_perfect(evaluate(renamed(truth, {3, 0, 6, 1, 5, 2, 4}), truth));
}

TEST(Metrics, NamesAndOrderDoNotMatter) {
  Random random(2);
  const LabelList truth = random_labels(400, 5, random), noise = random_labels(400, 6, random);
  LabelList predicted = truth;
  for (std::size_t i = 0; i < predicted.size(); i += 3) predicted[i] = noise[i];
  const auto expected = evaluate(predicted, truth);

  constexpr auto lowest = std::numeric_limits<std::int32_t>::min(), highest = std::numeric_limits<std::int32_t>::max();
  const LabelList cluster_names{-1, highest, 40, lowest, 0, 999999}, class_names{highest, -7, lowest, 1 << 20, 3};
  expect_same(evaluate(renamed(predicted, cluster_names), renamed(truth, class_names)), expected);

  const auto order = random.choose(truth.size(), truth.size());
  expect_same(evaluate(reordered(predicted, order), reordered(truth, order)), expected);
}

TEST(Metrics, AllButPurityAreSymmetric) {
  Random random(3);
  const LabelList a = random_labels(300, 4, random), b = random_labels(300, 9, random);
  const auto forth = evaluate(a, b), back = evaluate(b, a);
  EXPECT_NEAR(forth.accuracy, back.accuracy, tolerance);
  EXPECT_NEAR(forth.nmi, back.nmi, tolerance);
  EXPECT_NEAR(forth.ari, back.ari, tolerance);
}

TEST(Metrics, OneClusterOnBothSidesIsTheSamePartition) {
  expect_perfect(evaluate(LabelList(10, 4), LabelList(10, -3)));
  expect_perfect(evaluate(LabelList{8}, LabelList{2}));
}

TEST(Metrics, OneClusterAgainstManyTellsNothing) {
  const LabelList one(6, 0), many{0, 0, 0, 1, 1, 2};
  expect_same(evaluate(one, many), {.accuracy = 0.5, .purity = 0.5, .nmi = 0, .ari = 0});
  expect_same(evaluate(many, one), {.accuracy = 0.5, .purity = 1, .nmi = 0, .ari = 0});
}

TEST(Metrics, AllSingletons) {
  LabelList single(8);
  std::iota(single.begin(), single.end(), -4);
  expect_perfect(evaluate(single, LabelList(single.rbegin(), single.rend())));
  expect_same(evaluate(single, LabelList(8, 0)), {.accuracy = 1.0 / 8, .purity = 1, .nmi = 0, .ari = 0});
  // Against two halves: I = ln 2, H = ln 8 and ln 2, so 2 / (3 + 1); no pair is together in a singleton.
  expect_same(evaluate(single, LabelList{0, 0, 0, 0, 1, 1, 1, 1}),
              {.accuracy = 2.0 / 8, .purity = 1, .nmi = 0.5, .ari = 0});
}

TEST(Metrics, HoldForMillionsOfImages) {
  // Pairs of pairs overflow 64 bits here. Every tenth image is wrong, and always between the same two classes.
  const std::size_t n = 4'000'000;
  LabelList truth(n), predicted(n);
  for (std::size_t i = 0; i < n; ++i) truth[i] = static_cast<std::int32_t>(i / (n / 2));
  for (std::size_t i = 0; i < n; ++i) predicted[i] = i % 10 == 0 ? 1 - truth[i] : truth[i];
  const auto metrics = evaluate(predicted, truth);
  EXPECT_NEAR(metrics.accuracy, 0.9, tolerance);
  // For two equal halves the adjusted Rand index tends to (2 * 0.9 - 1)^2.
  EXPECT_NEAR(metrics.ari, 0.64, 1e-6);
}

/// The kind and the message of what `evaluate` throws.
std::pair<ErrorKind, std::string> failure(const LabelList& predicted, const LabelList& truth) {
  try {
    evaluate(predicted, truth);
  } catch (const Error& error) {
    return {error.kind(), error.what()};
  }
  return {};
}

TEST(Metrics, RefuseCountsThatDiffer) {
  const auto [kind, message] = failure(LabelList(3, 0), LabelList(5, 0));
  EXPECT_EQ(kind, ErrorKind::input);
  EXPECT_NE(message.find("3 predicted"), std::string::npos) << message;
  EXPECT_NE(message.find("5 true"), std::string::npos) << message;
  EXPECT_EQ(failure(LabelList(3, 0), {}).first, ErrorKind::input);
}

TEST(Metrics, RefuseEmptyInput) {
  EXPECT_EQ(failure({}, {}).first, ErrorKind::input);
}

TEST(Metrics, RefuseLabelsThatAreNotClasses) {
  LabelList numbers(20000);
  std::iota(numbers.begin(), numbers.end(), 0);
  EXPECT_EQ(failure(numbers, numbers).first, ErrorKind::input);
}

}  // namespace
}  // namespace pssc
