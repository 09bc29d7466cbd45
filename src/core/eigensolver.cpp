// The leading eigenvectors of a symmetric matrix: all at once by LAPACK where many are wanted or the matrix is small,
// and by a block Krylov method where few are. A block, because a graph in several pieces has its largest eigenvalue
// several times, and a single vector would find it once.
#include <pssc/core/cuda.hpp>
#include <pssc/core/eigen.hpp>
#include <pssc/core/error.hpp>
#include <pssc/core/linalg.hpp>
#include <pssc/core/parallel.hpp>
#include <pssc/core/random.hpp>

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>

#define PSSC_DECLARE_SYEVR(name, T)                                                                                 \
  extern "C" void name(const char* jobz, const char* range, const char* uplo, const int* n, T* a, const int* lda,   \
                       const T* vl, const T* vu, const int* il, const int* iu, const T* abstol, int* m, T* w, T* z, \
                       const int* ldz, int* isuppz, T* work, const int* lwork, int* iwork, const int* liwork,       \
                       int* info, std::size_t, std::size_t, std::size_t);
PSSC_DECLARE_SYEVR(ssyevr_, float)
PSSC_DECLARE_SYEVR(dsyevr_, double)
#undef PSSC_DECLARE_SYEVR
extern "C" void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
                        double* work, const int* lwork, int* iwork, const int* liwork, int* info, std::size_t,
                        std::size_t);

namespace pssc {

void fix_signs(Eigenpairs& pairs) {
  for (std::size_t v = 0; v < pairs.vectors.rows(); ++v) {
    auto row = pairs.vectors.row(v);
    const double largest = *std::ranges::max_element(row, {}, [](double x) { return std::abs(x); });
    if (largest < 0)
      for (double& x : row) x = -x;
  }
}

bool few_of(std::size_t count, std::size_t n) {
  constexpr std::size_t small = 800, few = 8;
  return n > small && count * few <= n;
}

namespace {

using Columns = Eigen::MatrixXd;

/// From the rising order in which LAPACK gives them.
template <class T>
Eigenpairs from_rising(std::span<const T> values, const Matrix<T>& vectors) {
  const std::size_t count = vectors.rows();
  Eigenpairs pairs{std::vector<double>(values.rbegin(), values.rend()), Matrix<double>(count, vectors.cols())};
  for (std::size_t i = 0; i < count; ++i) std::ranges::copy(vectors.row(count - 1 - i), pairs.vectors.row(i).begin());
  fix_signs(pairs);
  return pairs;
}

/// Relatively robust representations: only the leading ones. Nothing where it fails. Overwrites the upper triangle
/// (which LAPACK, thinking in columns, calls the lower) and leaves the other alone.
template <class T>
std::optional<Eigenpairs> some_by_syevr(MatrixView<T> symmetric, std::size_t count) {
  const int n = static_cast<int>(symmetric.rows()), lda = static_cast<int>(symmetric.stride());
  const int first = n - static_cast<int>(count) + 1;
  const T unused = 0, tolerance = 0;
  int found = 0, info = 0;
  std::vector<T> values(symmetric.rows()), work(1);
  Matrix<T> vectors(count, symmetric.rows());
  std::vector<int> support(2 * count), integers(1);
  constexpr auto syevr = [] {
    if constexpr (std::is_same_v<T, float>) return &ssyevr_;
    if constexpr (std::is_same_v<T, double>) return &dsyevr_;
  }();
  for (const bool ask : {true, false}) {  // the first call asks for the size of the workspaces
    const int work_size = ask ? -1 : static_cast<int>(work.size());
    const int integer_size = ask ? -1 : static_cast<int>(integers.size());
    syevr("V", "I", "L", &n, symmetric.data(), &lda, &unused, &unused, &first, &n, &tolerance, &found, values.data(),
          vectors.data(), &n, support.data(), work.data(), &work_size, integers.data(), &integer_size, &info, 1, 1, 1);
    if (info != 0) return std::nullopt;
    if (ask) work.resize(static_cast<std::size_t>(work[0])), integers.resize(static_cast<std::size_t>(integers[0]));
  }
  if (found != static_cast<int>(count)) return std::nullopt;
  return from_rising<T>(std::span<const T>(values).first(count), vectors);
}

/// Divide and conquer: all of them, three times as slow, and sure.
Eigenpairs all_by_dsyevd(MatrixView<double> symmetric, std::size_t count) {
  const int n = static_cast<int>(symmetric.rows()), lda = static_cast<int>(symmetric.stride());
  std::vector<double> values(symmetric.rows()), work(1);
  std::vector<int> integers(1);
  int info = 0;
  for (const bool ask : {true, false}) {
    const int work_size = ask ? -1 : static_cast<int>(work.size());
    const int integer_size = ask ? -1 : static_cast<int>(integers.size());
    dsyevd_("V", "L", &n, symmetric.data(), &lda, values.data(), work.data(), &work_size, integers.data(),
            &integer_size, &info, 1, 1);
    if (info != 0)
      throw run_error("the eigenvectors of a " + std::to_string(n) + " x " + std::to_string(n) +
                      " matrix could not be computed (LAPACK dsyevd gave " + std::to_string(info) + ")");
    if (ask) work.resize(static_cast<std::size_t>(work[0])), integers.resize(static_cast<std::size_t>(integers[0]));
  }
  const std::size_t skipped = symmetric.rows() - count;
  Matrix<double> vectors(count, symmetric.rows());
  for (std::size_t v = 0; v < count; ++v) std::ranges::copy(symmetric.row(skipped + v), vectors.row(v).begin());
  return from_rising<double>(std::span<const double>(values).subspan(skipped, count), vectors);
}

/// X to A X.
using Apply = std::function<Columns(const Columns&)>;

/// A X on the context's threads.
Columns multiply(const Context& context, const MatrixView<const double>& A, const Columns& X) {
  Columns product(X.rows(), X.cols());
  parallel_blocks(context, A.rows(), 256, [&](std::size_t begin, std::size_t end) {
    product.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(end - begin)).noalias() =
        as_eigen(A.row_range(begin, end)) * X;
  });
  return product;
}

Columns multiply(const Context& context, const SparseSymmetric& A, const Columns& X) {
  const RowMajor<double> rows = X;  // so that a row is read in one piece
  Columns product(X.rows(), X.cols());
  parallel_blocks(context, A.size(), 256, [&](std::size_t begin, std::size_t end) {
    Eigen::RowVectorXd sum(X.cols());
    for (std::size_t i = begin; i < end; ++i) {
      sum.setZero();
      const auto values = A.row_values(i);
      const auto columns = A.row_columns(i);
      for (std::size_t k = 0; k < values.size(); ++k) sum += values[k] * rows.row(columns[k]);
      product.row(static_cast<Eigen::Index>(i)) = sum;
    }
  });
  return product;
}

Columns random_columns(Eigen::Index rows, Eigen::Index cols) {
  Random random(0);
  Columns X(rows, cols);
  for (double& x : X.reshaped()) x = random.normal();
  return X;
}

/// An orthonormal basis of a space that grows towards the leading eigenvectors, and its image under A.
class KrylovBasis {
 public:
  KrylovBasis(Apply apply, Eigen::Index n, Eigen::Index most)
      : apply_(std::move(apply)), Q_(n, most), AQ_(n, most), T_(most, most) {}

