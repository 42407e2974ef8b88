#include "mpi_layer/mpi/runtime/request_starts.h"

#include "mpi_layer/mpi/functions/status_content.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

namespace {

int check(const Communicator& communicator, const SendCall& call, ItemBuffer* items, SendArguments* arguments) {
  if (const int error = check_items(call.buffer, call.count, call.datatype, items); error != MPI_SUCCESS) return error;
  return check_send(communicator, call.destination, call.tag, call.mode, arguments);
}

int check(const Communicator& communicator, const ReceiveCall& call, ItemBuffer* items, ReceiveArguments* arguments) {
  if (const int error = check_items(call.buffer, call.count, call.datatype, items); error != MPI_SUCCESS) return error;
  return check_receive(communicator, call.source, call.tag, arguments);
}

}  // namespace

int start_send(const Communicator& communicator, const SendCall& call, ItemTransfer& transfer) {
  ItemBuffer items;
  SendArguments arguments;
  if (const int error = check(communicator, call, &items, &arguments); error != MPI_SUCCESS) return error;
  return error_of(transfer.send(runtime().messenger(), std::move(items), arguments));
}

int start_receive(const Communicator& communicator, const ReceiveCall& call, ItemTransfer& transfer) {
  ItemBuffer items;
  ReceiveArguments arguments;
  if (const int error = check(communicator, call, &items, &arguments); error != MPI_SUCCESS) return error;
  return error_of(transfer.receive(runtime().messenger(), std::move(items), arguments));
}

int prepare_send(const Communicator& communicator, const SendCall& call, ItemTransfer& transfer) {
  ItemBuffer items;
  SendArguments arguments;
  if (const int error = check(communicator, call, &items, &arguments); error != MPI_SUCCESS) return error;
  return error_of(transfer.init_send(runtime().messenger(), std::move(items), arguments));
}

int prepare_receive(const Communicator& communicator, const ReceiveCall& call, ItemTransfer& transfer) {
  ItemBuffer items;
  ReceiveArguments arguments;
  if (const int error = check(communicator, call, &items, &arguments); error != MPI_SUCCESS) return error;
  return error_of(transfer.init_receive(runtime().messenger(), std::move(items), arguments));
}

int complete(const Communicator& communicator, ItemTransfer& transfer, bool receives, MPI_Status* status) {
  runtime().messenger().wait(transfer.request());
  transfer.finish();
  const Result& result = transfer.request().result();
  if (receives) give_status(status_of(communicator, result), status);
  return error_of(result.failure);
}

}  // namespace lintel::mpi
