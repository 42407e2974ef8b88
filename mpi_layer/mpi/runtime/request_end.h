#pragma once
// RequestEnd: the completion of a request that is no transfer. Meanwhile its RequestObject has a
// receive that no message can match, its gate. So all functions that wait or test handle it as any
// other request.

#include <memory>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/communicator.h"

namespace lintel::mpi {

struct RequestObject;

class RequestEnd {
 public:
  virtual ~RequestEnd() = default;

  // The status of the complete request. Its MPI_ERROR is the error of the request. May be called
  // several times, by one thread at a time.
  virtual MPI_Status status() = 0;
  // Called at most once, when completion was reported to the program. The request does not exist
  // afterwards. Returns MPI_SUCCESS or an error of the request.
  virtual int close() { return MPI_SUCCESS; }
  // MPI_Cancel was called, before or after completion.
  virtual int cancel() { return MPI_ERR_REQUEST; }
  // MPI_Request_free or MPI_Grequest_complete was called. Each is called once, by any thread. The
  // second of the two calls ends the request.
  enum class Then { kRefused, kGoesOn, kOver };
  virtual Then release() { return Then::kRefused; }
  virtual Then complete() { return Then::kRefused; }
};

// Makes a request that is complete when its gate is opened, and sets `*object`. Errors:
// MPI_ERR_ARG: `request` is null; MPI_ERR_NO_MEM.
int make_gated_request(const CommunicatorRef& communicator, std::unique_ptr<RequestEnd> end,
                       RequestObject** object, MPI_Request* request);

// Removes the request again, if the operation that was to open its gate could not start.
void remove_gated_request(MPI_Request* request);

// Ends a request whose gate is open and that the program has freed, without reporting it. Returns
// the result of close().
int end_freed_request(MPI_Request request);

// Any thread, once. `object` may be destroyed before it returns.
void open_gate(RequestObject& object);

}  // namespace lintel::mpi
