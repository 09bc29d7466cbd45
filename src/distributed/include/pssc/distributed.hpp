#pragma once

#include <pssc/core/communicator.hpp>

#include <cstddef>
#include <memory>
#include <string>

/// Several processes, on one machine or many, as one run: started by mpirun or srun, they speak MPI.
namespace pssc::distributed {

/// The MPI library that this was built with, "Open MPI 4.1.4"; empty: none.
std::string library();

/// What the launcher told this process, before MPI is started. One rank where there was no launcher.
struct Launch {
  bool launched = false;
  std::size_t rank = 0, ranks = 1;
  std::size_t local_rank = 0;  ///< among those on this machine
};
Launch launch();

/// Starts MPI where a launcher asks for it; else there is one rank. Throws Error(failed) where this was built without.
/// Afterwards a rank that dies ends the run: one that is left says which it was and on which machine.
std::shared_ptr<Communicator> start();

/// Ends MPI after a run that went well. All ranks call it.
void finish();

/// Ends all ranks because this one has failed. Where several fail, the first of them alone calls `say`. Returns only
/// where there is nothing more to do than to exit with the code.
void fail(int code, void (*say)(const std::string& line), const std::string& line);

/// For a signal's handler: tells of a rank that has died, if that is why this one is being stopped. True where nothing
/// more need be said by this rank: it has been told, or is the first rank's to tell.
bool told_why_stopped() noexcept;

}  // namespace pssc::distributed
