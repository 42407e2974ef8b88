#pragma once
// MPI_Barrier, MPI_Bcast, MPI_Reduce and MPI_Allreduce among processes of several clients of IMPI:
// local phases in each client, by whatever Lintel does there, and between clients the global phases
// of IMPI and nothing else (impi_schedule.h), as items of the datatype.
//
// Blocking calls use IMPI's tags in the communicator's context for collective functions, so that
// clients of other implementations understand them. Those that go on beside others (MPI_Ibarrier
// and so on) would meet in these tags, of which IMPI has one for each function: they use the tag
// below 0 that their request has in all phases. IMPI does not know them, so the other clients have
// to be Lintel's too.
//
// Collective over the team; block. Errors are those of this process' transfers. REQUIRES of all:
// team.clients().

#include "mpi_layer/mpi/runtime/accumulator.h"
#include "mpi_layer/mpi/runtime/team.h"

namespace lintel::mpi {

int barrier_between_clients(const Team& team);
int broadcast_between_clients(const Team& team, int root, const ItemBuffer& items);
// As reduce() and reduce_to_all() of reduce.h, but for the order: of an operation that commutes
// operands are combined as IMPI says, in the order of clients that its tree has. What does not
// commute is combined in the order of ranks, all by the root.
int reduce_between_clients(const Team& team, int root, Accumulator& items);
int reduce_to_all_between_clients(const Team& team, Accumulator& items);

}  // namespace lintel::mpi
