#pragma once

#include <pssc/pipeline.hpp>

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

namespace pssc::python {

/// The preset of this name with the options that are given: the command line's, with _ for -. Throws TypeError or
/// ValueError naming the option.
Parameters parameters_of(const std::string& preset_name, const pybind11::dict& options);

/// What the parameters of these names leave open: ignore, size, contrast, colour.
Adaptive adaptive_of(const std::vector<std::string>& names);

/// A whole number of at least `least`, whatever integer type it is of.
std::size_t whole_number(const std::string& name, pybind11::handle value, std::size_t least);

}  // namespace pssc::python
