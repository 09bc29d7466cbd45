// The extension module pssc._core: the library's functions as Python can call them. What users see is in ../pssc.
#include "bind.hpp"
#include "errors.hpp"
#include "images.hpp"
#include "running.hpp"

#include <pssc/pipeline.hpp>

PYBIND11_MODULE(_core, module) {
  module.doc() = "The C++ library of pssc.";
  pssc::python::register_errors();
  pssc::python::bind_settings(module);
  pssc::python::bind_images(module);
  pssc::python::bind_clustering(module);
  pssc::python::bind_stages(module);
  module.def("version", &pssc::version);
  module.def("simd", &pssc::scattering_simd);
}
