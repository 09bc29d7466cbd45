#include "commands.hpp"
#include "options.hpp"
#include "progress_line.hpp"
#include "result_table.hpp"

#include <pssc/core/error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace pssc::command {

namespace {

struct EvaluateOptions {
  std::string predicted, truth;
  bool json = false;
  ImageLimits limits;
};

void run(const EvaluateOptions& options) {
  const Labels predicted = read_labels(options.predicted, options.limits),
               truth = read_labels(options.truth, options.limits);
  if (predicted.values.size() != truth.values.size())
    throw input_error(fmt::format("{} holds {} labels, but {} holds {}; give the labels of the same images",
                                  options.predicted, predicted.values.size(), options.truth, truth.values.size()));
  const Metrics m = evaluate(predicted.values, truth.values);
  if (options.json) {
    const nlohmann::ordered_json object = {{"count", truth.values.size()},
                                           {"clusters", predicted.names.size()},
                                           {"classes", truth.names.size()},
                                           {"accuracy", m.accuracy},
                                           {"purity", m.purity},
                                           {"nmi", m.nmi},
                                           {"ari", m.ari}};
    fmt::print("{}\n", object.dump(2));
    return;
  }
  fmt::print("{} images, {} clusters against {} classes\n{}\n", with_commas(truth.values.size()),
             predicted.names.size(), truth.names.size(), metrics_line(m));
}

}  // namespace

void add_evaluate(Command& program) {
  Command command = program.add("evaluate", "Compare a clustering with true labels");
  auto options = std::make_shared<EvaluateOptions>();
  command.option("PREDICTED", options->predicted, "Labels of a clustering: csv (such as labels.csv), npy or IDX")
      .required();
  command.option("TRUTH", options->truth, "The true labels of the same images, in the same order").required();
  command.flag("--json", options->json, "Print the figures as JSON");
  add_unfold_limit(command, options->limits);
  command.run([options] { run(*options); });
}

}  // namespace pssc::command
