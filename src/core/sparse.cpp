#include <pssc/core/linalg.hpp>

#include <algorithm>
#include <numeric>

namespace pssc {

SparseSymmetric::SparseSymmetric(std::size_t n, std::vector<Entry> entries) : begins_(n + 1) {
  // By rows first, keeping the order within each; then each row by columns.
  std::vector<std::size_t> ends(n + 1);
  for (const Entry& e : entries) ++ends[static_cast<std::size_t>(e.row) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  const std::vector<std::size_t> starts = ends;
  std::vector<Entry> by_row(entries.size());
  for (const Entry& e : entries) by_row[ends[static_cast<std::size_t>(e.row)]++] = e;
  entries = {};
  for (std::size_t i = 0; i < n; ++i) {
    const auto first = by_row.begin() + static_cast<std::ptrdiff_t>(starts[i]);
    const auto last = by_row.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]);
    std::stable_sort(first, last, [](const Entry& a, const Entry& b) { return a.col < b.col; });
    for (auto e = first; e != last; ++e) {
      if (e == first || e->col != (e - 1)->col) {
        columns_.push_back(e->col);
        values_.push_back(0);
      }
      values_.back() += e->value;
    }
    begins_[i + 1] = values_.size();
  }
}

void SparseSymmetric::scale(std::span<const double> factors) {
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t k = begins_[i]; k < begins_[i + 1]; ++k)
      values_[k] *= factors[i] * factors[static_cast<std::size_t>(columns_[k])];
}

std::vector<SparseSymmetric::Entry> SparseSymmetric::entries() const {
  std::vector<Entry> all;
  all.reserve(values_.size());
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t k = begins_[i]; k < begins_[i + 1]; ++k)
      all.push_back({static_cast<std::int32_t>(i), columns_[k], values_[k]});
  return all;
}

Matrix<double> SparseSymmetric::dense() const {
  Matrix<double> full(size(), size());
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t k = begins_[i]; k < begins_[i + 1]; ++k)
      full(i, static_cast<std::size_t>(columns_[k])) = values_[k];
  return full;
}

}  // namespace pssc
