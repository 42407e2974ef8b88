// Receives, both directions at once, and the buffer of buffered sends (MPI 5.0, clauses 3.2.4, 3.6, 3.7.2, 3.9, 3.10).
#include <mutex>
#include <vector>

#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/raise.h"
#include "mpi_layer/mpi/runtime/request_starts.h"

namespace lintel::mpi {

namespace {

// Its memory is not used: the messenger keeps copies of its own, which lack no room.
struct AttachedBuffer {
  std::mutex mutex;
  void* memory = nullptr;
  int size = 0;
};

AttachedBuffer& attached_buffer() {
  static auto* const buffer = new AttachedBuffer;
  return *buffer;
}

// The receive starts first, so that two that do this to each other never wait for memory at the receiver.
int exchange(const Communicator& communicator, const SendCall& out, const ReceiveCall& in, MPI_Status* status) {
  ItemBuffer items;
  SendArguments arguments;
  if (const int error = check_items(out.buffer, out.count, out.datatype, &items); error != MPI_SUCCESS) return error;
  if (const int error = check_send(communicator, out.destination, out.tag, out.mode, &arguments); error != MPI_SUCCESS) return error;
  ItemTransfer outgoing;
  ItemTransfer incoming;
  if (const int error = start_receive(communicator, in, incoming); error != MPI_SUCCESS) return error;
  const int sending = start_send(communicator, out, outgoing);
  if (sending != MPI_SUCCESS) {
    // No memory: the receive is taken back, or has what it waited for.
    runtime().messenger().cancel(incoming.request());
    static_cast<void>(complete(communicator, incoming, true, MPI_STATUS_IGNORE));
    return sending;
  }
  const int received = complete(communicator, incoming, true, status);
  const int sent = complete(communicator, outgoing, false, MPI_STATUS_IGNORE);
  return received != MPI_SUCCESS ? received : sent;
}

int exchange_in_place(const Communicator& communicator, const SendCall& out, const ReceiveCall& in, MPI_Status* status) {
  ItemBuffer items;
  if (const int error = check_items(out.buffer, out.count, out.datatype, &items); error != MPI_SUCCESS) return error;
  std::vector<std::byte> copy(static_cast<std::size_t>(items.bytes()));
  if (!copy.empty()) pack(items.items(), 0, copy);
  // Copies are bytes: their count may exceed an int, not the 63 bits that check_items allows.
  return exchange(communicator, {copy.data(), items.bytes(), MPI_BYTE, out.destination, out.tag, out.mode}, in, status);
}

}  // namespace

extern "C" {

int PMPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return communicator_call("MPI_Recv", comm, [&](const CommunicatorRef& communicator) {
    ItemTransfer transfer;
    const int error = start_receive(*communicator, {buf, count, datatype, source, tag}, transfer);
    return error != MPI_SUCCESS ? error : complete(*communicator, transfer, true, status);
  });
}
LINTEL_MPI_NAME(MPI_Recv);

int PMPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return communicator_call("MPI_Irecv", comm, [&](const CommunicatorRef& communicator) {
    return make_request(communicator, true, false, request, [&](ItemTransfer& transfer) {
      return start_receive(*communicator, {buf, count, datatype, source, tag}, transfer);
    });
  });
}
LINTEL_MPI_NAME(MPI_Irecv);

int PMPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return communicator_call("MPI_Recv_init", comm, [&](const CommunicatorRef& communicator) {
    return make_request(communicator, true, true, request, [&](ItemTransfer& transfer) {
      return prepare_receive(*communicator, {buf, count, datatype, source, tag}, transfer);
    });
  });
}
LINTEL_MPI_NAME(MPI_Recv_init);

int PMPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return communicator_call("MPI_Sendrecv", comm, [&](const CommunicatorRef& communicator) {
    return exchange(*communicator, {sendbuf, sendcount, sendtype, dest, sendtag, SendMode::kStandard},
                    {recvbuf, recvcount, recvtype, source, recvtag}, status);
  });
}
LINTEL_MPI_NAME(MPI_Sendrecv);

int PMPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                          MPI_Status* status) {
  return communicator_call("MPI_Sendrecv_replace", comm, [&](const CommunicatorRef& communicator) {
    return exchange_in_place(*communicator, {buf, count, datatype, dest, sendtag, SendMode::kStandard},
                             {buf, count, datatype, source, recvtag}, status);
  });
}
LINTEL_MPI_NAME(MPI_Sendrecv_replace);

int PMPI_Buffer_attach(void* buffer, int size) {
  return runtime_call("MPI_Buffer_attach", [=](CommunicatorRef*) -> int {
    if (size < 0) return MPI_ERR_ARG;
    AttachedBuffer& attached = attached_buffer();
    const std::lock_guard<std::mutex> lock(attached.mutex);
    if (attached.memory != nullptr) return MPI_ERR_BUFFER;
    attached.memory = buffer;
    attached.size = size;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Buffer_attach);

int PMPI_Buffer_detach(void* buffer_addr, int* size) {
  return runtime_call("MPI_Buffer_detach", [=](CommunicatorRef*) -> int {
    if (buffer_addr == nullptr || size == nullptr) return MPI_ERR_ARG;
    AttachedBuffer& attached = attached_buffer();
    const std::lock_guard<std::mutex> lock(attached.mutex);
    *static_cast<void**>(buffer_addr) = attached.memory;
    *size = attached.size;
    attached.memory = nullptr;
    attached.size = 0;
    return MPI_SUCCESS;
  });
}
LINTEL_MPI_NAME(MPI_Buffer_detach);

}  // extern "C"

}  // namespace lintel::mpi
