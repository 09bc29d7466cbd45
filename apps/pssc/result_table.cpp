#include "result_table.hpp"

#include "progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace pssc::command {

namespace {

/// The class that most of a cluster's images are of.
std::string mostly(const Tally& tally, std::size_t cluster, const Labels& truth) {
  const auto classes = tally.truth.row(cluster);
  const auto largest = std::ranges::max_element(classes);
  if (tally.sizes[cluster] == 0 || largest == classes.end()) return "";
  return fmt::format("{} ({:.1f} %)", truth.names[static_cast<std::size_t>(largest - classes.begin())],
                     100.0 * static_cast<double>(*largest) / static_cast<double>(tally.sizes[cluster]));
}

/// Marks a cluster that repeated clusterings do not find again; a note below the table says how much of it they find.
const char* stability_mark(const Run& run, std::size_t cluster) {
  const auto& stability = run.clustering.stability;
  return cluster < stability.size() && stability[cluster] < unstable_below ? "  not stable" : "";
}

std::string clusters_table(const Run& run) {
  constexpr std::size_t most_rows = 40;
  const Tally& tally = run.tally;
  const std::size_t rows = tally.sizes.size();
  std::string text = fmt::format("  {:>7}  {:>9}  {:>7}  {:>10}{}\n", "cluster", "images", "share", "confidence",
                                 run.truth ? "  mostly" : "");
  for (std::size_t c = 0; c < std::min(most_rows, rows); ++c)
    text += fmt::format("  {:>7}  {:>9}  {:>5.1f} %  {:>10.3f}{}{}\n", c, with_commas(tally.sizes[c]),
                        100 * static_cast<double>(tally.sizes[c]) / static_cast<double>(run.count), tally.confidence[c],
                        run.truth ? "  " + mostly(tally, c, *run.truth) : "", stability_mark(run, c));
  if (rows > most_rows) text += fmt::format("  ... and {} more\n", rows - most_rows);
  return text;
}

std::string candidates_line(const Run& run) {
  std::string text = "number of clusters found:";
  for (const ClusterCount& c : run.clustering.counts)
    text +=
        fmt::format("{} {} (score {:.3f})", &c == run.clustering.counts.data() ? "" : ", then", c.clusters, c.score);
  return text + "\n";
}

std::string skipped_lines(const Run& run) {
  constexpr std::size_t most = 3;
  std::string text;
  if (run.skipped.empty()) return text;
  text += fmt::format("skipped {} of {} images:\n", with_commas(run.skipped.size()),
                      with_commas(run.skipped.size() + run.count));
  for (std::size_t i = 0; i < std::min(most, run.skipped.size()); ++i)
    text += fmt::format("  {}: {}\n", run.skipped[i].id, run.skipped[i].reason);
  if (run.skipped.size() > most) text += "  ... the rest is in summary.json\n";
  return text;
}

}  // namespace

std::string chosen_line(const Adaptation& found) {
  const Candidate &chosen = found.candidates[found.chosen], &plain = found.candidates.front();
  if (plain.labels.empty()) return "chosen: the images as they are; there are too few of them to try anything\n";
  if (found.candidates.size() == 1) return "chosen: the images as they are; there was nothing else to try\n";
  if (found.chosen == 0)
    return fmt::format("chosen: the images as they are (stability {:.2f}, the best of {} ways that were tried)\n",
                       plain.stability, found.candidates.size());
  return fmt::format("chosen: {} (stability {:.2f}, {:.2f} as they are); {} repeats it\n", description(chosen),
                     chosen.stability, plain.stability, options_for(chosen));
}

std::string metrics_line(const Metrics& m) {
  return fmt::format("accuracy {:.4f}   purity {:.4f}   NMI {:.4f}   ARI {:.4f}", m.accuracy, m.purity, m.nmi, m.ari);
}

std::string result_table(const Run& run) {
  const auto rate = static_cast<std::size_t>(static_cast<double>(run.count) / std::max(1e-9, run.total_seconds));
  std::string text = fmt::format("{}: {} images in {} clusters, {:.1f} s ({} images/s)\n\n", run.input,
                                 with_commas(run.count), run.clustering.clusters, run.total_seconds, with_commas(rate));
  text += clusters_table(run) + "\n";
  const auto noise = static_cast<std::size_t>(std::ranges::count(run.clustering.labels, noise_label));
  if (noise > 0) text += fmt::format("in no cluster: {} images\n", with_commas(noise));
  text += skipped_lines(run);
  if (run.adaptation) text += chosen_line(*run.adaptation);
  for (const std::string& note : run.clustering.notes) text += "note: " + note + "\n";
  if (const std::optional<std::string> tip = suggestion(run)) text += "tip: " + *tip + "\n";
  const auto outliers = static_cast<std::size_t>(std::ranges::count(run.clustering.outliers, 1));
  if (outliers > noise) text += fmt::format("far from every cluster: {} images\n", with_commas(outliers - noise));
  if (run.parameters.clusters == Parameters::automatic) text += candidates_line(run);
  if (run.metrics) text += "against the truth: " + metrics_line(*run.metrics) + "\n";
  text += "time:";
  for (const StageTime& t : run.timings)
    text += fmt::format("{} {} {:.2f} s", &t == run.timings.data() ? "" : ",", t.stage, t.seconds);
  return text + "\n";
}

}  // namespace pssc::command
