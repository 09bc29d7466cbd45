#pragma once

#include <pssc/clustering.hpp>
#include <pssc/core/matrix.hpp>
#include <pssc/images.hpp>

#include <pybind11/numpy.h>

#include <memory>
#include <span>
#include <vector>

namespace pssc::python {

namespace py = pybind11;

/// A matrix of float32 whose rows lie in one piece each. The Python side sees to that; here it is made sure of.
using Rows = py::array_t<float>;

/// The array itself, not a copy. Throws TypeError where it is no such matrix.
FloatView view_of(const Rows& array);
std::span<const std::int32_t> labels_of(const py::array_t<std::int32_t, py::array::c_style>& array);

/// Any array as the library's images see it. Throws TypeError where its numbers cannot be read.
ArrayView describe(const py::array& array);

/// A new array, and the library's view of it to write to.
template <class T>
MatrixView<T> writable(py::array_t<T>& array) {
  return {array.mutable_data(), static_cast<std::size_t>(array.shape(0)), static_cast<std::size_t>(array.shape(1))};
}

/// A matrix that becomes an array without being copied.
template <class T>
py::array_t<T> to_array(Matrix<T>&& matrix) {
  auto owner = std::make_unique<Matrix<T>>(std::move(matrix));
  Matrix<T>* kept = owner.release();
  const py::capsule base(kept, [](void* p) { delete static_cast<Matrix<T>*>(p); });
  return py::array_t<T>({kept->rows(), kept->cols()}, kept->data(), base);
}

/// A list of numbers as an array of its own, so that its owner's is safe from being written to.
template <class T>
py::array_t<T> to_array(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// Back from arrays, by copying: what a fit has learned is small.
template <class T>
Matrix<T> to_matrix(const py::array_t<T, py::array::c_style | py::array::forcecast>& array) {
  if (array.ndim() != 2) throw py::type_error("a matrix is needed");
  Matrix<T> matrix(static_cast<std::size_t>(array.shape(0)), static_cast<std::size_t>(array.shape(1)));
  std::copy_n(array.data(), matrix.size(), matrix.data());
  return matrix;
}

template <class T>
std::vector<T> to_vector(const py::array_t<T, py::array::c_style | py::array::forcecast>& array) {
  return {array.data(), array.data() + array.size()};
}

template <class T>
using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;

}  // namespace pssc::python
