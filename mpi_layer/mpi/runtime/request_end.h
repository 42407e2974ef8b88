#pragma once
// RequestEnd: of a request that is no transfer, what becomes of it when it is complete. Its
// RequestObject waits meanwhile like a receive whose message never comes, its gate, so that all
// functions that wait or test know it as any other request.

#include <memory>

#include "mpi.h"
#include "mpi_layer/mpi/runtime/communicator.h"

namespace lintel::mpi {

struct RequestObject;

class RequestEnd {
 public:
  virtual ~RequestEnd() = default;

  // Called when the request is complete, maybe often, by one thread at a time: its status, whose
  // MPI_ERROR is the request's own error.
  virtual MPI_Status status() = 0;
  // The program has been told the end. Once, if at all; the request is gone then. Returns
  // MPI_SUCCESS or the request's error after all.
  virtual int close() { return MPI_SUCCESS; }
  // MPI_Cancel was called, before the end or after.
  virtual int cancel() { return MPI_ERR_REQUEST; }
  // MPI_Request_free was called, and MPI_Grequest_complete, each once and by any thread. What comes
  // second ends the request.
  enum class Then { kRefused, kGoesOn, kOver };
  virtual Then release() { return Then::kRefused; }
  virtual Then complete() { return Then::kRefused; }
};

// Makes a request that is complete when its gate is opened, and `*object` what it stands for.
// MPI_ERR_ARG: `request` is null; MPI_ERR_NO_MEM.
int make_gated_request(const CommunicatorRef& communicator, std::unique_ptr<RequestEnd> end,
                       RequestObject** object, MPI_Request* request);

// Takes it back, when what was to open its gate has not begun.
void abandon_gated_request(MPI_Request* request);

// Ends one whose gate is open, after the program has freed it: it is told to nobody. Returns what
// close() does.
int end_freed_request(MPI_Request request);

// Any thread, once. `object` may be gone when it returns.
void open_gate(RequestObject& object);

}  // namespace lintel::mpi
