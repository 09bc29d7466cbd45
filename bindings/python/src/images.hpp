#pragma once

#include <pssc/pipeline.hpp>

#include <pybind11/pybind11.h>

#include <memory>

namespace pssc::python {

namespace py = pybind11;

/// Images, how they are opened on another canvas, and the Python object that holds their memory, if any.
struct Images {
  Images(OpenImages how, ImageParams params, py::object holder = py::none());

  OpenImages open;
  ImageParams params;
  std::unique_ptr<ImageSet> set;
  py::object owner;
};

void bind_images(py::module_& module);

}  // namespace pssc::python
