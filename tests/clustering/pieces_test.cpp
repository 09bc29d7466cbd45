#include "support/random_matrix.hpp"

#include <pssc/clustering.hpp>
#include <pssc/evaluation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace pssc {
namespace {

using test::blobs;
using test::remainders;

std::vector<Label> by_pieces(const Context& context, FloatView x, std::size_t clusters, std::size_t representatives) {
  const std::size_t dims = clusters + (clusters + 1) / 2;
  return cut_by_pieces(context,
                       reduce_graph(context,
                                    {.clusters = clusters,
                                     .candidates = std::min(5 * representatives, x.rows()),
                                     .representatives = representatives,
                                     .neighbours = std::min<std::size_t>(5, representatives)},
                                    x, dims),
                       clusters, dims);
}

void expect_labels_below(const std::vector<Label>& labels, std::size_t n, std::size_t clusters) {
  ASSERT_EQ(labels.size(), n);
  for (const Label l : labels) ASSERT_TRUE(l >= 0 && static_cast<std::size_t>(l) < clusters);
}

TEST(Pieces, AreSeveralPerClusterAsFarAsThereAreImages) {
  EXPECT_EQ(pieces_for(10, 500, 10000), 60u);
  EXPECT_EQ(pieces_for(10, 40, 10000), 40u);
  EXPECT_EQ(pieces_for(10, 500, 90), 30u);
  EXPECT_EQ(pieces_for(10, 5, 12), 10u);  // never fewer than clusters
}

TEST(Pieces, GiveTheClustersWhereTheyLieApart) {
  for (const std::size_t n : {300, 9000})  // all images find the centres of the pieces, or some
    EXPECT_EQ(evaluate(by_pieces(Context(2), blobs(n, 6, 4, 15, 1), 4, 100), remainders(n, 4)).accuracy, 1) << n;
}

TEST(Pieces, GiveClustersOfUnlikeSizes) {
  for (const std::size_t small : {400, 100, 50}) {
    FloatMatrix x = test::normal_matrix(1000 + small, 5, 7);
    std::vector<Label> truth(x.rows());
    for (std::size_t i = 1000; i < x.rows(); ++i) x(i, 0) += 12, truth[i] = 1;
    EXPECT_GT(evaluate(by_pieces(Context(2), x, 2, 100), truth).accuracy, 0.999) << small;
  }
}

TEST(Pieces, OfAGraphInMorePartsThanClusters) {
  // Eight parts that nothing ties together, to be five clusters: no part is cut.
  const std::vector<Label> labels = by_pieces(Context(2), blobs(2000, 8, 8, 1000, 3), 5, 200);
  expect_labels_below(labels, 2000, 5);
  EXPECT_EQ(std::set<Label>(labels.begin(), labels.end()).size(), 5u);
  for (std::size_t i = 8; i < labels.size(); ++i) ASSERT_EQ(labels[i], labels[i % 8]) << i;
}

TEST(Pieces, OfIdenticalOrVeryFewImagesAreSound) {
  FloatMatrix same(50, 3);
  std::fill_n(same.data(), same.size(), 2.0F);
  expect_labels_below(by_pieces(Context(1), same, 4, 10), 50, 4);
  expect_labels_below(by_pieces(Context(1), blobs(12, 3, 3, 9, 1), 10, 10), 12, 10);
  expect_labels_below(by_pieces(Context(1), blobs(6, 3, 3, 9, 1), 6, 6), 6, 6);
  expect_labels_below(by_pieces(Context(1), blobs(2, 3, 2, 9, 1), 2, 2), 2, 2);
  expect_labels_below(by_pieces(Context(1), blobs(9, 3, 3, 9, 1), 1, 3), 9, 1);
}

TEST(Pieces, AreTheSameForAnyNumberOfThreads) {
  const FloatMatrix x = test::normal_matrix(3000, 10, 3);  // no structure: any difference would show
  const std::vector<Label> one = by_pieces(Context(1, 5), x, 4, 200);
  for (const unsigned threads : {2, 3}) EXPECT_EQ(by_pieces(Context(threads, 5), x, 4, 200), one);
}

}  // namespace
}  // namespace pssc
