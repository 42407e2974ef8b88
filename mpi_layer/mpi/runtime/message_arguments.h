#pragma once
// The common arguments of sends, receives and probes: checks them and converts them for the
// messenger.

#include <cstdint>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/communicator.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"

namespace lintel::mpi {

// Sets `*items`. Errors: MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER.
int check_items(const void* buffer, std::int64_t count, MPI_Datatype datatype, ItemBuffer* items);

// The greatest tag of the program's messages, which is MPI_TAG_UB. It is that of the messenger,
// unless the start-up has agreed on less with other jobs, before the first message.
int tag_bound();
void set_tag_bound(int bound);

// Sets `*arguments` except the buffer. Errors: MPI_ERR_RANK, MPI_ERR_TAG.
int check_send(const Communicator& communicator, int destination, int tag, SendMode mode,
               SendArguments* arguments);
// The same. `source` may be MPI_ANY_SOURCE, `tag` MPI_ANY_TAG.
int check_receive(const Communicator& communicator, int source, int tag,
                  ReceiveArguments* arguments);

// The status of a message, with ranks of the communicator. Its MPI_ERROR is the error of the
// result, if there is one.
MPI_Status status_of(const Communicator& communicator, const MessageResult& result);
// The same for a message that a probe has found. It counts bytes as they will be after conversion.
MPI_Status status_of_found(const Communicator& communicator, const MessageResult& envelope);

// Sets `*status` to `value`, except MPI_ERROR, which only functions on several requests set (clause
// 3.2.5). No effect for MPI_STATUS_IGNORE.
void give_status(const MPI_Status& value, MPI_Status* status);

}  // namespace lintel::mpi
