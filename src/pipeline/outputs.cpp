#include <pssc/core/csv.hpp>
#include <pssc/core/files.hpp>
#include <pssc/core/spread.hpp>
#include <pssc/pipeline.hpp>

#include <fmt/format.h>

namespace pssc {

namespace {

void write_labels_csv(const Context& context, const Run& run, const std::filesystem::path& path) {
  std::string text = context.ranks().rank() == 0 ? "id,cluster,confidence,outlier\n" : "";
  const Clustering& c = run.clustering;
  for (std::size_t i = 0; i < c.labels.size(); ++i)
    text += fmt::format("{},{},{:.4f},{}\n", csv_field(run.ids[i]), c.labels[i], c.confidence[i], int{c.outliers[i]});
  write_parts(context, path, text);
}

void write_labels_npy(const Context& context, const Run& run, const std::filesystem::path& path) {
  std::string bytes = context.ranks().rank() == 0 ? npy_header("<i4", {run.count}) : "";
  const std::vector<Label>& labels = run.clustering.labels;
  bytes.append(reinterpret_cast<const char*>(labels.data()), labels.size() * sizeof(Label));
  write_parts(context, path, bytes);
}

}  // namespace

void write_run(const Context& context, const Run& run, const std::filesystem::path& folder) {
  std::optional<RunFolder> taken;
  once(context, [&] { taken.emplace(folder); });
  if (!taken) taken.emplace(folder, false);
  write_run(context, run, *taken);
}

void write_run(const Context& context, const Run& run, const RunFolder& taken) {
  const std::filesystem::path& folder = taken.path();
  write_labels_csv(context, run, folder / "labels.csv");
  write_labels_npy(context, run, folder / "labels.npy");
  once(context, [&] {
    write_file(folder / "summary.json", summary_json(context, run));
    if (run.model) run.model->save(folder / "model.pssc");
    if (run.tree) write_file(folder / "tree.json", tree_json(run));
  });
}

}  // namespace pssc
