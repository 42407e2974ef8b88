#pragma once
// RequestObject: the object of an MPI_Request. MessageObject: the object of an MPI_Message.
//
// Shared by the handle and by the calls that use it; used by one thread at a time (MPI 5.0, clause
// 11.6.2). Keeps communicator and datatype alive.

#include <memory>

#include "mpi_layer/mpi/runtime/communicator.h"
#include "mpi_layer/mpi/runtime/item_transfer.h"
#include "mpi_layer/mpi/runtime/request_end.h"
#include "mpi_layer/p2p/matched_message.h"

namespace lintel::mpi {

struct RequestObject {
  RequestObject(CommunicatorRef on, bool is_receive, bool is_persistent)
      : communicator(std::move(on)), receives(is_receive), persistent(is_persistent) {}

  // True if it was started, and completion was not reported to the program. A request that is no
  // transfer is pending until its handle ends. Another thread opens its gate, so the state of the
  // gate must not be read without a lock.
  bool is_pending() const { return finished || end != nullptr || transfer_active(); }
  // The transfer is active. REQUIRES: the request is a transfer.
  bool transfer_active() const { return transfer.request().active(); }

  CommunicatorRef communicator;
  bool receives;
  bool persistent;
  bool finished = false;  // complete, as MPI_Request_get_status has found; not reported yet
  mutable ItemTransfer transfer;
  std::unique_ptr<RequestEnd> end;  // of a request that is no transfer
};
using RequestRef = std::shared_ptr<RequestObject>;

struct MessageObject {
  CommunicatorRef communicator;
  MatchedMessage message;
};

}  // namespace lintel::mpi
