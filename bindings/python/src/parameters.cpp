#include "parameters.hpp"

#include <pssc/core/error.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <map>

namespace pssc::python {

namespace py = pybind11;

namespace {

std::string shown(py::handle value) {
  return py::repr(value).cast<std::string>();
}

template <class T>
T choice(const std::string& name, py::handle value, const std::map<std::string, T>& choices) {
  if (!py::isinstance<py::str>(value)) throw py::type_error(name + " must be a string, not " + shown(value));
  const auto found = choices.find(value.cast<std::string>());
  if (found != choices.end()) return found->second;
  std::string known;
  for (const auto& [key, unused] : choices) known += (known.empty() ? "" : ", ") + key;
  throw usage_error(name + " cannot be " + shown(value) + "; it is one of " + known);
}

std::size_t count_or_auto(const std::string& name, py::handle value, std::size_t least) {
  if (py::isinstance<py::str>(value) && value.cast<std::string>() == "auto") return Parameters::automatic;
  if (py::isinstance<py::str>(value))
    throw usage_error(name + " must be a whole number of at least " + std::to_string(least) + ", or auto, not " +
                      shown(value));
  return whole_number(name, value, least);
}

double real_number(const std::string& name, py::handle value) {
  try {
    return value.cast<double>();
  } catch (const py::cast_error&) {
    throw py::type_error(name + " must be a number, not " + shown(value));
  }
}

void set_range(Parameters& p, const std::string& name, py::handle value) {
  if (!py::isinstance<py::sequence>(value) || py::len(value) != 2)
    throw py::type_error(name + " must be two whole numbers such as (2, 30), not " + shown(value));
  const auto pair = py::reinterpret_borrow<py::sequence>(value);
  p.k_least = whole_number(name, pair[0], 2);
  p.k_most = whole_number(name, pair[1], 2);
}

/// A string as the command takes it, or a sequence of kinds, each with or without + or -.
void set_ignored(Parameters& p, const std::string& name, py::handle value) {
  std::string list;
  if (py::isinstance<py::str>(value)) {
    list = value.cast<std::string>();
  } else if (py::isinstance<py::sequence>(value)) {
    for (const py::handle kind : py::reinterpret_borrow<py::sequence>(value)) {
      if (!py::isinstance<py::str>(kind)) throw py::type_error(name + " must hold strings, not " + shown(kind));
      list += (list.empty() ? "" : ",") + kind.cast<std::string>();
    }
    if (list.empty()) list = "none";
  } else {
    throw py::type_error(name + " must be a string or a sequence of strings, not " + shown(value));
  }
  p.ignored = parse_ignored(list);
}

using Set = std::function<void(Parameters&, const std::string&, py::handle)>;

Set number(std::size_t Parameters::*field, std::size_t least) {
  return [=](Parameters& p, const std::string& name, py::handle v) { p.*field = whole_number(name, v, least); };
}
Set number_or_auto(std::size_t Parameters::*field, std::size_t least) {
  return [=](Parameters& p, const std::string& name, py::handle v) { p.*field = count_or_auto(name, v, least); };
}
template <class T>
Set one_of(T Parameters::*field, const std::map<std::string, T>& choices) {
  return [=](Parameters& p, const std::string& name, py::handle v) { p.*field = choice(name, v, choices); };
}

const std::map<std::string, Set>& setters() {
  static const std::map<std::string, Set> all{
      {"n_clusters", number_or_auto(&Parameters::clusters, 2)},
      {"k_range", set_range},
      {"features", one_of(&Parameters::features, {{"scattering", Features::scattering}, {"pixels", Features::pixels}})},
      {"contrast", one_of(&Parameters::contrast, {{"none", Contrast::none}, {"local", Contrast::local}})},
      {"scales", number_or_auto(&Parameters::scales, 1)},
      {"angles", number(&Parameters::angles, 1)},
      {"order", number(&Parameters::order, 0)},
      {"equalise",
       one_of(&Parameters::equalise,
              {{"maxnorm", Equalisation::maxnorm}, {"log", Equalisation::log}, {"none", Equalisation::none}})},
      {"pca_dims", number(&Parameters::pca_dims, 1)},
      {"poc_dims", number_or_auto(&Parameters::poc_dims, 0)},
      {"sample_images", number(&Parameters::sample_images, 2)},
      {"fit_images", number(&Parameters::fit_images, 2)},
      {"clusterer", one_of(&Parameters::clusterer, {{"uspec", Clusterer::uspec},
                                                    {"kmeans", Clusterer::kmeans},
                                                    {"spectral", Clusterer::spectral},
                                                    {"dbscan", Clusterer::dbscan}})},
      {"candidates", number(&Parameters::candidates, 1)},
      {"representatives", number(&Parameters::representatives, 1)},
      {"neighbours", number(&Parameters::neighbours, 1)},
      {"knn", one_of(&Parameters::search, {{"exact", Search::exact}, {"hnsw", Search::hnsw}})},
      {"refine",
       one_of(&Parameters::refine,
              {{"none", Refinement::none}, {"consensus", Refinement::consensus}, {"ridge", Refinement::ridge}})},
      {"ignore", set_ignored},
      {"dbscan_radius",
       [](Parameters& p, const std::string& name, py::handle v) { p.dbscan_radius = real_number(name, v); }},
      {"dbscan_points", number(&Parameters::dbscan_points, 1)}};
  return all;
}

}  // namespace

std::size_t whole_number(const std::string& name, py::handle value, std::size_t least) {
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index || py::isinstance<py::bool_>(value)) {
    PyErr_Clear();
    throw py::type_error(name + " must be a whole number, not " + shown(value));
  }
  const auto number = PyLong_AsSsize_t(index.ptr());
  if (PyErr_Occurred()) PyErr_Clear();  // far too large is caught below, with -1
  if (number < 0 || static_cast<std::size_t>(number) < least)
    throw usage_error(name + " must be a whole number of at least " + std::to_string(least) + ", not " + shown(value));
  return static_cast<std::size_t>(number);
}

Parameters parameters_of(const std::string& preset_name, const py::dict& options) {
  Parameters parameters = preset(preset_name);
  for (const auto& [key, value] : options) {
    const auto name = key.cast<std::string>();
    const auto found = setters().find(name);
    if (found == setters().end()) throw py::type_error("there is no parameter " + name);
    if (!value.is_none()) found->second(parameters, name, value);
  }
  return parameters;
}

Adaptive adaptive_of(const std::vector<std::string>& names) {
  const auto holds = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  return {.ignored = holds("ignore"), .size = holds("size"), .contrast = holds("contrast"), .colour = holds("colour")};
}

}  // namespace pssc::python
