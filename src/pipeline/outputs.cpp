#include <pssc/core/csv.hpp>
#include <pssc/core/files.hpp>
#include <pssc/pipeline.hpp>

#include <fmt/format.h>

namespace pssc {

namespace {

void write_labels_csv(const Run& run, const std::filesystem::path& path) {
  std::string text = "id,cluster,confidence,outlier\n";
  const Clustering& c = run.clustering;
  for (std::size_t i = 0; i < run.count; ++i)
    text += fmt::format("{},{},{:.4f},{}\n", csv_field(run.ids[i]), c.labels[i], c.confidence[i], int{c.outliers[i]});
  write_file(path, text);
}

void write_labels_npy(const Run& run, const std::filesystem::path& path) {
  OutputFile file(path);
  file.write(npy_header("<i4", {run.count}));
  file.write(run.clustering.labels.data(), run.count * sizeof(Label));
  file.commit();
}

}  // namespace

void write_run(const Context& context, const Run& run, const std::filesystem::path& folder) {
  require_writable_folder(folder);
  write_labels_csv(run, folder / "labels.csv");
  write_labels_npy(run, folder / "labels.npy");
  write_file(folder / "summary.json", summary_json(context, run));
  if (run.model) run.model->save(folder / "model.pssc");
}

}  // namespace pssc
