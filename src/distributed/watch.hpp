#pragma once

#include <pssc/core/communicator.hpp>

namespace pssc::distributed {

/// Connects all ranks to the first by sockets of their own, which the system closes when a process dies, however it
/// dies; a thread waits for that. Where no connection can be made nothing is watched.
void start_watching(Communicator& ranks);
/// This rank is about to end: in good order, or because it has failed and has said so.
void stop_watching(bool failed = false) noexcept;
/// For a signal's handler: tells at once, in the thread that calls, where a rank has died, and is true then. Else this
/// one is about to end by the signal, and the others are not to take that for its death.
bool tell_of_the_dead() noexcept;

}  // namespace pssc::distributed
