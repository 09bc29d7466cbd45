#pragma once

#include <pssc/core/context.hpp>
#include <pssc/core/grid.hpp>
#include <pssc/core/matrix.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace pssc {

/// Our own threads cut the work in fixed blocks, each block a single-threaded BLAS call: that is what makes a result
/// independent of the number of threads. Every Context holds one of these; with the last of them the program that uses
/// the library, NumPy for instance, gets its own number of BLAS threads back.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;
};

/// C = A B^T for A [n x d], B [m x d], C [n x m].
void multiply_transposed(const Context& context, FloatView a, FloatView b, MatrixView<float> c);

/// C = A B for A [n x k], B [k x m], C [n x m].
void multiply(const Context& context, FloatView a, FloatView b, MatrixView<float> c);

/// Squared Euclidean distances of the rows of X [n x d] to the rows of Y [m x d], where |y|^2 is already known. One
/// thread; for use inside a block.
void squared_distances(FloatView x, FloatView y, std::span<const float> y_norms, MatrixView<float> distances);
/// The same where |x|^2 is known too: beside few y it would be most of the work.
void squared_distances(FloatView x, FloatView y, std::span<const float> x_norms, std::span<const float> y_norms,
                       MatrixView<float> distances);

/// |x|^2 of every row.
std::vector<float> squared_norms(FloatView x);

/// The mean of the squares of each column over all ranks, in double precision.
std::vector<double> column_mean_squares(const Context& context, FloatView x);

/// The sum of the rows of each label over all ranks. Sums are whole numbers of a grid, so they follow labels that
/// change exactly, and only the rows whose label has changed are read again. Rows with a negative label are left out.
class SumsByLabel {
 public:
  SumsByLabel(const Context& context, FloatView x, std::size_t labels);
  void update(const Context& context, std::span<const std::int32_t> labels);

  Matrix<double> sums(const Context& context) const;   ///< [labels x d]
  Matrix<double> means(const Context& context) const;  ///< the same; zero for a label that no row has

 private:
  std::vector<std::int64_t> over_all_ranks(const Context& context) const;

  FloatView x_;
  std::size_t labels_;
  Grid grid_;
  std::vector<std::int32_t> current_;  ///< of each row, at first -1
  std::vector<std::int64_t> sums_;     ///< [labels x d] of this rank's rows, and behind them the counts
};

/// The mean of the rows of each label over all ranks: [labels x d]; zero for a label that no row has. Rows with a
/// negative label are left out.
Matrix<double> means_by_label(const Context& context, FloatView x, std::span<const std::int32_t> labels,
                              std::size_t clusters);

/// Sum over j of x(i,j)^2 weights[j], for every row.
std::vector<float> weighted_squares(FloatView x, const std::vector<float>& weights);

/// Row i of x becomes row places[i] of y.
void put_rows(FloatView x, std::span<const std::size_t> places, MatrixView<float> y);

/// Mean and covariance (divisor n - 1) of rows that arrive a chunk at a time. Products are float, over some rows at a
/// time; their sums are taken on a Grid.
class Moments {
 public:
  /// So many rows at a time: more where the many sums would take as long as the products.
  static constexpr std::size_t rows_at_once(std::size_t dimension) { return dimension > 1024 ? 2048 : 1024; }

  /// `reach`: no number is farther than that from the origin; `rows`: at most so many will come, over all ranks.
  Moments(std::size_t dimension, double reach, std::size_t rows);
  /// Rows are taken relative to `origin`; any value near the mean keeps the float products precise.
  void add(const Context& context, FloatView rows, std::span<const float> origin);
  /// Takes in what the other ranks have added: everywhere, or on rank 0 alone.
  void combine(const Context& context, bool everywhere);
  std::size_t count() const { return count_; }
  std::vector<double> mean(std::span<const float> origin) const;
  Matrix<double> covariance() const;
  /// The sum of x x^T over the rows x less their origin.
  Matrix<double> products() const;

 private:
  std::size_t count_ = 0, block_;
  Grid sum_grid_, product_grid_;
  std::vector<std::int64_t> sum_;
  Matrix<std::int64_t> products_;  ///< upper triangle of tiles
};

/// X^T X of rows x [n x d] of all ranks: [d x d], on every rank.
Matrix<double> inner_products(const Context& context, FloatView x);

/// Mean of each column, over all ranks.
std::vector<float> column_means(const Context& context, FloatView x);

/// The largest eigenvalues of a symmetric matrix, falling, and their eigenvectors, one a row.
struct Eigenpairs {
  std::vector<double> values;  ///< [count]
  Matrix<double> vectors;      ///< [count x n]; of each, the entry of largest size is positive
};

/// Turns each so that its entry of largest size is positive: then the sign does not depend on the method.
void fix_signs(Eigenpairs& pairs);

/// A symmetric matrix of which most entries are zero, by rows.
class SparseSymmetric {
 public:
  struct Entry {
    std::int32_t row, col;
    double value;
  };
  /// Entries of the same place are added up, in double precision and in the order they come in.
  SparseSymmetric(std::size_t n, std::vector<Entry> entries);

  std::size_t size() const { return begins_.size() - 1; }
  std::span<const double> row_values(std::size_t i) const {
    return {values_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }
  std::span<const std::int32_t> row_columns(std::size_t i) const {
    return {columns_.data() + begins_[i], begins_[i + 1] - begins_[i]};
  }
  /// Multiplies entry (i, j) by factors[i] factors[j].
  void scale(std::span<const double> factors);
  Matrix<double> dense() const;
  std::vector<Entry> entries() const;  ///< one a place

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::int32_t> columns_;
  std::vector<double> values_;
};

/// By LAPACK, on a full symmetric matrix, which is destroyed. Throws Error(failed) where it does not converge.
Eigenpairs leading_eigenpairs(MatrixView<double> symmetric, std::size_t count);

/// The same in single precision: more than twice as fast, with errors of some 1e-6 of the largest eigenvalue. Nothing
/// where it does not converge; `symmetric` is left as it was.
std::optional<Eigenpairs> leading_eigenpairs_single(MatrixView<double> symmetric, std::size_t count);

/// Whether the block Krylov method below pays: at n = 3472 LAPACK takes 3.4 s for 20 eigenvectors and 3.7 s for 300,
/// that method 0.2 s and 3.6 s (bench_projection).
bool few_of(std::size_t count, std::size_t n);

/// The same on the context's threads or device, by a block Krylov method where `count` is small beside the matrix; it
/// is tested against the plain one. `symmetric` is full, and may be destroyed.
Eigenpairs leading_eigenpairs(const Context& context, MatrixView<double> symmetric, std::size_t count);
Eigenpairs leading_eigenpairs(const Context& context, const SparseSymmetric& symmetric, std::size_t count);

}  // namespace pssc
