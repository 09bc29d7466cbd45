#pragma once

#include "session.hpp"

#include <httplib.h>

#include <filesystem>
#include <string>

namespace pssc::explorer {

/// What HTTP asks of a run, guarded and handed to its session.
class Server : public httplib::Server {
 public:
  /// `listening_at` is the address that requests will name as their Host.
  Server(const std::filesystem::path& folder, std::string listening_at);

  /// Begins to listen at this port or, where it is 0, at one that is free.
  void take_port(int wanted);
  /// Reads one request from the stream and answers it there, as a connection would. False where no further one can
  /// follow.
  bool answer(httplib::Stream& stream);

  Session session;
  std::string host, token;
  int port = 0;

 private:
  std::string objection(const httplib::Request& request) const;
  void guard();
  void route_looking();
  void route_changing();
};

}  // namespace pssc::explorer