  Eigen::Index size() const { return size_; }
  bool has_room_for(Eigen::Index block) const { return size_ + block <= Q_.cols(); }

  /// Adds the block, made orthonormal; returns A times it, the next block of the Krylov space.
  Columns extend(Columns X) {
    for (int pass = 0; pass < 2; ++pass) {  // twice is enough to be orthogonal to rounding
      const auto Q = Q_.leftCols(size_);
      if (size_ > 0) X -= Q * (Q.transpose() * X);
      const Eigen::HouseholderQR<Columns> qr(X);
      X = qr.householderQ() * Columns::Identity(X.rows(), X.cols());
    }
    const Eigen::Index b = X.cols();
    Columns AX = apply_(X);
    Q_.middleCols(size_, b) = X;
    AQ_.middleCols(size_, b) = AX;
    size_ += b;
    const Columns overlap = Q_.leftCols(size_).transpose() * AX;
    T_.block(0, size_ - b, size_, b) = overlap;
    T_.block(size_ - b, 0, b, size_) = overlap.transpose();
    return AX;
  }

  /// The best approximations in the space: falls to the `keep` leading ones and returns their values.
  std::vector<double> rayleigh_ritz(Eigen::Index keep, Columns& residuals) {
    Matrix<double> small(static_cast<std::size_t>(size_), static_cast<std::size_t>(size_));
    as_eigen(small.view()) = (T_.topLeftCorner(size_, size_) + T_.topLeftCorner(size_, size_).transpose()) / 2;
    Eigenpairs pairs = leading_eigenpairs(small, static_cast<std::size_t>(keep));
    const Columns Y = as_eigen(pairs.vectors.view()).transpose();
    const Columns kept = Q_.leftCols(size_) * Y, image = AQ_.leftCols(size_) * Y;
    Q_.leftCols(keep) = kept;
    AQ_.leftCols(keep) = image;
    size_ = keep;
    T_.setZero();
    residuals = image;
    for (Eigen::Index i = 0; i < keep; ++i) {
      const double value = pairs.values[static_cast<std::size_t>(i)];
      T_(i, i) = value;
      residuals.col(i) -= value * kept.col(i);
    }
    return pairs.values;
  }

