#include "commands.hpp"

#include <pssc/explorer.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

namespace pssc::command {

namespace {

struct ExploreOptions {
  std::string folder;
  ExplorerParams server;
};

void run(const ExploreOptions& options) {
  Explorer explorer(options.folder, options.server);
  if (options.server.host != ExplorerParams().host)
    fmt::print(stderr,
               "pssc: WARNING: listening at {}, not only for this machine: whoever can reach it and learns the address "
               "below can see and edit this run\n",
               options.server.host);
  fmt::print("exploring {}; every edit is kept at once, Ctrl-C ends\nopen in a browser: {}\n", options.folder,
             explorer.address());
  std::fflush(stdout);
  explorer.serve();
}

}  // namespace

void add_explore(Command& program) {
  Command command = program.add("explore", "Look through a run in the browser: name, correct and export its clusters");
  auto options = std::make_shared<ExploreOptions>();
  command.option("DIR", options->folder, "A folder written by pssc cluster -o").required();
  command.option("--port", options->server.port, "Port to listen on; 0: any free one").range(0, 65535).shown("P (0)");
  command
      .option("--host", options->server.host,
              "Address to listen on; any other than the default can be reached from outside")
      .shown("ADDRESS (127.0.0.1)");
  command.run([options] { run(*options); });
}

}  // namespace pssc::command
