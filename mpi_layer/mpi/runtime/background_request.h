#pragma once
// Requests for operations of several steps with other processes. A thread per request runs the
// steps with blocking calls.

#include <functional>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/communicator.h"

namespace lintel::mpi {

// `work` runs in the thread. The request is complete when it returns, with the error that it
// returns. If there is none, `finish`, if given, then runs in the thread that tests or waits for
// the request, before completion is reported; its error counts too. Both must keep alive what they
// use; `communicator` lives as long as the request. MPI_Request_free is refused until the work is
// done. MPI_Finalize waits for the work.
int make_background_request(const CommunicatorRef& communicator, std::function<int()> work,
                            std::function<int()> finish, MPI_Request* request);

}  // namespace lintel::mpi
