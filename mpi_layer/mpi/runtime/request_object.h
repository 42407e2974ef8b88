#pragma once
// RequestObject: what an MPI_Request stands for. MessageObject: what an MPI_Message stands for.
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

  // Started, and the program has not been told its end.
  // One that is no transfer is over when its handle is: another thread opens its gate, so nobody
  // looks at that without a lock.
  bool is_pending() const { return finished || end != nullptr || transfer_active(); }
  // the library still has it. REQUIRES: it is a transfer
  bool transfer_active() const { return transfer.request().active(); }

  CommunicatorRef communicator;
  bool receives;
  bool persistent;
  bool finished = false;  // complete, as MPI_Request_get_status has seen; the program is still to
                          // be told
  mutable ItemTransfer transfer;
  std::unique_ptr<RequestEnd> end;  // of one that is no transfer
};
using RequestRef = std::shared_ptr<RequestObject>;

struct MessageObject {
  CommunicatorRef communicator;
  MatchedMessage message;
};

}  // namespace lintel::mpi
