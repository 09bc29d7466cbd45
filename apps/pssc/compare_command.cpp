#include "commands.hpp"
#include "options.hpp"
#include "progress_line.hpp"
#include "result_table.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace pssc::command {

namespace {

struct CompareOptions {
  explicit CompareOptions(Command& command) : stages(command) { stages.always_adapt(); }
  StageOptions stages;
  std::string clusters;
};

/// How many of the images that were tried lie in their class's cluster.
double accuracy(const Candidate& candidate, const Adaptation& found, const Labels& truth) {
  std::vector<std::int32_t> known;
  for (const std::size_t image : found.images) known.push_back(truth.values[image]);
  return evaluate(candidate.labels, known).accuracy;
}

std::string comparison_table(const Adaptation& found, const ImageSet& images) {
  const bool scored = images.labels().has_value();
  std::string text =
      fmt::format("{}: {} of {} images tried in {} clusters, {:.1f} s\n\n", images.name(),
                  with_commas(found.images.size()), with_commas(images.count()), found.clusters, found.seconds);
  text += fmt::format("    stability  confidence{}  images are taken\n", scored ? "  accuracy" : "");
  for (std::size_t c = 0; c < found.candidates.size(); ++c) {
    const Candidate& candidate = found.candidates[c];
    const std::string options = options_for(candidate);
    text += fmt::format("  {} {:>9.3f}  {:>10.3f}", c == found.chosen ? '>' : ' ', candidate.stability,
                        candidate.confidence);
    if (scored) text += fmt::format("  {:>8.3f}", accuracy(candidate, found, *images.labels()));
    text += fmt::format("  {}{}\n", description(candidate), options.empty() ? "" : ": " + options);
  }
  return text + "\n";
}

/// Why poses were tried or not.
std::string symmetry_line(const Symmetry& s) {
  return fmt::format(
      "images that lie nearer to another one when mirrored: {:.0f} %, upside down: {:.0f} %, on their side: {:.0f} % "
      "(about 50 %: it makes no difference)\n",
      100 * s.mirror, 100 * s.half_turn, 100 * s.quarter_turn);
}

void run(const CompareOptions& options) {
  const StageOptions& stages = options.stages;
  Parameters parameters = stages.parameters();
  parameters.clusters = parse_clusters(options.clusters);
  const Context context = stages.shared_context();
  const ImageParams image_params = stages.images();
  const OpenImages open = [&](const ImageParams& params) { return open_images(stages.input, params); };
  const Adaptation found = adapt(context, parameters, image_params, stages.adaptive(), open);
  if (context.progress) ProgressLine::clear();
  if (context.ranks().rank() > 0) return;
  if (stages.json) {
    fmt::print("{}", adaptation_json(found));
    return;
  }
  const bool tried = !found.candidates.front().labels.empty();
  if (tried) fmt::print("{}", comparison_table(found, *open(image_params)));
  if (tried && stages.adaptive().ignored) fmt::print("{}", symmetry_line(found.symmetry));
  fmt::print("{}", chosen_line(found));
}

}  // namespace

void add_compare(Command& program) {
  Command command = program.add("compare", "Compare ways to see the images, on a sample of them");
  command.takes_program_options();
  auto options = std::make_shared<CompareOptions>(command);
  command.option("-k,--clusters", options->clusters, "Number of clusters; auto: find it").shown("K|auto");
  command.run([options] { run(*options); });
}

}  // namespace pssc::command