  auto vectors() const { return Q_.leftCols(size_); }

 private:
  Apply apply_;
  Columns Q_, AQ_, T_;
  Eigen::Index size_ = 0;
};

/// Nothing where eigenvalues lie too close for the space.
std::optional<Eigenpairs> by_krylov(Apply apply, std::size_t n, std::size_t count) {
  constexpr std::size_t most_restarts = 60;
  constexpr double tolerance = 1e-7;  // of a residual, in units of the largest eigenvalue
  const auto wanted = static_cast<Eigen::Index>(count);
  // A restart takes `block` of the vectors kept, so there must be as many, however few are wanted.
  const Eigen::Index block = std::clamp<Eigen::Index>(wanted / 2, 16, 128), kept = std::max(block, wanted + block / 2);
  KrylovBasis basis(std::move(apply), static_cast<Eigen::Index>(n),
                    std::min(static_cast<Eigen::Index>(n), kept + 6 * block));
  Columns next = random_columns(static_cast<Eigen::Index>(n), block), residuals;
  for (std::size_t restart = 0; restart < most_restarts; ++restart) {
    while (basis.has_room_for(block)) next = basis.extend(std::move(next));
    const std::vector<double> values = basis.rayleigh_ritz(kept, residuals);
    Eigen::Index converged = 0;
    while (converged < wanted && residuals.col(converged).norm() <= tolerance * std::abs(values[0])) ++converged;
    if (converged == wanted) {
      Eigenpairs pairs{{values.begin(), values.begin() + wanted}, Matrix<double>(count, n)};
      as_eigen(pairs.vectors.view()) = basis.vectors().leftCols(wanted).transpose();
      fix_signs(pairs);
      return pairs;
    }
    next = residuals.middleCols(std::min(converged, kept - block), block);
  }
  return std::nullopt;
}

}  // namespace

Eigenpairs leading_eigenpairs(MatrixView<double> symmetric, std::size_t count) {
  std::vector<double> diagonal(symmetric.rows());
  for (std::size_t i = 0; i < diagonal.size(); ++i) diagonal[i] = symmetric(i, i);
  if (auto pairs = some_by_syevr(symmetric, count)) return std::move(*pairs);
  // Where very many eigenvalues are equal, dsyevr may find fewer than asked for. It has destroyed one triangle only.
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    symmetric(i, i) = diagonal[i];
    for (std::size_t j = i + 1; j < diagonal.size(); ++j) symmetric(i, j) = symmetric(j, i);
  }
  return all_by_dsyevd(symmetric, count);
}

std::optional<Eigenpairs> leading_eigenpairs_single(MatrixView<double> symmetric, std::size_t count) {
  Matrix<float> rounded(symmetric.rows(), symmetric.cols());
  for (std::size_t i = 0; i < symmetric.rows(); ++i)
    std::ranges::transform(symmetric.row(i), rounded.row(i).begin(), [](double v) { return static_cast<float>(v); });
  return some_by_syevr(rounded.view(), count);
}

Eigenpairs leading_eigenpairs(const Context& context, MatrixView<double> symmetric, std::size_t count) {
  const std::size_t n = symmetric.rows();
  if constexpr (with_cuda)
    if (context.device() == Device::cuda && few_of(count, n) && symmetric.stride() == n) {
      const cuda::Array<double> there(std::span<const double>(symmetric.data(), n * n));
      if (auto pairs = cuda::subspace_eigenpairs(there, n, count, 1e-7)) return std::move(*pairs);
    }
  if (few_of(count, n))
    if (auto pairs = by_krylov([&](const Columns& X) { return multiply(context, symmetric, X); }, n, count))
      return std::move(*pairs);
  return leading_eigenpairs(symmetric, count);
}

Eigenpairs leading_eigenpairs(const Context& context, const SparseSymmetric& symmetric, std::size_t count) {
  const std::size_t n = symmetric.size();
  if (few_of(count, n))
    if (auto pairs = by_krylov([&](const Columns& X) { return multiply(context, symmetric, X); }, n, count))
      return std::move(*pairs);
  Matrix<double> dense = symmetric.dense();
  return leading_eigenpairs(dense, count);
}

}  // namespace pssc
