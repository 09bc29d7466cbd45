// Eigenvectors on the device: all at once by cuSOLVER, or the leading few by the same block Krylov method as
// core/eigensolver.cpp. Vectors are rows here.
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

class KrylovBasis {
 public:
  KrylovBasis(const Array<double>& symmetric, std::size_t n, std::size_t block, std::size_t most)
      : A_(symmetric), n_(n), block_(block), most_(most), Q_(most * n), AQ_(most * n), T_(most, most) {
    T_.setZero();
  }

  bool has_room() const { return size_ + block_ <= most_; }

  /// Adds the block X [block x n], made orthonormal; X becomes A times it.
  void extend(Array<double>& X) {
    orthonormalise(X);
    MatrixView<double> place = rows(Q_, size_, block_), image = rows(AQ_, size_, block_);
    copy_numbers(X.data(), Place::device, place.data(), Place::device, X.size() * sizeof(double));
    multiply(Product::plain, view(X, block_, n_), view(A_, n_, n_), image);
    size_ += block_;
    const Small overlap = transposed_product(rows(Q_, 0, size_), image);
    const auto s = static_cast<Eigen::Index>(size_), b = static_cast<Eigen::Index>(block_);
    T_.block(0, s - b, s, b) = overlap;
    T_.block(s - b, 0, b, s) = overlap.transpose();
    copy_numbers(image.data(), Place::device, X.data(), Place::device, X.size() * sizeof(double));
  }

  /// Falls to the `keep` best approximations; returns their values, the squares of their residuals, and the residuals.
  std::vector<double> rayleigh_ritz(std::size_t keep, std::vector<double>& squares, Array<double>& residuals) {
    Matrix<double> small(size_, size_);
    const auto s = static_cast<Eigen::Index>(size_);
    as_eigen(small.view()) = (T_.topLeftCorner(s, s) + T_.topLeftCorner(s, s).transpose()) / 2;
    const Eigenpairs pairs = leading_eigenpairs(small.view(), keep);
    const Array<double> Y(std::span(pairs.vectors.data(), pairs.vectors.size()));
    Array<double> kept(keep * n_), image(keep * n_);
    multiply(Product::plain, view(Y, keep, size_), rows(Q_, 0, size_), view(kept, keep, n_));
    multiply(Product::plain, view(Y, keep, size_), rows(AQ_, 0, size_), view(image, keep, n_));
    copy_numbers(kept.data(), Place::device, Q_.data(), Place::device, kept.size() * sizeof(double));
    copy_numbers(image.data(), Place::device, AQ_.data(), Place::device, image.size() * sizeof(double));
    size_ = keep;
    T_.setZero();
    for (std::size_t i = 0; i < keep; ++i)
      T_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) = pairs.values[i];
    squares = residuals_of(image.data(), kept.data(), pairs.values, n_, residuals.data());
    return pairs.values;
  }

  void copy_vectors(std::size_t count, Matrix<double>& vectors) const {
    copy_numbers(Q_.data(), Place::device, vectors.data(), Place::host, count * n_ * sizeof(double));
  }

 private:
  MatrixView<double> rows(Array<double>& of, std::size_t first, std::size_t count) const {
    return {of.data() + first * n_, count, n_, n_, Place::device};
  }

  Small transposed_product(MatrixView<const double> a, MatrixView<const double> b) const {
    Array<double> product(a.rows() * b.rows());
    multiply(Product::transposed, a, b, view(product, a.rows(), b.rows()));
    RowMajor<double> result(static_cast<Eigen::Index>(a.rows()), static_cast<Eigen::Index>(b.rows()));
    product.copy_to(std::span(result.data(), static_cast<std::size_t>(result.size())));
    return result;
  }

  void replace(Array<double>& X, const Small& by) const {
    const Array<double> factors = upload(by);
    Array<double> product(X.size());
    multiply(Product::plain, view(factors, block_, block_), view(X, block_, n_), view(product, block_, n_));
    X = std::move(product);
  }

  /// By Cholesky's factor of the inner products, which leaves errors of their condition: until a pass that had none.
  void orthonormalise(Array<double>& X) {
    constexpr int most_passes = 8;
    constexpr double sound = 1e-3;  // smallest by largest pivot of a block that the next pass makes orthonormal
    int clean = 0;
    for (int pass = 0; pass < most_passes && clean < 2; ++pass) {
      if (size_ > 0) {
        Array<double> shares(block_ * size_);
        multiply(Product::transposed, view(X, block_, n_), rows(Q_, 0, size_), view(shares, block_, size_));
        multiply(Product::subtracted, view(shares, block_, size_), rows(Q_, 0, size_), view(X, block_, n_));
      }
      const Small gram = transposed_product(view(X, block_, n_), view(X, block_, n_));
      const Eigen::LLT<Small> factor(gram);
      const Eigen::VectorXd pivots = factor.matrixLLT().diagonal();
      if (factor.info() == Eigen::Success && pivots.minCoeff() > sound * pivots.maxCoeff()) {
        replace(X, factor.matrixL().solve(Small::Identity(gram.rows(), gram.cols())));
        ++clean;
      } else {
        separate(X, gram);
        clean = 0;
      }
    }
  }

  /// Turns nearly dependent rows so that the weak ones can be scaled up, or, where nothing is left, drawn anew.
  void separate(Array<double>& X, const Small& gram) {
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
    replace(X, turn);
    for (const std::size_t i : missing) {
      std::vector<double> row(n_);
      for (double& v : row) v = random_.normal() / std::sqrt(static_cast<double>(n_));
      copy_numbers(row.data(), Place::host, X.data() + i * n_, Place::device, n_ * sizeof(double));
    }
  }

  const Array<double>& A_;
  std::size_t n_, block_, most_, size_ = 0;
  Array<double> Q_, AQ_;
  Small T_;
  Random random_{0, 1};
};

}  // namespace

