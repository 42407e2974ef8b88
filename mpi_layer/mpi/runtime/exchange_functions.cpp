// Send and receive in one call, blocking and nonblocking (MPI 5.0, clauses 3.7.2 and 3.10).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/message_calls.h"
#include "mpi_layer/mpi/runtime/packed_items.h"
#include "mpi_layer/mpi/runtime/raise.h"
#include "mpi_layer/mpi/runtime/transfer_error.h"

namespace lintel::mpi {

namespace {

// The receive starts first, so that two processes that exchange messages never wait for memory at
// the receiver. `receive()` starts it, `send()` starts the send. If the send cannot start, because
// there is no memory or a number cannot be converted, the receive `incoming()` is cancelled, or
// completes.
template <class Receive, class Send, class Incoming>
int start_both(const Communicator& communicator, const SendCall& out, Receive receive, Send send,
               Incoming incoming) {
  SendArguments arguments;
  if (const int error = check_send(communicator, out.destination, out.tag, out.mode, &arguments);
      error != MPI_SUCCESS)
    return error;
  if (const int error = receive(); error != MPI_SUCCESS) return error;
  const int sending = send(arguments);
  if (sending != MPI_SUCCESS) {
    ItemTransfer& transfer = incoming();
    runtime().messenger().cancel(transfer.request());
    static_cast<void>(complete(communicator, transfer, true, MPI_STATUS_IGNORE));
  }
  return sending;
}

// `items` are sent in place of those of `out`.
int exchange(const Communicator& communicator, const ItemBuffer& items, const SendCall& out,
             const ReceiveCall& in, MPI_Status* status) {
  ItemTransfer outgoing;
  ItemTransfer incoming;
  const int error = start_both(
      communicator, out, [&] { return start_receive(communicator, in, incoming); },
      [&](const SendArguments& arguments) {
        return outgoing.send(runtime().messenger(), items, arguments);
      },
      [&]() -> ItemTransfer& { return incoming; });
  if (error != MPI_SUCCESS) return error;
  const int received = complete(communicator, incoming, true, status);
  const int sent = complete(communicator, outgoing, false, MPI_STATUS_IGNORE);
  return received != MPI_SUCCESS ? received : sent;
}

// Starts both. The request is the receive. If the message cannot leave at once, it is copied. So
// its buffer is the program's again, and the messenger completes the send without a request.
int start_exchange(const Communicator& communicator, const ItemBuffer& items, const SendCall& out,
                   const ReceiveCall& in, ItemTransfer& incoming) {
  return start_both(
      communicator, out, [&] { return start_receive(communicator, in, incoming); },
      [&](SendArguments arguments) {
        arguments.mode = SendMode::kBuffered;
        ItemTransfer outgoing;
        const int error = outgoing.send(runtime().messenger(), items, arguments);
        return error == MPI_SUCCESS ? complete(communicator, outgoing, false, MPI_STATUS_IGNORE)
                                    : error;
      },
      [&]() -> ItemTransfer& { return incoming; });
}

template <class Exchange>
int with_items(const SendCall& out, Exchange exchange) {
  ItemBuffer items;
  const int error = check_items(out.buffer, out.count, out.datatype, &items);
  return error == MPI_SUCCESS ? exchange(items) : error;
}

// For calls with one buffer for both directions: `exchange(items)` gets a copy of what is to be
// sent, which is valid during the call.
template <class Exchange>
int with_copy(const SendCall& out, Exchange exchange) {
  return with_items(out,
                    [&](const ItemBuffer& items) { return exchange(ItemsCopy(items).items()); });
}

template <class Start>
int request_of_receive(const char* name, MPI_Comm comm, MPI_Request* request, Start start) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return make_request(communicator, true, false, request,
                        [&](ItemTransfer& incoming) { return start(*communicator, incoming); });
  });
}

}  // namespace

int run_sendrecv(const char* name, const SendCall& out, const ReceiveCall& in, MPI_Comm comm,
                 MPI_Status* status) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return with_items(out, [&](const ItemBuffer& items) {
      return exchange(*communicator, items, out, in, status);
    });
  });
}

