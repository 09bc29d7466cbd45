#include "server.hpp"

#include <pssc/explorer.hpp>

#include <fmt/format.h>

#include <memory>

namespace pssc {

struct Explorer::Parts {
  explorer::Server server;
};

Explorer::Explorer(const std::filesystem::path& folder, const ExplorerParams& params)
    : parts_(new Parts{{folder, params.host}}) {
  parts_->server.take_port(params.port);
}

Explorer::~Explorer() = default;

std::string Explorer::address() const {
  const explorer::Server& server = parts_->server;
  const bool bare = server.host == "0.0.0.0" || server.host == "::";
  return fmt::format("http://{}:{}/?token={}", bare ? "127.0.0.1" : server.host, server.port, server.token);
}

void Explorer::serve() {
  parts_->server.listen_after_bind();
}

void Explorer::stop() {
  parts_->server.stop();
}

}  // namespace pssc