DevicePairs leading_eigenpairs_single(Array<float> symmetric, std::size_t d, std::size_t count) {
  const Libraries& l = session().libraries;
  const std::vector<float> values = all_by_syevd(symmetric, d, l.cusolverDnSsyevd_bufferSize, l.cusolverDnSsyevd);
  return {{values.rbegin(), values.rbegin() + static_cast<std::ptrdiff_t>(count)},
          leading_of_rising(symmetric, d, count)};
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

std::optional<Eigenpairs> krylov_eigenpairs(const Array<double>& symmetric, std::size_t n, std::size_t count) {
  constexpr std::size_t most_restarts = 60;
  constexpr double tolerance = 1e-7;  // of a residual, in units of the largest eigenvalue
  const std::size_t block = std::clamp<std::size_t>(count / 2, 16, 128), kept = std::max(block, count + block / 2);
  KrylovBasis basis(symmetric, n, block, std::min(n, kept + 6 * block));
  std::vector<double> start(block * n), squares;
  Random random(0);
  for (double& x : start) x = random.normal();
  Array<double> next{std::span<const double>(start)}, residuals(kept * n);
  for (std::size_t restart = 0; restart < most_restarts; ++restart) {
    while (basis.has_room()) basis.extend(next);
    const std::vector<double> values = basis.rayleigh_ritz(kept, squares, residuals);
    std::size_t converged = 0;
    while (converged < count && std::sqrt(squares[converged]) <= tolerance * std::abs(values[0])) ++converged;
    if (converged == count) {
      Eigenpairs pairs{{values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)}, Matrix<double>(count, n)};
      basis.copy_vectors(count, pairs.vectors);
      fix_signs(pairs);
      return pairs;
    }
    const std::size_t first = std::min(converged, kept - block);
    copy_numbers(residuals.data() + first * n, Place::device, next.data(), Place::device, block * n * sizeof(double));
  }
  return std::nullopt;
}

}  // namespace pssc::cuda
