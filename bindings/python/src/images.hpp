#pragma once

#include <pssc/images.hpp>

#include <pybind11/pybind11.h>

#include <memory>

namespace pssc::python {

namespace py = pybind11;

/// Images, and whatever of Python's holds their memory.
struct Images {
  std::unique_ptr<ImageSet> set;
  py::object owner = py::none();
};

void bind_images(py::module_& module);

}  // namespace pssc::python
