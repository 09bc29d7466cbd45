#include "arrays.hpp"

#include <pssc/core/error.hpp>

#include <cstdint>
#include <string>

namespace pssc::python {

FloatView view_of(const Rows& array) {
  constexpr auto element = static_cast<py::ssize_t>(sizeof(float));
  if (array.ndim() != 2) throw py::type_error("a matrix of float32 is needed");
  const bool whole_rows = array.shape(1) <= 1 || array.strides(1) == element;
  const bool forwards = array.shape(0) <= 1 || (array.strides(0) >= 0 && array.strides(0) % element == 0);
  const bool aligned = reinterpret_cast<std::uintptr_t>(array.data()) % alignof(float) == 0;
  if (!whole_rows || !forwards || !aligned) throw py::type_error("rows of float32 must each lie in one piece, aligned");
  const std::size_t stride = array.shape(0) <= 1 ? static_cast<std::size_t>(array.shape(1))
                                                 : static_cast<std::size_t>(array.strides(0) / element);
  return {array.data(), static_cast<std::size_t>(array.shape(0)), static_cast<std::size_t>(array.shape(1)), stride};
}

std::span<const std::int32_t> labels_of(const py::array_t<std::int32_t, py::array::c_style>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

ArrayView describe(const py::array& array) {
  ArrayView view;
  view.data = array.data();
  view.type = py::str(array.dtype().attr("str")).cast<std::string>();
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    view.shape.push_back(static_cast<std::size_t>(array.shape(i)));
    view.strides.push_back(array.strides(i));
  }
  try {
    if (array.ndim() > 0) read_rows(view, 0, 0, {});
  } catch (const Error& error) {
    throw py::type_error(error.what());
  }
  return view;
}

}  // namespace pssc::python
