// Whole runs on images, and the models they leave.
#include "arrays.hpp"
#include "bind.hpp"
#include "errors.hpp"
#include "images.hpp"
#include "parameters.hpp"
#include "running.hpp"

#include <pssc/pipeline.hpp>
#include <pssc/report.hpp>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <limits>

namespace pssc::python {

namespace {

using SharedRun = std::shared_ptr<Run>;

py::list as_list(const std::vector<BrokenImage>& broken) {
  py::list list;
  for (const BrokenImage& b : broken) list.append(py::make_tuple(b.index, b.id, b.reason));
  return list;
}

SharedRun cluster_images(const Images& images, const std::string& preset_name, const py::dict& options,
                         const std::vector<std::string>& adaptive, const Settings& settings) {
  Parameters parameters = parameters_of(preset_name, options);
  return run(settings, [&](const Context& context) {
    if (adaptive.empty()) return std::make_shared<Run>(cluster(context, parameters, *images.set));
    Adaptation found = adapt(context, parameters, images.params, adaptive_of(adaptive), images.open);
    ImageParams params = images.params;
    use(found.candidates[found.chosen], parameters, params);
    const auto done = std::make_shared<Run>(cluster(context, parameters, *images.open(params)));
    done->adaptation = std::move(found);
    return done;
  });
}

/// One value an image of the input, in its order; those that could not be read get `absent`.
template <class T>
py::array_t<T> of_all_images(const Run& run, const std::vector<T>& values, T absent) {
  if (run.skipped.empty()) return to_array(values);
  py::array_t<T> array(static_cast<py::ssize_t>(run.count + run.skipped.size()));
  T* out = array.mutable_data();
  std::fill_n(out, array.size(), absent);
  for (std::size_t i = 0; i < run.count; ++i) out[run.numbers[i]] = values[i];
  return array;
}

/// Where the images of the input, broken ones too, have their names.
py::list ids_of(const Run& run) {
  py::list ids(run.count + run.skipped.size());
  for (std::size_t i = 0; i < run.count; ++i) ids[run.numbers[i]] = py::str(run.ids[i]);
  for (const BrokenImage& b : run.skipped) ids[b.index] = py::str(b.id);
  return ids;
}

py::list counts_of(const Run& run) {
  py::list list;
  for (const ClusterCount& c : run.clustering.counts) list.append(py::make_tuple(c.clusters, c.score));
  return list;
}

py::array map_of(const SharedRun& run) {
  py::array_t<float> array({run->positions.rows(), run->positions.cols()}, run->positions.data(), py::cast(run));
  array.attr("setflags")(false);
  return array;
}

void write_files(const Run& done, const Images& images, const std::string& command, const std::string& folder,
                 const Settings& settings) {
  run(settings, [&](const Context& context) {
    with_files([&] {
      const RunFolder taken{folder};
      write_run(context, done, taken);
      write_pages(context, done, *images.set, command, taken);
    });
  });
}

void write_page(const Run& done, const Images& images, const std::string& command, const std::string& path,
                const Settings& settings) {
  if (images.set->count() != done.count + done.skipped.size())
    throw input_error("a report needs the images of the run: it had " +
                      std::to_string(done.count + done.skipped.size()) + ", and these are " +
                      std::to_string(images.set->count()));
  run(settings,
      [&](const Context& context) { with_files([&] { write_report(context, done, *images.set, command, path); }); });
}

void bind_run(py::module_& module) {
  py::class_<Run, SharedRun>(module, "Run", "What a run found.")
      .def_property_readonly("labels", [](const Run& r) { return of_all_images(r, r.clustering.labels, noise_label); })
      .def_property_readonly("confidence", [](const Run& r) { return of_all_images(r, r.clustering.confidence, 0.0F); })
      .def_property_readonly(
          "outliers",
          [](const Run& r) {
            return of_all_images(r, r.clustering.outliers, std::uint8_t{1}).attr("view")(py::dtype::of<bool>());
          })
      .def_property_readonly("clusters", [](const Run& r) { return r.clustering.clusters; })
      .def_property_readonly("eigenvalues", [](const Run& r) { return to_array(r.clustering.eigenvalues); })
      .def_property_readonly("counts", counts_of)
      .def_property_readonly("notes", [](const Run& r) { return r.clustering.notes; })
      .def_property_readonly("ids", ids_of)
      .def_property_readonly("skipped", [](const Run& r) { return as_list(r.skipped); })
      .def_property_readonly("variances", [](const Run& r) { return to_array(r.variances); })
      .def_property_readonly("map", map_of)
      .def_property_readonly("model", [](const Run& r) { return r.model; })
      .def(
          "summary", [](const Run& r, const Settings& settings) { return summary_json(make_context(settings), r); },
          py::arg("settings"))
      .def("write", write_files, py::arg("images"), py::arg("command"), py::arg("folder"), py::arg("settings"))
      .def("report", write_page, py::arg("images"), py::arg("command"), py::arg("path"), py::arg("settings"));
  module.def("cluster", cluster_images, py::arg("images"), py::arg("preset"), py::arg("options"), py::arg("adaptive"),
             py::arg("settings"));
}

/// labels, confidence, outliers, and what could not be read.
py::tuple predict(const Model& model, const Images& images, const Settings& settings) {
  const auto n = static_cast<py::ssize_t>(images.set->count());
  py::array_t<Label> labels(n);
  py::array_t<float> confidence(n);
  py::array_t<bool> outliers(n);
  Label* label = labels.mutable_data();
  float* sure = confidence.mutable_data();
  bool* out = outliers.mutable_data();
  std::fill_n(label, n, noise_label);
  std::fill_n(sure, n, 0.0F);
  std::fill_n(out, n, true);
  const auto broken = run(settings, [&](const Context& context) {
    return model.predict(context, *images.set, [&](const Clustering& placed, std::span<const std::size_t> rows) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        label[rows[i]] = placed.labels[i];
        sure[rows[i]] = placed.confidence[i];
        out[rows[i]] = placed.outliers[i] != 0;
      }
    });
  });
  return py::make_tuple(labels, confidence, outliers, as_list(broken));
}

