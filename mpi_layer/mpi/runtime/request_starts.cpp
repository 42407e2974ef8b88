#include "mpi_layer/mpi/runtime/request_starts.h"

#include <utility>

#include "mpi_layer/mpi/functions/status_content.h"
#include "mpi_layer/mpi/runtime/data_representation.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

namespace {

int check(const Communicator& communicator, const SendCall& call, ItemBuffer* items,
          SendArguments* arguments) {
  if (const int error = check_items(call.buffer, call.count, call.datatype, items);
      error != MPI_SUCCESS)
    return error;
  return check_send(communicator, call.destination, call.tag, call.mode, arguments);
}

int check(const Communicator& communicator, const ReceiveCall& call, ItemBuffer* items,
          ReceiveArguments* arguments) {
  if (const int error = check_items(call.buffer, call.count, call.datatype, items);
      error != MPI_SUCCESS)
    return error;
  return check_receive(communicator, call.source, call.tag, arguments);
}

// Buffered sends use the buffer that is attached to their communicator, else that of the process
// (clause 3.6).
void choose_buffer(const Communicator& communicator, const SendArguments& arguments,
                   ItemTransfer& transfer) {
  if (arguments.mode != SendMode::kBuffered || arguments.destination == kProcNull) return;
  SendBuffer& own = communicator.send_buffer();
  transfer.use(own.is_attached() ? own : process_send_buffer());
}
void choose_buffer(const Communicator& /*communicator*/, const ReceiveArguments& /*arguments*/,
                   ItemTransfer& /*transfer*/) {}

// Checks `call`, then calls the function `step` of the transfer.
template <class Arguments, class Call>
int begin(const Communicator& communicator, const Call& call, ItemTransfer& transfer,
          int (ItemTransfer::*step)(Messenger&, ItemBuffer, Arguments)) {
  ItemBuffer items;
  Arguments arguments;
  if (const int error = check(communicator, call, &items, &arguments); error != MPI_SUCCESS)
    return error;
  choose_buffer(communicator, arguments, transfer);
  return (transfer.*step)(runtime().messenger(), std::move(items), arguments);
}

// Returns the error of the transfer.
int end(const Communicator& communicator, const MessageResult& result, bool receives,
        MPI_Status* status) {
  if (receives && status != MPI_STATUS_IGNORE) give_status(status_of(communicator, result), status);
  return error_of(result.failure);
}

}  // namespace

int start_send(const Communicator& communicator, const SendCall& call, ItemTransfer& transfer) {
  return begin(communicator, call, transfer, &ItemTransfer::send);
}

int start_receive(const Communicator& communicator, const ReceiveCall& call,
                  ItemTransfer& transfer) {
  return begin(communicator, call, transfer, &ItemTransfer::receive);
}

int send_and_wait(const Communicator& communicator, const SendCall& call) {
  ItemBuffer items;
  SendArguments arguments;
  if (const int error = check(communicator, call, &items, &arguments); error != MPI_SUCCESS)
    return error;
  if (arguments.mode != SendMode::kBuffered && items.is_contiguous() &&
      !is_converted(*items.type, arguments.destination)) {
    arguments.length = static_cast<std::uint64_t>(items.bytes());
    arguments.buffer = arguments.length > 0 ? items.begin() : nullptr;
    if (runtime().messenger().send_at_once(arguments)) return MPI_SUCCESS;
  }
  ItemTransfer transfer;
  choose_buffer(communicator, arguments, transfer);
  if (const int error = transfer.send(runtime().messenger(), std::move(items), arguments);
      error != MPI_SUCCESS)
    return error;
  return complete(communicator, transfer, false, MPI_STATUS_IGNORE);
}

int receive_and_wait(const Communicator& communicator, const ReceiveCall& call,
                     MPI_Status* status) {
  ItemTransfer transfer;
  if (const int error = begin(communicator, call, transfer, &ItemTransfer::receive_and_wait);
      error != MPI_SUCCESS)
    return error;
  return end(communicator, transfer.result(), true, status);
}

int prepare_send(const Communicator& communicator, const SendCall& call, ItemTransfer& transfer) {
  return begin(communicator, call, transfer, &ItemTransfer::init_send);
}

int prepare_receive(const Communicator& communicator, const ReceiveCall& call,
                    ItemTransfer& transfer) {
  return begin(communicator, call, transfer, &ItemTransfer::init_receive);
}

int complete(const Communicator& communicator, ItemTransfer& transfer, bool receives,
             MPI_Status* status) {
  return end(communicator, transfer.wait(runtime().messenger()), receives, status);
}

}  // namespace lintel::mpi
