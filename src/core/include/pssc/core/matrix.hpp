#pragma once

#include <pssc/core/place.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace pssc {

/// A row-major view [rows x cols] of somebody else's numbers; rows lie `stride` elements apart. Numbers that lie on a
/// device can be handed from stage to stage, but not read here.
template <class T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t stride, Place place = Place::host)
      : data_(data), rows_(rows), cols_(cols), stride_(stride), place_(place) {}
  /// A writable view serves wherever a read-only one is asked for.
  template <class U>
  requires(std::is_same_v<T, const U>) MatrixView(const MatrixView<U>& other)
      : MatrixView(other.data(), other.rows(), other.cols(), other.stride(), other.place()) {}

  T* data() const { return data_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }
  bool empty() const { return rows_ == 0 || cols_ == 0; }
  Place place() const { return place_; }
  bool on_device() const { return place_ == Place::device; }
  std::span<T> row(std::size_t i) const { return {data_ + i * stride_, cols_}; }
  T& operator()(std::size_t i, std::size_t j) const { return data_[i * stride_ + j]; }

  /// Rows [begin, end).
  MatrixView row_range(std::size_t begin, std::size_t end) const {
    return {data_ + begin * stride_, end - begin, cols_, stride_, place_};
  }
  /// Columns [begin, end).
  MatrixView col_range(std::size_t begin, std::size_t end) const {
    return {data_ + begin, rows_, end - begin, stride_, place_};
  }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0, cols_ = 0, stride_ = 0;
  Place place_ = Place::host;
};

/// An owning, dense, row-major matrix on a 64-byte boundary, zero at first. Moves, never copies by accident.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols, Place place = Place::host)
      : rows_(rows), cols_(cols), data_(allocate(rows * cols, place)) {}

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t size() const { return rows_ * cols_; }
  bool empty() const { return size() == 0; }
  Place place() const { return data_.get_deleter().place; }
  std::span<T> row(std::size_t i) { return {data() + i * cols_, cols_}; }
  std::span<const T> row(std::size_t i) const { return {data() + i * cols_, cols_}; }
  T& operator()(std::size_t i, std::size_t j) { return data()[i * cols_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return data()[i * cols_ + j]; }

  MatrixView<T> view() { return {data(), rows_, cols_, cols_, place()}; }
  MatrixView<const T> view() const { return {data(), rows_, cols_, cols_, place()}; }
  operator MatrixView<T>() { return view(); }
  operator MatrixView<const T>() const { return view(); }

  /// On purpose, and seen where it happens.
  Matrix copy() const {
    Matrix result(rows_, cols_, place());
    copy_numbers(data(), place(), result.data(), place(), size() * sizeof(T));
    return result;
  }
  /// Forgets the rows from `rows` on; the memory stays.
  void truncate_rows(std::size_t rows) { rows_ = rows < rows_ ? rows : rows_; }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    Place place = Place::host;
    void operator()(T* p) const {
      if (place == Place::device)
        free_on_device(p);
      else
        ::operator delete[](p, alignment);
    }
  };
  static std::unique_ptr<T[], Free> allocate(std::size_t count, Place place) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0) return std::unique_ptr<T[], Free>(nullptr, Free{place});
    if (place == Place::device)
      return std::unique_ptr<T[], Free>(static_cast<T*>(allocate_on_device(count * sizeof(T))), Free{place});
    auto* p = static_cast<T*>(::operator new[](count * sizeof(T), alignment));
    std::uninitialized_value_construct_n(p, count);
    return std::unique_ptr<T[], Free>(p);
  }

  std::size_t rows_ = 0, cols_ = 0;
  std::unique_ptr<T[], Free> data_;
};

/// The same numbers on the host, or on a device: a copy.
template <class T>
Matrix<std::remove_const_t<T>> copy_to(Place place, const MatrixView<T>& x) {
  Matrix<std::remove_const_t<T>> copied(x.rows(), x.cols(), place);
  copy_rows(x.data(), x.place(), x.stride() * sizeof(T), copied.data(), place, x.cols() * sizeof(T),
            x.cols() * sizeof(T), x.rows());
  return copied;
}

/// The matrix itself where it lies on the host.
template <class T>
Matrix<T> to_host(Matrix<T> x) {
  return x.place() == Place::host ? std::move(x) : copy_to(Place::host, MatrixView<const T>(x));
}

/// The numbers of x into a view of the same shape, wherever both lie.
template <class T>
void copy_into(const MatrixView<T>& x, const MatrixView<std::remove_const_t<T>>& y) {
  copy_rows(x.data(), x.place(), x.stride() * sizeof(T), y.data(), y.place(), y.stride() * sizeof(T),
            x.cols() * sizeof(T), x.rows());
}

/// The named rows, in that order; they stay where they are.
template <class T>
Matrix<std::remove_const_t<T>> gather_rows(const MatrixView<T>& x, std::span<const std::size_t> rows) {
  Matrix<std::remove_const_t<T>> picked(rows.size(), x.cols(), x.place());
  if (x.on_device()) {
    gather_on_device(x.data(), x.stride() * sizeof(T), x.cols() * sizeof(T), rows, picked.data());
    return picked;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(x.row(rows[i]), picked.row(i).begin());
  return picked;
}

using FloatView = MatrixView<const float>;
using FloatMatrix = Matrix<float>;

}  // namespace pssc
