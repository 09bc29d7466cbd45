#pragma once

#include <pssc/core/linalg.hpp>
#include <pssc/core/matrix.hpp>
#include <pssc/core/place.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

// What stages ask of an NVIDIA GPU, in terms that any compiler knows. Inside the library only. A stage that has kernels
// of its own begins with
//   if constexpr (with_cuda) if (x.on_device()) return cuda::its_name(...);
// and declares its_name in its folder's cuda/.

namespace pssc {

#ifdef PSSC_CUDA
inline constexpr bool with_cuda = true;
#else
inline constexpr bool with_cuda = false;
#endif

namespace cuda {

/// Waits for all that was asked for so far. Throws what has failed of it.
void finish();

void copy_between(const void* from, Place from_place, std::size_t from_stride, void* to, Place to_place,
                  std::size_t to_stride, std::size_t bytes, std::size_t rows);
void* allocate(std::size_t bytes);  ///< not zeroed

/// Numbers on the device, not zero at first.
template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t count)
      : data_(count ? static_cast<T*>(allocate(count * sizeof(T))) : nullptr), size_(count) {}
  explicit Array(std::span<const T> values) : Array(values.size()) {
    copy_numbers(values.data(), Place::host, data_, Place::device, size_ * sizeof(T));
  }
  Array(Array&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Array() { free_on_device(data_); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// Waits for the device.
  void copy_to(std::span<T> values) const {
    copy_numbers(data_, Place::device, values.data(), Place::host, std::min(values.size(), size_) * sizeof(T));
  }
  std::vector<T> on_host() const {
    std::vector<T> values(size_);
    copy_to(values);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A matrix that lies on the device, or is copied there for as long as this lives: small operands of large ones.
class Resident {
 public:
  explicit Resident(FloatView x) : view_(x) {
    if (x.on_device()) return;
    copy_ = copy_to(Place::device, x);
    view_ = copy_;
  }
  operator FloatView() const { return view_; }

 private:
  FloatMatrix copy_;
  FloatView view_;
};

// ---- products (core/cuda/products.cpp); all matrices on the device --------------------------------------------------

void multiply_transposed(FloatView a, FloatView b, MatrixView<float> c);
void multiply(FloatView a, FloatView b, MatrixView<float> c);
/// C = A^T A for A [n x d]: the entries (i, j) with j >= i alone.
void multiply_by_itself(FloatView a, MatrixView<float> c);
/// In double precision: C = A B, or C = A B^T.
enum class Product { plain, transposed };
void multiply(Product kind, MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);
/// C = C + factor A B.
void multiply_add(double factor, MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c);

// ---- rows and columns (core/cuda/rows.cu) ---------------------------------------------------------------------------

Array<float> squared_norms(FloatView x);    ///< |x|^2 of every row
Array<double> column_sums(FloatView x);     ///< summed in the same order every time
Array<double> column_squares(FloatView x);  ///< of the squares
void subtract_from_rows(MatrixView<float> x, std::span<const float> row);
/// x(i, .) - rows(labels[i], .), or zero where the label is negative.
FloatMatrix minus_own_row(FloatView x, const Array<std::int32_t>& labels, MatrixView<const double> rows);
/// Sum over j of x(i,j)^2 weights[j], for every row.
std::vector<float> weighted_squares(FloatView x, std::span<const float> weights);
/// Moves row i of x to row places[i] of y.
void put_rows(FloatView x, std::span<const std::size_t> places, MatrixView<float> y);

/// Rows by their label: rows[offsets[c]] .. are those of label c, rising. Negative labels are left out.
struct Groups {
  std::size_t count = 0;
  std::vector<std::int32_t> sizes;
  Array<std::int32_t> rows, offsets;
  Groups(std::span<const std::int32_t> labels, std::size_t groups);
};
/// The sum of each group's rows, in the order of the rows: [groups x d].
Array<double> group_sums(FloatView x, const Groups& groups);

/// Takes the mean off the rows, which it returns, and leaves their inner products [d x d].
Array<double> centred_products(MatrixView<float> x, std::vector<float>& mean);

/// X^T X of rows [n x d], in double precision across some thousand rows at a time: [d x d].
Array<double> inner_products(FloatView x);
void scale(Array<double>& values, double factor);
Array<float> rounded(const Array<double>& values);

// ---- eigenvectors (core/cuda/eigensolver.cpp) -----------------------------------------------------------------------

/// Leading eigenvectors: values on the host, vectors [count x d] on the device, of each the entry of largest size
/// positive.
struct DevicePairs {
  std::vector<double> values;
  FloatMatrix vectors;
};
/// Of a symmetric matrix, which is destroyed, in single precision by cuSOLVER, which reduces the whole of it.
DevicePairs leading_eigenpairs_single(Array<float> symmetric, std::size_t d, std::size_t count);
/// Of a full symmetric matrix without negative eigenvalues, in double precision by iterations of a block, all of it
/// products (core/cuda/block_eigensolver.cpp). Their space is found to `tolerance`, the length of a residual; within it
/// they are orthonormal to rounding. Nothing where that takes too long, or where too many are asked for.
std::optional<DevicePairs> block_eigenpairs(const Array<double>& symmetric, std::size_t d, std::size_t count,
                                            double tolerance);

/// The leading few of a full symmetric matrix of double precision without negative eigenvalues, on the device, by
/// subspace iteration; nothing where it does not converge.
/// `tolerance` is of a residual, in units of the largest eigenvalue.
std::optional<Eigenpairs> subspace_eigenpairs(const Array<double>& symmetric, std::size_t n, std::size_t count,
                                              double tolerance);
/// Whatever there are, by dense methods.
Eigenpairs dense_eigenpairs(Array<double> symmetric, std::size_t n, std::size_t count);

}  // namespace cuda
}  // namespace pssc
