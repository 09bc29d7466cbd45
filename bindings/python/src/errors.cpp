#include "errors.hpp"

#include <pybind11/pybind11.h>

#include <exception>
#include <new>

namespace pssc::python {

namespace {

PyObject* type_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::usage:
    case ErrorKind::input:
      return PyExc_ValueError;
    case ErrorKind::failed:
      break;
  }
  return PyExc_RuntimeError;
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const FileError& error) {
    PyErr_SetString(PyExc_OSError, error.what());
  } catch (const Error& error) {
    PyErr_SetString(type_of(error), error.what());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, "out of memory; lower the memory limit, size or pca_dims");
  }
}

}  // namespace

void register_errors() {
  pybind11::register_exception_translator(translate);
}

}  // namespace pssc::python
