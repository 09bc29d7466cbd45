#include <pssc/core/error.hpp>
#include <pssc/evaluation.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace pssc {
namespace {

using Counts = std::vector<std::int64_t>;

/// 1 GiB of counts. Only labels that are not classes at all, file numbers for instance, come near it.
constexpr std::size_t most_cells = std::size_t{1} << 27;

std::vector<std::int32_t> distinct(std::span<const std::int32_t> labels) {
  std::vector<std::int32_t> values(labels.begin(), labels.end());
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::size_t rank_of(std::int32_t label, const std::vector<std::int32_t>& values) {
  return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), label) - values.begin());
}

Counts row_sums(const Matrix<std::int64_t>& counts) {
  Counts sums(counts.rows(), 0);
  for (std::size_t a = 0; a < counts.rows(); ++a)
    for (const std::int64_t n : counts.row(a)) sums[a] += n;
  return sums;
}

Counts column_sums(const Matrix<std::int64_t>& counts) {
  Counts sums(counts.cols(), 0);
  for (std::size_t a = 0; a < counts.rows(); ++a)
    for (std::size_t b = 0; b < counts.cols(); ++b) sums[b] += counts(a, b);
  return sums;
}

double accuracy(const Matrix<std::int64_t>& counts, double n) {
  const auto matched = best_assignment(counts);
  std::int64_t right = 0;
  for (std::size_t a = 0; a < counts.rows(); ++a)
    if (matched[a] >= 0) right += counts(a, static_cast<std::size_t>(matched[a]));
  return static_cast<double>(right) / n;
}

double purity(const Matrix<std::int64_t>& counts, double n) {
  std::int64_t right = 0;
  for (std::size_t a = 0; a < counts.rows(); ++a) right += *std::ranges::max_element(counts.row(a));
  return static_cast<double>(right) / n;
}

double entropy(const Counts& sizes, double n) {
  double h = 0;
  for (const std::int64_t size : sizes) {
    const double p = static_cast<double>(size) / n;
    h -= p * std::log(p);
  }
  return h;
}

/// I(A; B) / ((H(A) + H(B)) / 2). Two partitions of one part each say the same thing, though they say nothing: 1.
double nmi(const Matrix<std::int64_t>& counts, const Counts& a_sizes, const Counts& b_sizes, double n) {
  if (counts.rows() == 1 && counts.cols() == 1) return 1;
  if (counts.rows() == 1 || counts.cols() == 1) return 0;
  double information = 0;
  for (std::size_t a = 0; a < counts.rows(); ++a) {
    for (std::size_t b = 0; b < counts.cols(); ++b) {
      if (counts(a, b) == 0) continue;
      const double joint = static_cast<double>(counts(a, b));
      information +=
          joint / n * std::log(n / static_cast<double>(a_sizes[a]) * (joint / static_cast<double>(b_sizes[b])));
    }
  }
  return std::clamp(2 * information / (entropy(a_sizes, n) + entropy(b_sizes, n)), 0.0, 1.0);
}

double pairs(std::int64_t n) {
  return static_cast<double>(n) * static_cast<double>(n - 1) / 2;
}

double pairs_within(std::span<const std::int64_t> sizes) {
  double sum = 0;
  for (const std::int64_t size : sizes) sum += pairs(size);
  return sum;
}

/// (together - expected) / (mean - expected) over pairs of images (Hubert and Arabie 1985). The denominator is 0 only
/// where both partitions are one part, or both are all single images: the same partition, hence 1.
double ari(const Matrix<std::int64_t>& counts, const Counts& a_sizes, const Counts& b_sizes, std::int64_t n) {
  double together = 0;
  for (std::size_t a = 0; a < counts.rows(); ++a) together += pairs_within(counts.row(a));
  const double in_a = pairs_within(a_sizes), in_b = pairs_within(b_sizes);
  if (together == in_a && together == in_b) return 1;
  const double expected = in_a / pairs(n) * in_b;
  return (together - expected) / ((in_a + in_b) / 2 - expected);
}

/// Without the rows and columns that hold nothing.
Matrix<std::int64_t> without_empty(const Matrix<std::int64_t>& counts) {
  const Counts rows = row_sums(counts), columns = column_sums(counts);
  const auto filled = [](const Counts& sums) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (sums[i] > 0) places.push_back(i);
    return places;
  };
  const std::vector<std::size_t> kept_rows = filled(rows), kept_columns = filled(columns);
  Matrix<std::int64_t> kept(kept_rows.size(), kept_columns.size());
  for (std::size_t a = 0; a < kept.rows(); ++a)
    for (std::size_t b = 0; b < kept.cols(); ++b) kept(a, b) = counts(kept_rows[a], kept_columns[b]);
  return kept;
}

}  // namespace

Matrix<std::int64_t> contingency(std::span<const std::int32_t> predicted, std::span<const std::int32_t> truth) {
  if (predicted.size() != truth.size())
    throw input_error("there are " + std::to_string(predicted.size()) + " predicted labels, but " +
                      std::to_string(truth.size()) + " true ones: both must be of the same images");
  if (predicted.empty()) throw input_error("there are no labels to compare: give at least one image's");
  const auto clusters = distinct(predicted), classes = distinct(truth);
  if (clusters.size() > most_cells / classes.size())
    throw input_error("there are " + std::to_string(clusters.size()) + " different predicted labels and " +
                      std::to_string(classes.size()) + " different true ones, too many to compare: are they classes?");
  Matrix<std::int64_t> counts(clusters.size(), classes.size());
  for (std::size_t i = 0; i < truth.size(); ++i) ++counts(rank_of(predicted[i], clusters), rank_of(truth[i], classes));
  return counts;
}

Metrics evaluate(std::span<const std::int32_t> predicted, std::span<const std::int32_t> truth) {
  return evaluate(contingency(predicted, truth));
}

Metrics evaluate(const Matrix<std::int64_t>& given) {
  const Matrix<std::int64_t> counts = without_empty(given);
  const Counts cluster_sizes = row_sums(counts), class_sizes = column_sums(counts);
  std::int64_t total = 0;
  for (const std::int64_t size : class_sizes) total += size;
  const auto n = static_cast<double>(total);
  return {.accuracy = accuracy(counts, n),
          .purity = purity(counts, n),
          .nmi = nmi(counts, cluster_sizes, class_sizes, n),
          .ari = ari(counts, cluster_sizes, class_sizes, total)};
}

}  // namespace pssc
