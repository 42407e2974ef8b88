#pragma once
// How a communicator comes into being: its contexts are agreed on, then it gets its handle.

#include <cstdint>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// What a new communicator takes over from its parent besides the error handler.
enum class Attributes { kNone, kCopied };

// Collective over the team; blocks. A member that is not in `group` gets MPI_COMM_NULL. On errors `*result` is untouched; those of copy functions of
// attributes are this process' alone.
// REQUIRES: groups of the members are the same or disjoint.
int make_communicator(const Team& team, const CommunicatorRef& parent, const GroupRef& group, Attributes attributes, MPI_Comm* result);

// The part of it that knows no others: with a context that was agreed on, which it takes over in any case. Blocks not.
int enter_communicator(std::uint32_t number, const CommunicatorRef& parent, const GroupRef& group, Attributes attributes, MPI_Comm* result);

}  // namespace lintel::mpi
