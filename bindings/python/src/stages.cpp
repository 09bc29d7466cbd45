// The stages on their own: scattering, projection, whitening, U-SPEC, metrics.
#include "arrays.hpp"
#include "bind.hpp"
#include "errors.hpp"
#include "running.hpp"

#include <pssc/core/parallel.hpp>
#include <pssc/evaluation.hpp>
#include <pssc/projection.hpp>
#include <pssc/scattering.hpp>

#include <pybind11/stl.h>

#include <cmath>

namespace pssc::python {

namespace {

// ---- scattering ----------------------------------------------------------------------------------------------------

/// [images, h, w, channels] -> [images, channels, h, w]
void split_channels(std::span<const float> pixels, std::size_t plane, std::size_t channels, std::span<float> planes) {
  const std::size_t images = pixels.size() / (plane * channels);
  for (std::size_t i = 0; i < images; ++i)
    for (std::size_t p = 0; p < plane; ++p)
      for (std::size_t c = 0; c < channels; ++c)
        planes[(i * channels + c) * plane + p] = pixels[(i * plane + p) * channels + c];
}

void require_finite(std::span<const float> pixels, std::size_t first, std::size_t each) {
  for (std::size_t i = 0; i < pixels.size(); ++i)
    if (!std::isfinite(pixels[i]))
      throw input_error("the array holds NaN or infinity, first in image " + std::to_string(first + i / each) +
                        "; replace such values, with numpy.nan_to_num for instance");
}

/// Features [n x channels * dimension] of an array of images [n, h, w] or [n, h, w, channels], read as they lie, a
/// block of images at a time.
py::array_t<float> scatter_array(const Scattering& scattering, const py::array& array, const Settings& settings) {
  constexpr std::size_t images_per_block = 64;
  const ArrayView view = describe(array);
  const ScatteringParams& params = scattering.params();
  const std::size_t n = view.shape[0], plane = params.height * params.width;
  const std::size_t channels = view.shape.size() == 4 ? view.shape[3] : 1;
  if (view.shape.size() < 3 || view.shape[1] != params.height || view.shape[2] != params.width)
    throw usage_error("the transform is for images of " + std::to_string(params.height) + " x " +
                      std::to_string(params.width) + " pixels");
  py::array_t<float> features({n, channels * scattering.dimension()});
  MatrixView<float> out = writable(features);
  run(settings, [&](const Context& context) {
    parallel_blocks(context, "scattering", n, images_per_block, [&](std::size_t begin, std::size_t end) {
      const std::size_t images = end - begin;
      std::vector<float> pixels(images * plane * channels), planes;
      read_rows(view, begin, end, pixels);
      require_finite(pixels, begin, plane * channels);
      if (channels > 1) {
        planes.resize(pixels.size());
        split_channels(pixels, plane, channels, planes);
        pixels.swap(planes);
      }
      scattering.transform({pixels.data(), images * channels, plane},
                           {out.row(begin).data(), images * channels, scattering.dimension()});
    });
  });
  return features;
}

py::list paths_of(const Scattering& scattering) {
  py::list list;
  for (const ScatteringPath& p : scattering.paths()) list.append(py::make_tuple(p.order, p.j1, p.t1, p.j2, p.t2));
  return list;
}

void bind_scattering(py::module_& module) {
  py::class_<Scattering>(module, "Scattering", "A prepared scattering transform.")
      .def(py::init(
               [](std::size_t height, std::size_t width, std::size_t scales, std::size_t angles, std::size_t order) {
                 return Scattering({height, width, scales, angles, order});
               }),
           py::arg("height"), py::arg("width"), py::arg("scales"), py::arg("angles"), py::arg("order"),
           py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("paths", paths_of)
      .def_property_readonly(
          "output_shape",
          [](const Scattering& s) { return py::make_tuple(s.paths().size(), s.output_height(), s.output_width()); })
      .def("transform", scatter_array, py::arg("images"), py::arg("settings"));
}

// ---- projection ----------------------------------------------------------------------------------------------------

/// mean, directions, variances, total variance of the principal components
py::tuple fit_components(const Rows& x, std::size_t dims, const Settings& settings) {
  const FloatView view = view_of(x);
  Projection pca = run(settings, [&](const Context& context) { return fit_pca(context, view, dims); });
  return py::make_tuple(to_array(pca.mean), to_array(std::move(pca.directions)), to_array(pca.variances),
                        pca.total_variance);
}

py::array_t<float> project_rows(const Rows& x, const Array<float>& mean, const Array<float>& directions,
                                const Settings& settings) {
  const FloatView view = view_of(x);
  const Projection projection{to_vector(mean), to_matrix(directions), {}, 0};
  py::array_t<float> result({view.rows(), projection.dimension()});
  const MatrixView<float> y = writable(result);
  run(settings, [&](const Context& context) { project(context, projection, view, y); });
  return result;
}

/// map, inverse, directions, variances
py::tuple fit_whitener(const Rows& y, const py::array_t<std::int32_t, py::array::c_style>& labels, std::size_t clusters,
                       double ridge, const Settings& settings) {
  const FloatView view = view_of(y);
  const auto of = labels_of(labels);
  if (of.size() != view.rows()) throw usage_error("there must be one label a row");
  for (const std::int32_t l : of)
    if (l >= 0 && static_cast<std::size_t>(l) >= clusters) throw usage_error("a label is not among the clusters");
  Whitening w =
      run(settings, [&](const Context& context) { return fit_whitening(context, view, of, clusters, ridge); });
  return py::make_tuple(to_array(std::move(w.map)), to_array(std::move(w.inverse)), to_array(std::move(w.directions)),
                        to_array(w.variances));
}

py::array_t<float> whiten_rows(const Rows& y, const Array<float>& map, const Settings& settings) {
  const FloatView view = view_of(y);
  Whitening whitening;
  whitening.map = to_matrix(map);
  return to_array(run(settings, [&](const Context& context) { return whiten(context, whitening, view); }));
}

void bind_projection(py::module_& module) {
  module.def("fit_pca", fit_components, py::arg("x"), py::arg("dims"), py::arg("settings"));
  module.def("project", project_rows, py::arg("x"), py::arg("mean"), py::arg("directions"), py::arg("settings"));
  module.def("fit_whitening", fit_whitener, py::arg("y"), py::arg("labels"), py::arg("clusters"), py::arg("ridge"),
             py::arg("settings"));
  module.def("whiten", whiten_rows, py::arg("y"), py::arg("map"), py::arg("settings"));
}

// ---- U-SPEC --------------------------------------------------------------------------------------------------------

/// A clustering of feature vectors, and what places further ones.
struct FittedUSpec {
  USpecRule rule;
  Clustering clustering;  ///< empty where it comes from a pickle
};

USpecParams uspec_params(std::size_t clusters, std::size_t representatives, std::size_t candidates,
                         std::size_t neighbours, const std::string& knn, std::size_t starts) {
  if (knn != "exact" && knn != "hnsw") throw usage_error("knn cannot be '" + knn + "'; it is one of exact, hnsw");
  return {.clusters = clusters,
          .candidates = candidates,
          .representatives = representatives,
          .neighbours = neighbours,
          .search = knn == "exact" ? Search::exact : Search::hnsw,
          .starts = starts};
}

std::unique_ptr<FittedUSpec> fit_uspec(const Rows& x, std::size_t clusters, std::size_t representatives,
                                       std::size_t candidates, std::size_t neighbours, const std::string& knn,
                                       std::size_t starts, const Settings& settings) {
  const FloatView view = view_of(x);
  const USpecParams params = uspec_params(clusters, representatives, candidates, neighbours, knn, starts);
  return run(settings, [&](const Context& context) {
    auto fitted = std::make_unique<FittedUSpec>();
    fitted->clustering = uspec(context, params, view, fitted->rule);
    return fitted;
  });
}

/// labels, confidence
py::tuple place(const FittedUSpec& fitted, const Rows& x, const Settings& settings) {
  const FloatView view = view_of(x);
  Placed placed = run(settings, [&](const Context& context) {
    Placed found = GraphPlacer(fitted.rule.graph).place(context, view);
    for (Label& l : found.labels) l = fitted.rule.renamed[static_cast<std::size_t>(l)];
    return found;
  });
  return py::make_tuple(to_array(placed.labels), to_array(placed.confidence));
}

py::array_t<float> embed(const FittedUSpec& fitted, const Rows& x, const Settings& settings) {
  const FloatView view = view_of(x);
  return to_array(
      run(settings, [&](const Context& context) { return GraphPlacer(fitted.rule.graph).embed(context, view); }));
}

py::tuple state_of(const FittedUSpec& fitted) {
  const GraphRule& g = fitted.rule.graph;
  return py::make_tuple(g.search == Search::hnsw, g.neighbours, g.width, to_array(g.representatives.copy()),
                        to_array(g.eigenvectors.copy()), to_array(g.centres.copy()), to_array(g.shares.copy()),
                        fitted.rule.limits, fitted.rule.renamed);
}

std::unique_ptr<FittedUSpec> from_state(const py::tuple& state) {
  if (state.size() != 9) throw py::value_error("this is no state of a fitted U-SPEC");
  auto fitted = std::make_unique<FittedUSpec>();
  fitted->rule.graph = {.search = state[0].cast<bool>() ? Search::hnsw : Search::exact,
                        .neighbours = state[1].cast<std::size_t>(),
                        .width = state[2].cast<double>(),
                        .representatives = to_matrix(state[3].cast<Array<float>>()),
                        .eigenvectors = to_matrix(state[4].cast<Array<double>>()),
                        .centres = to_matrix(state[5].cast<Array<float>>()),
                        .shares = to_matrix(state[6].cast<Array<double>>())};
  fitted->rule.limits = state[7].cast<std::vector<float>>();
  fitted->rule.renamed = state[8].cast<std::vector<Label>>();
  return fitted;
}

void bind_uspec(py::module_& module) {
  py::class_<FittedUSpec>(module, "FittedUSpec", "A clustering of feature vectors, and what places further ones.")
      .def_property_readonly("labels", [](const FittedUSpec& f) { return to_array(f.clustering.labels); })
      .def_property_readonly("confidence", [](const FittedUSpec& f) { return to_array(f.clustering.confidence); })
      .def_property_readonly("clusters", [](const FittedUSpec& f) { return f.clustering.clusters; })
      .def_property_readonly("eigenvalues", [](const FittedUSpec& f) { return to_array(f.clustering.eigenvalues); })
      .def_property_readonly("notes", [](const FittedUSpec& f) { return f.clustering.notes; })
      .def_property_readonly("representatives",
                             [](const FittedUSpec& f) { return to_array(f.rule.graph.representatives.copy()); })
      .def("predict", place, py::arg("x"), py::arg("settings"))
      .def("embed", embed, py::arg("x"), py::arg("settings"))
      .def(py::pickle([](const FittedUSpec& f) { return state_of(f); },
                      [](const py::tuple& state) { return from_state(state); }));
  module.def("fit_uspec", fit_uspec, py::arg("x"), py::arg("clusters"), py::arg("representatives"),
             py::arg("candidates"), py::arg("neighbours"), py::arg("knn"), py::arg("starts"), py::arg("settings"));
}

// ---- metrics -------------------------------------------------------------------------------------------------------

py::dict metrics(const py::array_t<std::int32_t, py::array::c_style>& predicted,
                 const py::array_t<std::int32_t, py::array::c_style>& truth) {
  const Metrics m = evaluate(labels_of(predicted), labels_of(truth));
  py::dict result;
  result["accuracy"] = m.accuracy;
  result["purity"] = m.purity;
  result["nmi"] = m.nmi;
  result["ari"] = m.ari;
  return result;
}

}  // namespace

void bind_stages(py::module_& module) {
  bind_scattering(module);
  bind_projection(module);
  bind_uspec(module);
  module.def("evaluate", metrics, py::arg("predicted"), py::arg("truth"));
}

}  // namespace pssc::python
