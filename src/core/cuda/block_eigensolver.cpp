// Hundreds of leading eigenvectors on the device, all of it products: a Chebyshev polynomial of the matrix lifts a
// block of rows out of what lies below a cut; Cholesky's factor makes them orthonormal; Rayleigh and Ritz part them at
// the end.
#include "eigenvectors.hpp"
#include "session.hpp"

#include <cmath>

namespace pssc::cuda {

namespace {

MatrixView<const double> view(const Array<double>& values, std::size_t rows, std::size_t cols) {
  return {values.data(), rows, cols, cols, Place::device};
}
MatrixView<double> view(Array<double>& values, std::size_t rows, std::size_t cols) {
  return {values.data(), rows, cols, cols, Place::device};
}

/// Cholesky's factor U of G = U^T U, as cuSOLVER lays it out, in place. False where G is not positive.
bool factor(Array<double>& gram, std::size_t n) {
  Session& s = session();
  const int order = static_cast<int>(n);
  Array<int> info(1);
  int size = 0;
  {
    const std::lock_guard lock(s.mutex);
    check(s.libraries.cusolverDnDpotrf_bufferSize(s.solver, CUBLAS_FILL_MODE_UPPER, order, gram.data(), order, &size),
          "prepare a factor");
    Array<double> work(static_cast<std::size_t>(std::max(1, size)));
    check(s.libraries.cusolverDnDpotrf(s.solver, CUBLAS_FILL_MODE_UPPER, order, gram.data(), order, work.data(), size,
                                       info.data()),
          "find a factor");
  }
  return info.on_host().front() == 0;
}

/// Solves with a factor from the side, for `cols` columns of `rows` numbers.
void solve(cublasSideMode_t side, cublasOperation_t of_factor, const Array<double>& U, std::size_t n, double* columns,
           std::size_t rows, std::size_t cols) {
  Session& s = session();
  const double one = 1;
  const std::lock_guard lock(s.mutex);
  check(s.libraries.cublasDtrsm(s.blas, side, CUBLAS_FILL_MODE_UPPER, of_factor, CUBLAS_DIAG_NON_UNIT,
                                static_cast<int>(rows), static_cast<int>(cols), &one, U.data(), static_cast<int>(n),
                                columns, static_cast<int>(rows)),
        "solve");
}

class Block {
 public:
  Block(const Array<double>& symmetric, std::size_t n, std::size_t rows)
      : A_(symmetric), n_(n), rows_(rows), X_(rows * n), Y_(rows * n) {
    fill_at_random(X_);
  }

  void multiply_by_matrix() {
    multiply(Product::plain, view(X_, rows_, n_), view(A_, n_, n_), view(Y_, rows_, n_));
    std::swap(X_, Y_);
  }

  /// Each pass leaves an error of the rows' condition, squared; the first is shifted, so that no condition stops it
  /// (Fukaya and others 2020). False where rows cannot be told apart.
  bool orthonormalise(int passes) {
    for (int pass = 0; pass < passes; ++pass) {
      Array<double> gram = inner_products(X_, X_);
      if (pass == 0) add_share_of_trace(gram.data(), rows_, 1e-14);
      if (!factor(gram, rows_)) return false;
      solve(CUBLAS_SIDE_RIGHT, CUBLAS_OP_N, gram, rows_, X_.data(), n_, rows_);
    }
    return true;
  }

  /// The least eigenvalue within the rows' space, or a little more, by inverse iteration. 0 where it cannot be told.
  double least() {
    constexpr std::size_t tries = 8;
    multiply(Product::plain, view(X_, rows_, n_), view(A_, n_, n_), view(Y_, rows_, n_));
    Array<double> T = inner_products(X_, Y_), z(tries * rows_);
    if (!factor(T, rows_)) return 0;
    fill_at_random(z);
    std::vector<double> before = lengths(z, tries);
    double growth = 0;
    for (int i = 0; i < 4; ++i) {
      solve(CUBLAS_SIDE_LEFT, CUBLAS_OP_T, T, rows_, z.data(), rows_, tries);
      solve(CUBLAS_SIDE_LEFT, CUBLAS_OP_N, T, rows_, z.data(), rows_, tries);
      const std::vector<double> after = lengths(z, tries);
      growth = 0;
      for (std::size_t t = 0; t < tries; ++t) growth = std::max(growth, after[t] / before[t]);
      before = after;
    }
    return std::isfinite(growth) && growth > 0 ? 1 / growth : 0;
  }

