#pragma once
// Requests for what takes several steps with other processes: a thread of their own goes through
// them, with blocking calls.

#include <functional>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/communicator.h"

namespace lintel::mpi {

// `work` runs in the thread; the request is complete when it returns, and has the error that it
// returns. Without one `finish`, if there is any, then runs in the thread that tests or waits for
// the request, before it is told; its error counts as well. What they use is theirs to keep alive;
// `communicator` lives as long as the request. MPI_Request_free refuses it until the work is done;
// MPI_Finalize waits for the work.
int make_background_request(const CommunicatorRef& communicator, std::function<int()> work,
                            std::function<int()> finish, MPI_Request* request);

}  // namespace lintel::mpi
