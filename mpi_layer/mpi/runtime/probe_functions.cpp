// Probes and matched receives (MPI 5.0, clause 3.8).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/message_calls.h"
#include "mpi_layer/mpi/runtime/raise.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

namespace {

int check(const Communicator& communicator, int source, int tag,
          ProbeArguments* arguments) {
  ReceiveArguments receive;
  if (const int error = check_receive(communicator, source, tag, &receive); error != MPI_SUCCESS)
    return error;
  *arguments = {receive.source, receive.context, receive.tag};
  return MPI_SUCCESS;
}

int probe(const Communicator& communicator, int source, int tag, bool blocks, int* flag,
          MPI_Status* status) {
  ProbeArguments arguments;
  if (const int error = check(communicator, source, tag, &arguments); error != MPI_SUCCESS)
    return error;
  MessageResult envelope;
  bool found = blocks;
  Messenger& messenger = runtime().messenger();
  const CallError call_error =
      blocks ? messenger.probe(arguments, envelope) : messenger.iprobe(arguments, found, envelope);
  if (call_error != CallError::kNone) return error_of(call_error);
  if (envelope.failure != RequestFailure::kNone) return error_of(envelope.failure);
  if (flag != nullptr) *flag = found ? 1 : 0;
  if (found) give_status(status_of_found(communicator, envelope), status);
  return MPI_SUCCESS;
}

int matched_probe(const CommunicatorRef& communicator, int source, int tag, bool blocks, int* flag,
                  MPI_Message* message, MPI_Status* status) {
  if (message == nullptr) return MPI_ERR_ARG;
  ProbeArguments arguments;
  if (const int error = check(*communicator, source, tag, &arguments); error != MPI_SUCCESS)
    return error;
  auto object = std::make_shared<MessageObject>();
  object->communicator = communicator;
  Messenger& messenger = runtime().messenger();
  const CallError call_error = blocks ? messenger.mprobe(arguments, object->message)
                                      : messenger.improbe(arguments, object->message);
  if (call_error != CallError::kNone) return error_of(call_error);
  const MessageResult& envelope = object->message.envelope();
  if (envelope.failure != RequestFailure::kNone) return error_of(envelope.failure);
  const bool found = static_cast<bool>(object->message);
  if (flag != nullptr) *flag = found ? 1 : 0;
  if (!found) return MPI_SUCCESS;
  const MPI_Status value = status_of_found(*communicator, envelope);
  if (envelope.source == kProcNull) {
    *message = MPI_MESSAGE_NO_PROC;
  } else {
    const std::uintptr_t handle = runtime().messages.add(std::move(object));
    if (handle == 0) return MPI_ERR_NO_MEM;
    *message = handle_of<MPI_Message>(handle);
  }
  give_status(value, status);
  return MPI_SUCCESS;
}

// `begin(communicator, start)` calls start(transfer), which starts the receive.
template <class Begin>
int receive_matched(const ReceiveCall& call, MPI_Message* message, CommunicatorRef* concerned,
                    Begin begin) {
  if (message == nullptr) return MPI_ERR_ARG;
  if (*message == MPI_MESSAGE_NO_PROC) {
    const int error = begin(runtime().self(), [&](ItemTransfer& transfer) {
      return start_receive(*runtime().self(), call, transfer);
    });
    if (error == MPI_SUCCESS) *message = MPI_MESSAGE_NULL;
    return error;
  }
  const std::shared_ptr<MessageObject> object = runtime().messages.find(number_of(*message));
  if (!object) return MPI_ERR_REQUEST;
  *concerned = object->communicator;
  ItemBuffer items;
  if (const int error = check_items(call.buffer, call.count, call.datatype, &items);
      error != MPI_SUCCESS)
    return error;
  const std::uintptr_t handle = number_of(*message);
  return begin(object->communicator, [&](ItemTransfer& transfer) {
    const int error = transfer.receive_matched(runtime().messenger(), items, object->message);
    if (error == MPI_SUCCESS) {
      runtime().messages.remove(handle);
      *message = MPI_MESSAGE_NULL;
    }
    return error;
  });
}

}  // namespace

int run_mrecv(const char* name, const ReceiveCall& call, MPI_Message* message, MPI_Status* status) {
  return runtime_call(name, [&](CommunicatorRef* concerned) {
    return receive_matched(
        call, message, concerned, [&](const CommunicatorRef& communicator, auto start) {
          ItemTransfer transfer;
          const int error = start(transfer);
          return error != MPI_SUCCESS ? error : complete(*communicator, transfer, true, status);
        });
  });
}

int run_imrecv(const char* name, const ReceiveCall& call, MPI_Message* message,
               MPI_Request* request) {
  return runtime_call(name, [&](CommunicatorRef* concerned) {
    return receive_matched(call, message, concerned,
                           [&](const CommunicatorRef& communicator, auto start) {
                             return make_request(communicator, true, false, request, start);
                           });
  });
}

extern "C" {

int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return communicator_call("MPI_Probe", comm, [&](const CommunicatorRef& communicator) {
    return probe(*communicator, source, tag, true, nullptr, status);
  });
}
LINTEL_MPI_NAME(MPI_Probe);

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return communicator_call("MPI_Iprobe", comm, [&](const CommunicatorRef& communicator) -> int {
    return flag == nullptr ? MPI_ERR_ARG : probe(*communicator, source, tag, false, flag, status);
  });
}
LINTEL_MPI_NAME(MPI_Iprobe);

int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return communicator_call("MPI_Mprobe", comm, [&](const CommunicatorRef& communicator) {
    return matched_probe(communicator, source, tag, true, nullptr, message, status);
  });
}
LINTEL_MPI_NAME(MPI_Mprobe);

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                 MPI_Status* status) {
  return communicator_call("MPI_Improbe", comm, [&](const CommunicatorRef& communicator) -> int {
    return flag == nullptr ? MPI_ERR_ARG
                           : matched_probe(communicator, source, tag, false, flag, message, status);
  });
}
LINTEL_MPI_NAME(MPI_Improbe);

int PMPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
               MPI_Status* status) {
  return run_mrecv("MPI_Mrecv", {buf, count, datatype, MPI_PROC_NULL, 0}, message, status);
}
LINTEL_MPI_NAME(MPI_Mrecv);

int PMPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message,
                MPI_Request* request) {
  return run_imrecv("MPI_Imrecv", {buf, count, datatype, MPI_PROC_NULL, 0}, message, request);
}
LINTEL_MPI_NAME(MPI_Imrecv);

}  // extern "C"

}  // namespace lintel::mpi
