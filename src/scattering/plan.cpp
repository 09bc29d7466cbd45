#include "plan.hpp"

#include "filter_bank.hpp"

#include <pssc/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace pssc {

namespace {

/// Padded to a multiple of 2^J with at least 2^J / 2 pixels a side, so that the low-pass sees no wrap-around.
std::size_t padded_size(std::size_t points, std::size_t J) {
  const std::size_t unit = std::size_t{1} << J;
  return ((points + unit) / unit + 1) * unit;
}

/// Reflection without repeating the border pixel: positions run 0 1 .. n-1 n-2 .. 1 0 1 ..
std::vector<std::size_t> reflected(std::size_t points, std::size_t padded) {
  const std::size_t before = (padded - points) / 2, period = 2 * (points - 1);
  std::vector<std::size_t> source(padded);
  for (std::size_t i = 0; i < padded; ++i) {
    const std::size_t position = (i + period * (1 + before / std::max<std::size_t>(1, period)) - before) % period;
    source[i] = position < points ? position : period - position;
  }
  return source;
}

FloatMatrix to_float(const Matrix<double>& matrix, double scale) {
  FloatMatrix result(matrix.rows(), matrix.cols());
  for (std::size_t i = 0; i < matrix.size(); ++i) result.data()[i] = static_cast<float>(matrix.data()[i] * scale);
  return result;
}

/// Where the half spectrum holds a frequency, and the weights that bring it back.
SparseFilter::Term term_of(const Scattering::Plan& plan, std::size_t from, std::size_t row, std::size_t col,
                           float weight) {
  const std::size_t rows = plan.rows(from), cols = plan.cols(from), stride = plan.half_stride(from);
  if (col <= cols / 2) return {static_cast<std::uint32_t>(row * stride + col), weight, weight};
  return {static_cast<std::uint32_t>((rows - row) % rows * stride + cols - col), weight, -weight};
}

SparseFilter sparse_filter(const Scattering::Plan& plan, const Matrix<double>& psi, std::size_t from, std::size_t to) {
  constexpr double negligible = 2e-8;  // a third of the spacing of single precision
  double largest = 0;
  for (std::size_t i = 0; i < psi.size(); ++i) largest = std::max(largest, std::abs(psi.data()[i]));
  SparseFilter filter;
  const auto here = [&] { return static_cast<std::uint32_t>(filter.terms.size()); };
  for (std::size_t r = 0; r < plan.rows(to); ++r) {
    SparseFilter::Row row{true, {}, here()};
    for (std::size_t c = 0; c < plan.cols(to); ++c) {
      for (std::size_t y = r; y < psi.rows(); y += plan.rows(to))
        for (std::size_t x = c; x < psi.cols(); x += plan.cols(to))
          if (std::abs(psi(y, x)) > negligible * largest)
            filter.terms.push_back(
                term_of(plan, from, y, x, static_cast<float>(psi(y, x) * 0.5 / static_cast<double>(psi.size()))));
      row.ends.push_back(here());
    }
    row.empty = here() == row.begin;
    filter.rows.push_back(std::move(row));
  }
  return filter;
}

void validate(const ScatteringParams& p) {
  if (p.scales < 1 || p.scales > 10) throw usage_error("scales must be 1 to 10, not " + std::to_string(p.scales));
  if (p.angles < 1 || p.angles > 64) throw usage_error("angles must be 1 to 64, not " + std::to_string(p.angles));
  if (p.order > 2) throw usage_error("order must be 0, 1 or 2, not " + std::to_string(p.order));
  const std::size_t unit = std::size_t{1} << p.scales;
  if (p.height < unit || p.width < unit)
    throw usage_error(std::to_string(p.scales) + " scales need images of at least " + std::to_string(unit) + " x " +
                      std::to_string(unit) + " pixels, but they are " + std::to_string(p.height) + " x " +
                      std::to_string(p.width) + "; lower --scales or raise --size");
}

std::vector<ScatteringPath> list_paths(const ScatteringParams& p) {
  std::vector<ScatteringPath> paths{{}};
  for (std::size_t j = 0; p.order >= 1 && j < p.scales; ++j)
    for (std::size_t t = 0; t < p.angles; ++t) paths.push_back({.order = 1, .j1 = j, .t1 = t});
  for (std::size_t j1 = 0; p.order >= 2 && j1 < p.scales; ++j1)
    for (std::size_t t1 = 0; t1 < p.angles; ++t1)
      for (std::size_t j2 = j1 + 1; j2 < p.scales; ++j2)
        for (std::size_t t2 = 0; t2 < p.angles; ++t2)
          paths.push_back({.order = 2, .j1 = j1, .t1 = t1, .j2 = j2, .t2 = t2});
  return paths;
}

}  // namespace

Scattering::Plan::Plan(const ScatteringParams& given) : params(given) {
  validate(params);
  const std::size_t J = params.scales, L = params.angles;
  paths = list_paths(params);
  padded_rows = padded_size(params.height, J);
  padded_cols = padded_size(params.width, J);
  output_rows = params.height >> J;
  output_cols = params.width >> J;
  row_source = reflected(params.height, padded_rows);
  col_source = reflected(params.width, padded_cols);
  for (std::size_t r = 0; r < J; ++r) {
    row_fft.emplace_back(rows(r));
    col_fft.emplace_back(cols(r));
    low_rows.push_back(to_float(low_pass_matrix(padded_rows, J, r), 1));
    low_cols.push_back(to_float(low_pass_matrix(padded_cols, J, r), 1));
  }
  if (params.order == 0) return;
  const FilterBank bank(padded_rows, padded_cols, J, L);
  psi.resize(J * L * J);
  for (std::size_t j = 0; j < J; ++j)
    for (std::size_t t = 0; t < L; ++t)
      for (std::size_t r = 0; r <= j; ++r) psi[(j * L + t) * J + r] = sparse_filter(*this, bank.psi(j, t, r), r, j);
}

}  // namespace pssc
