#pragma once
// MPI_Barrier, MPI_Bcast, MPI_Reduce and MPI_Allreduce among processes of several clients of IMPI.
// Within each client there are local phases, by any algorithm of Lintel. Between clients there are
// exactly the global phases of IMPI (impi_schedule.h), with items of the datatype.
//
// Blocking calls use the tags of IMPI in the communicator's context for collective functions, so
// that clients of other implementations understand them. IMPI has one tag for each function, so
// calls that run at the same time (MPI_Ibarrier and so on) cannot use it. They use the negative tag
// of their request in all phases. IMPI does not specify this, so all clients must be Lintel's then.
//
// Collective over the team; they block. Errors are those of this process' transfers. REQUIRES of
// all: team.clients().

#include "mpi_layer/mpi/runtime/accumulator.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

int barrier_between_clients(const Team& team);
int broadcast_between_clients(const Team& team, int root, const ItemBuffer& items);
// As reduce() and reduce_to_all() of reduce.h except for the order. If the operation commutes,
// operands are combined as IMPI specifies, in the order of clients in its tree. Otherwise the root
// combines all operands in the order of ranks.
int reduce_between_clients(const Team& team, int root, Accumulator& items);
int reduce_to_all_between_clients(const Team& team, Accumulator& items);

}  // namespace lintel::mpi
