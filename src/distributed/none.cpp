// Built where there is no MPI.
#include <pssc/core/error.hpp>
#include <pssc/distributed.hpp>

namespace pssc::distributed {

std::string library() {
  return "";
}

std::shared_ptr<Communicator> start() {
  if (launch().ranks > 1)
    throw run_error("started as several ranks, but built without MPI; install libopenmpi-dev and build again");
  return std::make_shared<Communicator>();
}

void finish() {}
void fail(int, void (*say)(const std::string&), const std::string& line) {
  if (launch().rank == 0) say(line);
}
bool told_why_stopped() noexcept {
  return false;
}

}  // namespace pssc::distributed