  /// The polynomial that stays within 1 on [0, cut].
  void filter(int degree, double cut) {
    const double half = cut / 2;
    const auto step = [&](const Array<double>& from, Array<double>& to, double by, double own) {
      combine_numbers(to.data(), from.data(), to.size(), -by, own);  // to = by (from A / half - from) + own to
      multiply_add(by / half, view(from, rows_, n_), view(A_, n_, n_), view(to, rows_, n_));
    };
    step(X_, Y_, 1, 0);
    for (int i = 1; i < degree; ++i) {
      step(Y_, X_, 2, -1);
      std::swap(X_, Y_);
    }
    std::swap(X_, Y_);
  }

  /// The best approximations in the space; `residual` is the length of the largest residual of them.
  DevicePairs rayleigh_ritz(std::size_t count, double& residual) {
    multiply(Product::plain, view(X_, rows_, n_), view(A_, n_, n_), view(Y_, rows_, n_));
    Array<double> T = inner_products(X_, Y_);
    const std::vector<double> rising = all_eigenvectors(T, rows_);
    const MatrixView<const double> turn(T.data() + (rows_ - count) * rows_, count, rows_, rows_, Place::device);
    Array<double> vectors(count * n_), images(count * n_), residuals(count * n_);
    multiply(Product::plain, turn, view(X_, rows_, n_), view(vectors, count, n_));
    multiply(Product::plain, turn, view(Y_, rows_, n_), view(images, count, n_));
    const std::vector<double> values(rising.end() - static_cast<std::ptrdiff_t>(count), rising.end());
    residual = 0;
    for (const double square : residuals_of(images.data(), vectors.data(), values, n_, residuals.data()))
      residual = std::max(residual, std::sqrt(square));
    // They rise: the last is the first.
    return {{values.rbegin(), values.rend()}, leading_of_rising(rounded(vectors), n_, count, count)};
  }

 private:
  Array<double> inner_products(const Array<double>& a, const Array<double>& b) const {
    Array<double> products(rows_ * rows_);
    multiply(Product::transposed, view(a, rows_, n_), view(b, rows_, n_), view(products, rows_, rows_));
    return products;
  }

  std::vector<double> lengths(const Array<double>& z, std::size_t count) const {
    const std::vector<double> numbers = z.on_host();
    std::vector<double> result(count);
    for (std::size_t k = 0; k < numbers.size(); ++k) result[k / rows_] += numbers[k] * numbers[k];
    for (double& l : result) l = std::sqrt(l);
    return result;
  }

  const Array<double>& A_;
  std::size_t n_, rows_;
  Array<double> X_, Y_;
};

}  // namespace

std::optional<DevicePairs> block_eigenpairs(const Array<double>& symmetric, std::size_t d, std::size_t count,
                                            double tolerance) {
  constexpr std::size_t least_more = 96, share_more = 5, multiple = 32;
  constexpr int degree = 3, rounds_before_a_look = 2, most_rounds = 5;
  const std::size_t rows = (count + std::max(least_more, count / share_more) + multiple - 1) / multiple * multiple;
  if (2 * rows > d) return std::nullopt;
  Block block(symmetric, d, rows);
  for (int step = 0; step < 2; ++step) {
    block.multiply_by_matrix();
    if (!block.orthonormalise(1)) return std::nullopt;
  }
  for (int round = 1; round <= most_rounds; ++round) {
    const double cut = block.least();
    if (!(cut > 0)) return std::nullopt;
    block.filter(degree, cut);
    if (!block.orthonormalise(round < rounds_before_a_look ? 2 : 3)) return std::nullopt;
    if (round < rounds_before_a_look) continue;
    double residual = 0;
    DevicePairs pairs = block.rayleigh_ritz(count, residual);
    if (residual <= tolerance) return pairs;
  }
  return std::nullopt;
}

}  // namespace pssc::cuda
