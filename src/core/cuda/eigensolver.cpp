// Eigenvectors on the device: all at once by cuSOLVER, or the leading few by subspace iteration, which is all products.
// Vectors are rows here.
#include "eigenvectors.hpp"
#include "session.hpp"

#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/random.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <string>

namespace pssc::cuda {

namespace {

using Small = Eigen::MatrixXd;

void require_converged(const Array<int>& info, std::size_t n) {
  if (const int failed = info.on_host().front(); failed != 0)
    throw run_error("the eigenvectors of a " + std::to_string(n) + " x " + std::to_string(n) +
                    " matrix could not be computed (cuSOLVER syevd gave " + std::to_string(failed) + ")");
}

/// Overwrites the matrix with its eigenvectors, one a row, by rising value.
template <class T, class Size, class Solve>
std::vector<T> all_by_syevd(Array<T>& symmetric, std::size_t n, Size ask_size, Solve solve) {
  Session& s = session();
  const int order = static_cast<int>(n);
  Array<T> values(n);
  Array<int> info(1);
  int size = 0;
  {
    const std::lock_guard lock(s.mutex);
    check(ask_size(s.solver, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, order, symmetric.data(), order,
                   values.data(), &size),
          "prepare eigenvectors");
    Array<T> work(static_cast<std::size_t>(size));
    check(solve(s.solver, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, order, symmetric.data(), order,
                values.data(), work.data(), size, info.data()),
          "find eigenvectors");
  }
  require_converged(info, n);
  return values.on_host();
}

/// A small matrix of the host, row-major, on the device.
Array<double> upload(const Small& matrix) {
  const RowMajor<double> rows = matrix;
  return Array<double>(std::span(rows.data(), static_cast<std::size_t>(rows.size())));
}

MatrixView<const double> view(const Array<double>& values, std::size_t rows, std::size_t cols) {
  return {values.data(), rows, cols, cols, Place::device};
}
MatrixView<double> view(Array<double>& values, std::size_t rows, std::size_t cols) {
  return {values.data(), rows, cols, cols, Place::device};
}

/// The leading eigenvectors by subspace iteration, a row each: a Chebyshev polynomial of the matrix damps what lies in
/// [0, cut] and lifts what lies above, with no word to the host between its factors; Rayleigh and Ritz then part the
/// rows.
class Subspace {
 public:
  Subspace(const Array<double>& symmetric, std::size_t n, std::size_t rows)
      : A_(symmetric), n_(n), rows_(rows), X_(rows * n), Y_(rows * n) {
    std::vector<double> start(rows * n);
    for (double& x : start) x = random_.uniform(-1, 1);
    X_ = Array<double>(std::span<const double>(start));
  }

  /// Turns the rows into the best approximations in their space. Returns their values, and the lengths of the first
  /// `count` residuals, squared.
  std::vector<double> rayleigh_ritz(std::size_t count, std::vector<double>& squares) {
    orthonormalise();
    multiply(Product::plain, view(X_, rows_, n_), view(A_, n_, n_), view(Y_, rows_, n_));
    Small T = transposed_product(X_, Y_);
    T = (T + T.transpose().eval()) / 2;
    const Eigen::SelfAdjointEigenSolver<Small> solver(T);
    const Small turn = solver.eigenvectors().rowwise().reverse().transpose();
    const Eigen::VectorXd falling = solver.eigenvalues().reverse();
    std::vector<double> values(falling.begin(), falling.end());
    replace(X_, turn);
    replace(Y_, turn);
    Array<double> residuals(count * n_);
    squares = residuals_of(Y_.data(), X_.data(), {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)},
                           n_, residuals.data());
    return values;
  }

  /// Scaled so that nothing overflows (Zhou and Saad 2007).
  void filter(int degree, double cut, double largest) {
    const double half = cut / 2, first = half / (largest - half);
    double sigma = first;
    combine(Y_, X_, -half * sigma / half, 0);  // Y = -c sigma / e X, with c = e = cut / 2
    add_product(Y_, X_, sigma / half);
    for (int i = 1; i < degree; ++i) {
      const double next = 1 / (2 / first - sigma);
      combine(X_, Y_, -2 * next, -sigma * next);
      add_product(X_, Y_, 2 * next / half);
      std::swap(X_, Y_);
      sigma = next;
    }
    std::swap(X_, Y_);
  }

  void copy_vectors(std::size_t count, Matrix<double>& vectors) const {
    copy_numbers(X_.data(), Place::device, vectors.data(), Place::host, count * n_ * sizeof(double));
  }

 private:
  /// to = by * from + own * to
  void combine(Array<double>& to, const Array<double>& from, double by, double own) const {
    combine_numbers(to.data(), from.data(), to.size(), by, own);
  }
  /// to += by * from A
  void add_product(Array<double>& to, const Array<double>& from, double by) const {
    multiply_add(by, view(from, rows_, n_), view(A_, n_, n_), view(to, rows_, n_));
  }

  Small transposed_product(const Array<double>& a, const Array<double>& b) const {
    Array<double> product(rows_ * rows_);
    multiply(Product::transposed, view(a, rows_, n_), view(b, rows_, n_), view(product, rows_, rows_));
    RowMajor<double> result(static_cast<Eigen::Index>(rows_), static_cast<Eigen::Index>(rows_));
    product.copy_to(std::span(result.data(), static_cast<std::size_t>(result.size())));
    return result;
  }

