#include "images.hpp"

#include "arrays.hpp"
#include "errors.hpp"

#include <pssc/core/parallel.hpp>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cmath>

namespace pssc::python {

namespace {

ImageParams params_of(std::size_t size, const std::string& colour, const std::string& frame,
                      const ImageLimits& limits) {
  if (colour != "grey" && colour != "channels")
    throw usage_error("colour cannot be '" + colour + "'; it is one of grey, channels");
  return {.size = size,
          .colour = colour == "grey" ? Colour::grey : Colour::channels,
          .frame = frame == "auto"   ? Frame::automatic
                   : frame == "none" ? Frame::none
                                     : Frame::black,
          .limits = limits};
}

/// Nothing of Python's may be touched in the body.
template <class Body>
auto unlocked(Body&& body) {
  const py::gil_scoped_release released;
  return body();
}

Images from_array(const py::array& array, std::size_t size, const std::string& colour, const std::string& frame,
                  const ImageLimits& limits) {
  return {[view = describe(array)](const ImageParams& params) { return images_from_memory(view, params); },
          params_of(size, colour, frame, limits), array};
}

Images from_input(const std::string& input, std::size_t size, const std::string& colour, const std::string& frame,
                  std::uint64_t seed, const ImageLimits& limits) {
  ImageParams params = params_of(size, colour, frame, limits);
  params.seed = seed;
  return {[input](const ImageParams& p) { return with_files([&] { return open_images(input, p); }); }, params};
}

Images from_paths(const std::vector<std::string>& paths, std::size_t size, const std::string& colour,
                  const std::string& frame, const ImageLimits& limits) {
  return {[paths](const ImageParams& p) { return with_files([&] { return images_from_files(paths, p); }); },
          params_of(size, colour, frame, limits)};
}

/// All pixels of grey images, [n, size, size], as T; values lie in 0..255.
template <class T>
py::array pixels(const Images& images) {
  const ImageSet& set = *images.set;
  const std::size_t plane = set.channels() * set.size() * set.size();
  std::vector<std::size_t> shape{set.count(), set.size(), set.size()};
  if (set.channels() > 1) shape.insert(shape.begin() + 1, set.channels());
  py::array_t<T> array(shape);
  T* out = array.mutable_data();
  unlocked([&] {
    const Context context;
    parallel_blocks(context, set.count(), 256, [&](std::size_t begin, std::size_t end) {
      std::vector<float> block((end - begin) * plane);
      std::vector<BrokenImage> broken;
      set.read(begin, end, block, broken);
      std::ranges::transform(block, out + begin * plane, [](float v) { return static_cast<T>(v); });
    });
  });
  return array;
}

py::object truth(const Images& images) {
  const auto& labels = images.set->labels();
  if (!labels) return py::none();
  return py::make_tuple(to_array(labels->values), labels->names);
}

}  // namespace

Images::Images(OpenImages how, ImageParams given, py::object holder)
    : open(std::move(how)),
      params(std::move(given)),
      set(unlocked([&] { return open(params); })),
      owner(std::move(holder)) {}

void bind_images(py::module_& module) {
  const ImageLimits usual;
  py::class_<ImageLimits>(module, "ImageLimits", "What input may ask of the machine.")
      .def(py::init([](std::uint64_t pixels, std::uint64_t unfolded, bool follow_links) {
             return ImageLimits{.pixels = pixels, .unfolded = unfolded, .follow_links = follow_links};
           }),
           py::arg("pixels") = usual.pixels, py::arg("unfolded") = usual.unfolded,
           py::arg("follow_links") = usual.follow_links);
  py::class_<Images>(module, "Images", "Images that are read when they are needed.")
      .def_static("from_array", from_array, py::arg("array"), py::arg("size"), py::arg("colour"),
                  py::arg("frame") = "black", py::arg("limits") = usual)
      .def_static("from_input", from_input, py::arg("input"), py::arg("size"), py::arg("colour"),
                  py::arg("frame") = "black", py::arg("seed") = 0, py::arg("limits") = usual)
      .def_static("from_paths", from_paths, py::arg("paths"), py::arg("size"), py::arg("colour"),
                  py::arg("frame") = "black", py::arg("limits") = usual)
      .def("__len__", [](const Images& i) { return i.set->count(); })
      .def_property_readonly("name", [](const Images& i) { return i.set->name(); })
      .def_property_readonly("truth", truth)
      .def("pixels_uint8", pixels<std::uint8_t>)
      .def("pixels_float32", pixels<float>);

  module.def("list_datasets", [] {
    py::list list;
    for (const DatasetInfo& d : list_datasets()) {
      py::dict entry;
      entry["name"] = d.name;
      entry["description"] = d.description;
      entry["count"] = d.count;
      entry["path"] = d.path ? py::cast(d.path->string()) : py::none();
      entry["remedy"] = d.remedy;
      list.append(entry);
    }
    return list;
  });
  module.def(
      "fetch_dataset",
      [](const std::string& name) {
        const py::gil_scoped_release released;
        return with_files([&] { return fetch_dataset(name).string(); });
      },
      py::arg("name"));
}

}  // namespace pssc::python
