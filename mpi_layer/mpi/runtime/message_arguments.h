#pragma once
// The arguments that all sends, receives and probes have: checked, and as the messenger wants them.

#include <cstdint>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/communicator.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"

namespace lintel::mpi {

// MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER; else `*items` are what to move.
int check_items(const void* buffer, std::int64_t count, MPI_Datatype datatype, ItemBuffer* items);

// The greatest tag that messages of the program may have, and MPI_TAG_UB: as the messenger's, until
// a start-up that has agreed on less with others says so, before the first message.
int tag_bound();
void set_tag_bound(int bound);

// MPI_ERR_RANK, MPI_ERR_TAG; else `*arguments` but for the buffer.
int check_send(const Communicator& communicator, int destination, int tag, SendMode mode,
               SendArguments* arguments);
// The same. `source` may be MPI_ANY_SOURCE, `tag` MPI_ANY_TAG.
int check_receive(const Communicator& communicator, int source, int tag,
                  ReceiveArguments* arguments);

// The status of a message, with ranks of the communicator. Its MPI_ERROR is that of the result, if
// there is one.
MPI_Status status_of(const Communicator& communicator, const Result& result);
// The same of one that a probe has found, which counts what it will be when it is received.
MPI_Status status_of_found(const Communicator& communicator, const Result& envelope);

// `*status` becomes `value` but for MPI_ERROR, which only functions on many requests set (clause
// 3.2.5); nothing if it is to be ignored.
void give_status(const MPI_Status& value, MPI_Status* status);

}  // namespace lintel::mpi
