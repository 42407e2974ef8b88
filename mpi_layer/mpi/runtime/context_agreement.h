#pragma once
// How the members of a new communicator agree on its contexts.

#include <cstdint>

#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

// A number that is free in all members, taken in each of them; `*number` of the ContextTable. Collective over the team; blocks. Members of disjoint
// communicators that are made by one call share it.
// Several threads may agree at once, on different communicators and in any order: nobody holds a lock while waiting for others.
// Errors: MPI_ERR_NO_MEM, in all members alike, if there is none; those of the transfers.
int agree_on_context(const Team& team, std::uint32_t* number);

}  // namespace lintel::mpi