int run_sendrecv_replace(const char* name, const SendCall& out, const ReceiveCall& in,
                         MPI_Comm comm, MPI_Status* status) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return with_copy(out, [&](const ItemBuffer& copy) {
      return exchange(*communicator, copy, out, in, status);
    });
  });
}

int run_isendrecv(const char* name, const SendCall& out, const ReceiveCall& in, MPI_Comm comm,
                  MPI_Request* request) {
  return request_of_receive(name, comm, request,
                            [&](const Communicator& communicator, ItemTransfer& incoming) {
                              return with_items(out, [&](const ItemBuffer& items) {
                                return start_exchange(communicator, items, out, in, incoming);
                              });
                            });
}

int run_isendrecv_replace(const char* name, const SendCall& out, const ReceiveCall& in,
                          MPI_Comm comm, MPI_Request* request) {
  return request_of_receive(name, comm, request,
                            [&](const Communicator& communicator, ItemTransfer& incoming) {
                              return with_copy(out, [&](const ItemBuffer& copy) {
                                return start_exchange(communicator, copy, out, in, incoming);
                              });
                            });
}

extern "C" {

int PMPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                  MPI_Comm comm, MPI_Status* status) {
  return run_sendrecv("MPI_Sendrecv",
                      {sendbuf, sendcount, sendtype, dest, sendtag, SendMode::kStandard},
                      {recvbuf, recvcount, recvtype, source, recvtag}, comm, status);
}
LINTEL_MPI_NAME(MPI_Sendrecv);

int PMPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return run_sendrecv_replace("MPI_Sendrecv_replace",
                              {buf, count, datatype, dest, sendtag, SendMode::kStandard},
                              {buf, count, datatype, source, recvtag}, comm, status);
}
LINTEL_MPI_NAME(MPI_Sendrecv_replace);

int PMPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                    int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                    int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return run_sendrecv("MPI_Sendrecv_c",
                      {sendbuf, sendcount, sendtype, dest, sendtag, SendMode::kStandard},
                      {recvbuf, recvcount, recvtype, source, recvtag}, comm, status);
}
LINTEL_MPI_NAME(MPI_Sendrecv_c);

int PMPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                            int sendtag, int source, int recvtag, MPI_Comm comm,
                            MPI_Status* status) {
  return run_sendrecv_replace("MPI_Sendrecv_replace_c",
                              {buf, count, datatype, dest, sendtag, SendMode::kStandard},
                              {buf, count, datatype, source, recvtag}, comm, status);
}
LINTEL_MPI_NAME(MPI_Sendrecv_replace_c);

int PMPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Request* request) {
  return run_isendrecv("MPI_Isendrecv",
                       {sendbuf, sendcount, sendtype, dest, sendtag, SendMode::kStandard},
                       {recvbuf, recvcount, recvtype, source, recvtag}, comm, request);
}
LINTEL_MPI_NAME(MPI_Isendrecv);

int PMPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag,
                           int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return run_isendrecv_replace("MPI_Isendrecv_replace",
                               {buf, count, datatype, dest, sendtag, SendMode::kStandard},
                               {buf, count, datatype, source, recvtag}, comm, request);
}
LINTEL_MPI_NAME(MPI_Isendrecv_replace);

int PMPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                     int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                     int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return run_isendrecv("MPI_Isendrecv_c",
                       {sendbuf, sendcount, sendtype, dest, sendtag, SendMode::kStandard},
                       {recvbuf, recvcount, recvtype, source, recvtag}, comm, request);
}
LINTEL_MPI_NAME(MPI_Isendrecv_c);

int PMPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                             int sendtag, int source, int recvtag, MPI_Comm comm,
                             MPI_Request* request) {
  return run_isendrecv_replace("MPI_Isendrecv_replace_c",
                               {buf, count, datatype, dest, sendtag, SendMode::kStandard},
                               {buf, count, datatype, source, recvtag}, comm, request);
}
LINTEL_MPI_NAME(MPI_Isendrecv_replace_c);

}  // extern "C"

}  // namespace lintel::mpi