  void replace(Array<double>& rows, const Small& by) const {
    const Array<double> factors = upload(by);
    Array<double> product(rows.size());
    multiply(Product::plain, view(factors, rows_, rows_), view(rows, rows_, n_), view(product, rows_, n_));
    rows = std::move(product);
  }

  /// By Cholesky's factor of the inner products, which leaves errors of their condition: until a pass that had none.
  void orthonormalise() {
    constexpr int most_passes = 8;
    constexpr double sound = 1e-3;  // smallest by largest pivot of rows that this pass makes orthonormal to rounding
    for (int pass = 0; pass < most_passes; ++pass) {
      const Small gram = transposed_product(X_, X_);
      const Eigen::LLT<Small> factor(gram);
      const Eigen::VectorXd pivots = factor.matrixLLT().diagonal();
      const double share = factor.info() == Eigen::Success ? pivots.minCoeff() / pivots.maxCoeff() : 0;
      if (share > 1e-6) {
        replace(X_, factor.matrixL().solve(Small::Identity(gram.rows(), gram.cols())));
        if (share > sound) return;
      } else {
        separate(gram);
      }
    }
  }

  /// Turns nearly dependent rows so that the weak ones can be scaled up, or, where nothing is left, drawn anew.
  void separate(const Small& gram) {
    constexpr double lost = 1e-13;  // of the largest: nothing but rounding
    const Eigen::SelfAdjointEigenSolver<Small> solver(gram);
    const Eigen::VectorXd& values = solver.eigenvalues();
    const double largest = values(values.size() - 1);
    Small turn = solver.eigenvectors().transpose();
    std::vector<std::size_t> missing;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      const bool gone = !(values(i) > lost * largest) || !(largest > 0);
      turn.row(i) *= gone ? 0 : 1 / std::sqrt(values(i));
      if (gone) missing.push_back(static_cast<std::size_t>(i));
    }
    replace(X_, turn);
    for (const std::size_t i : missing) {
      std::vector<double> row(n_);
      for (double& v : row) v = random_.normal() / std::sqrt(static_cast<double>(n_));
      copy_numbers(row.data(), Place::host, X_.data() + i * n_, Place::device, n_ * sizeof(double));
    }
  }

  const Array<double>& A_;
  std::size_t n_, rows_;
  Random random_{0};
  Array<double> X_, Y_;
};

/// As large as leaves rows that can be told apart: the first must not outgrow the last by more than `most`.
int degree_for(double largest, double cut) {
  constexpr double most = 1e5;
  constexpr int highest = 40;
  const double growth = std::acosh(std::max(1 + 1e-9, 2 * largest / cut - 1));
  return std::clamp(static_cast<int>(std::acosh(most) / growth), 2, highest);
}

}  // namespace

std::vector<double> all_eigenvectors(Array<double>& symmetric, std::size_t n) {
  const Libraries& l = session().libraries;
  return all_by_syevd(symmetric, n, l.cusolverDnDsyevd_bufferSize, l.cusolverDnDsyevd);
}

DevicePairs leading_eigenpairs_single(Array<float> symmetric, std::size_t d, std::size_t count) {
  const Libraries& l = session().libraries;
  const std::vector<float> values = all_by_syevd(symmetric, d, l.cusolverDnSsyevd_bufferSize, l.cusolverDnSsyevd);
  return {{values.rbegin(), values.rbegin() + static_cast<std::ptrdiff_t>(count)},
          leading_of_rising(symmetric, d, d, count)};
}

Eigenpairs dense_eigenpairs(Array<double> symmetric, std::size_t n, std::size_t count) {
  const Libraries& l = session().libraries;
  const std::vector<double> values = all_by_syevd(symmetric, n, l.cusolverDnDsyevd_bufferSize, l.cusolverDnDsyevd);
  Eigenpairs pairs{{values.rbegin(), values.rbegin() + static_cast<std::ptrdiff_t>(count)}, Matrix<double>(count, n)};
  const std::vector<double> vectors = symmetric.on_host();
  for (std::size_t v = 0; v < count; ++v) std::copy_n(&vectors[(n - 1 - v) * n], n, pairs.vectors.row(v).begin());
  fix_signs(pairs);
  return pairs;
}

std::optional<Eigenpairs> subspace_eigenpairs(const Array<double>& symmetric, std::size_t n, std::size_t count,
                                              double tolerance) {
  constexpr std::size_t most_rounds = 100;
  const std::size_t rows = count + std::max<std::size_t>(24, count);  // more cost little, and the last settle sooner
  if (rows > n) return std::nullopt;
  Subspace space(symmetric, n, rows);
  std::vector<double> squares;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    const std::vector<double> values = space.rayleigh_ritz(count, squares);
    const double largest = std::abs(values[0]);
    const bool settled = std::ranges::all_of(squares, [&](double s) { return std::sqrt(s) <= tolerance * largest; });
    if (settled || largest == 0) {
      Eigenpairs pairs{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)}, Matrix<double>(count, n)};
      space.copy_vectors(count, pairs.vectors);
      fix_signs(pairs);
      return pairs;
    }
    const double cut = std::clamp(values.back(), 1e-6 * largest, (1 - 1e-9) * largest);
    space.filter(degree_for(largest, cut), cut, largest);
  }
  return std::nullopt;
}

}  // namespace pssc::cuda