using Stream = std::vector<BrokenImage> (Model::*)(const Context&, const ImageSet&, const Model::VisitRows&) const;

/// Rows of numbers about all images, NaN for those that could not be read; and these.
py::tuple rows_of(const Model& model, Stream stream, std::size_t columns, const Images& images,
                  const Settings& settings) {
  py::array_t<float> array({images.set->count(), columns});
  MatrixView<float> all = writable(array);
  const auto broken = run(settings, [&](const Context& context) {
    auto skipped = (model.*stream)(context, *images.set, [&](FloatView values, std::span<const std::size_t> rows) {
      for (std::size_t i = 0; i < rows.size(); ++i) std::ranges::copy(values.row(i), all.row(rows[i]).begin());
    });
    for (const BrokenImage& b : skipped) std::ranges::fill(all.row(b.index), std::numeric_limits<float>::quiet_NaN());
    return skipped;
  });
  return py::make_tuple(array, as_list(broken));
}

void bind_model(py::module_& module) {
  py::class_<Model>(module, "Model", "What a run learned, enough to place any further image.")
      .def_static(
          "load", [](const std::string& path) { return with_files([&] { return Model::load(path); }); },
          py::arg("path"))
      .def(
          "save", [](const Model& m, const std::string& path) { with_files([&] { m.save(path); }); }, py::arg("path"))
      .def_property_readonly("clusters", &Model::clusters)
      .def_property_readonly("embedding_dims", &Model::embedding_dims)
      .def_property_readonly("size", [](const Model& m) { return m.image_params().size; })
      .def_property_readonly(
          "colour", [](const Model& m) { return m.image_params().colour == Colour::channels ? "channels" : "grey"; })
      .def_property_readonly("frame",
                             [](const Model& m) { return m.image_params().frame == Frame::none ? "none" : "black"; })
      .def("predict", predict, py::arg("images"), py::arg("settings"))
      .def(
          "probabilities",
          [](const Model& m, const Images& images, const Settings& settings) {
            return rows_of(m, &Model::probabilities, m.clusters(), images, settings);
          },
          py::arg("images"), py::arg("settings"))
      .def(
          "embedding",
          [](const Model& m, const Images& images, const Settings& settings) {
            return rows_of(m, &Model::embedding, m.embedding_dims(), images, settings);
          },
          py::arg("images"), py::arg("settings"))
      .def(py::pickle(
          [](const Model& m) { return py::bytes(m.bytes()); },
          [](const py::bytes& state) { return Model::from_bytes(std::string_view(state), "the pickled model"); }));
}

}  // namespace

void bind_clustering(py::module_& module) {
  bind_model(module);
  bind_run(module);
}

}  // namespace pssc::python
