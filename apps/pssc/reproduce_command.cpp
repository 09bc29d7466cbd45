#include "commands.hpp"
#include "options.hpp"
#include "progress_line.hpp"

#include <pssc/core/error.hpp>
#include <pssc/reproduction.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace pssc::command {

namespace {

struct ReproduceOptions {
  std::vector<std::string> items;
  std::string folder = "reproduction";
  std::size_t seeds = 5, memory = Context::default_memory;
  unsigned threads = 0;
  bool quiet = false, finished = false;
};

std::vector<PaperItem> parse_items(const std::vector<std::string>& names) {
  std::vector<PaperItem> items;
  for (const std::string& name : names) {
    if (name == "all") return parse_items({});
    items.push_back(paper_item(name));
  }
  if (!items.empty()) return items;
  return {PaperItem::results, PaperItem::timing,      PaperItem::ablation,
          PaperItem::angles,  PaperItem::eigenvalues, PaperItem::poc};
}

void run(const ReproduceOptions& options) {
  require_one_rank("reproduce");
  ReproductionParams params{.items = parse_items(options.items), .seeds = options.seeds, .compute = !options.finished};
  Context context(options.threads);
  context.memory = options.memory;
  if (!options.quiet) {
    if (ProgressLine::wanted()) context.progress = ProgressLine();
    params.told = [](const std::string& line) {  // also where stderr is no terminal: it takes a quarter of an hour
      ProgressLine::clear();
      fmt::print(stderr, "{}\n", line);
      std::fflush(stderr);
    };
  }
  reproduce(context, params, options.folder);
  if (context.progress) ProgressLine::clear();
  if (!options.quiet)
    fmt::print("written: {0}/reproduction.md, {0}/reproduction.json\nlook at it: {0}/reproduction.html\n",
               options.folder);
}

}  // namespace

void add_reproduce(Command& program) {
  Command command = program.add("reproduce", "Compute the tables and figures of the paper again");
  command.takes_program_options();
  auto options = std::make_shared<ReproduceOptions>();
  command
      .option("ITEM", options->items,
              "results, timing, ablation, angles, eigenvalues, poc, or all of them. What an earlier run into the same "
              "folder has finished is not computed again")
      .shown("(all)");
  command
      .option("-o,--output", options->folder,
              "Write reproduction.md, reproduction.json, reproduction.html and the finished cells to this folder")
      .shown("DIR (reproduction)");
  command.option("--seeds", options->seeds, "Repeat what depends on chance with seeds 0 to N-1")
      .shown("N (5)")
      .range(1, 1000);
  command.option("--threads", options->threads, "Number of threads; 0: one per core. The result does not depend on it")
      .range(0, 1024)
      .shown("N (0)");
  command.bytes("--memory", options->memory, "Skip what needs more memory than this, and report how much it needed")
      .shown("SIZE (2GiB)");
  command.flag("--finished", options->finished,
               "Compute nothing; report what is finished so far, by a run still going on elsewhere for instance");
  command.flag("--quiet", options->quiet, "Show no progress");
  command.run([options] { run(*options); });
}

}  // namespace pssc::command
