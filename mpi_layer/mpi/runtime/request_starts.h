#pragma once
// Starts sends and receives: within one call, as a request of the program, or prepared for many
// starts.

#include "mpi.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"
#include "mpi_layer/mpi/runtime/request_object.h"
#include "mpi_layer/mpi/runtime/runtime.h"

namespace lintel::mpi {

struct SendCall {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype datatype;
  int destination;
  int tag;
  SendMode mode;
};
struct ReceiveCall {
  void* buffer;
  std::int64_t count;
  MPI_Datatype datatype;
  int source;
  int tag;
};

// Each starts `transfer`. On an error class for wrong arguments, nothing has started.
int start_send(const Communicator& communicator, const SendCall& call, ItemTransfer& transfer);
int start_receive(const Communicator& communicator, const ReceiveCall& call,
                  ItemTransfer& transfer);
// Blocking calls. They set `*status` as complete() does.
int send_and_wait(const Communicator& communicator, const SendCall& call);
int receive_and_wait(const Communicator& communicator, const ReceiveCall& call, MPI_Status* status);
// Each only sets the transfer up.
int prepare_send(const Communicator& communicator, const SendCall& call, ItemTransfer& transfer);
int prepare_receive(const Communicator& communicator, const ReceiveCall& call,
                    ItemTransfer& transfer);

// Waits for a transfer that is not a request of the program. Sets `*status` unless it is
// MPI_STATUS_IGNORE. Returns the error of the transfer.
int complete(const Communicator& communicator, ItemTransfer& transfer, bool receives,
             MPI_Status* status);

// Makes a request, calls `start(transfer)`, which starts it or sets it up, and gives it a handle.
template <class Start>
int make_request(const CommunicatorRef& communicator, bool receives, bool persistent,
                 MPI_Request* request, Start start) {
  if (request == nullptr) return MPI_ERR_ARG;
  auto object = std::make_shared<RequestObject>(communicator, receives, persistent);
  // The handle is made first, because a started transfer cannot be undone.
  const std::uintptr_t handle = runtime().requests.add(object);
  if (handle == 0) return MPI_ERR_NO_MEM;
  if (const int error = start(object->transfer); error != MPI_SUCCESS) {
    runtime().requests.remove(handle);
    return error;
  }
  *request = handle_of<MPI_Request>(handle);
  return MPI_SUCCESS;
}

}  // namespace lintel::mpi
