#pragma once

#include <pybind11/pybind11.h>

namespace pssc::python {

// Each adds its part to the module.
void bind_clustering(pybind11::module_& module);
void bind_stages(pybind11::module_& module);

}  // namespace pssc::python
