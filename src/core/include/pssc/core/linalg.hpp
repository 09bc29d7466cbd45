#pragma once

#include <pssc/core/context.hpp>
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

/// The mean of the squares of each column, in double precision.
std::vector<double> column_mean_squares(const Context& context, FloatView x);

/// Sum over j of x(i,j)^2 weights[j], for every row.
std::vector<float> weighted_squares(FloatView x, const std::vector<float>& weights);

/// Row i of x becomes row places[i] of y.
void put_rows(FloatView x, std::span<const std::size_t> places, MatrixView<float> y);

/// Mean and covariance (divisor n - 1) of rows that arrive a chunk at a time. Sums are double, products float.
class Moments {
 public:
  explicit Moments(std::size_t dimension);
  /// Rows are taken relative to `origin`; any value near the mean keeps the float products precise.
  void add(const Context& context, FloatView rows, std::span<const float> origin);
  std::size_t count() const { return count_; }
  std::vector<double> mean(std::span<const float> origin) const;
  Matrix<double> covariance() const;

 private:
  std::size_t count_ = 0;
  std::vector<double> sum_;
  Matrix<double> products_;  ///< upper triangle of tiles
};

/// Mean of each column.
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
    float value;
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
