#pragma once

#include <pssc/core/context.hpp>

#include <pybind11/pybind11.h>

#include <cstdint>
#include <exception>
#include <utility>

namespace pssc::python {

namespace py = pybind11;

/// Where and how a call happens, as Python says it.
struct Settings {
  unsigned threads = 0;  ///< 0: one a core
  std::uint64_t seed = 0;
  std::size_t memory = Context::default_memory;
  Device device = Device::cpu;
  py::object progress = py::none();  ///< called with (stage, done, total)
};

/// Thrown through the library when Python has an exception waiting: a Ctrl-C, or one of the progress callback. It holds
/// nothing of Python's, because it travels without the interpreter's lock.
struct PythonRaised : std::exception {};

/// A context that looks for signals, and reports progress, a few times a second.
Context make_context(const Settings& settings);

/// Calls body(context) without the interpreter's lock.
template <class Body>
auto run(const Settings& settings, Body&& body) {
  const Context context = make_context(settings);
  try {
    const py::gil_scoped_release released;
    return std::forward<Body>(body)(context);
  } catch (const PythonRaised&) {
    throw py::error_already_set();
  }
}

void bind_settings(py::module_& module);

}  // namespace pssc::python
