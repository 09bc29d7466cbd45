#include <pssc/distributed.hpp>

#include <cstdlib>
#include <initializer_list>

namespace pssc::distributed {

namespace {

/// The first of these variables that is set, as a number.
std::size_t first_of(std::initializer_list<const char*> names, std::size_t otherwise, bool* found = nullptr) {
  for (const char* name : names)
    if (const char* text = std::getenv(name); text && *text) {
      if (found) *found = true;
      return static_cast<std::size_t>(std::strtoull(text, nullptr, 10));
    }
  return otherwise;
}

}  // namespace

Launch launch() {
  Launch here;
  // Open MPI's own launcher; srun and others by PMIx or PMI.
  here.rank = first_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}, 0, &here.launched);
  if (!here.launched) return here;
  here.ranks = first_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"}, 1);
  here.local_rank = first_of({"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"}, 0);
  return here;
}

}  // namespace pssc::distributed
