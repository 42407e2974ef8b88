// Sends (MPI 5.0, clauses 3.2, 3.4, 3.6, 3.7, 3.9).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/message_calls.h"
#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

int run_send(const char* name, const SendCall& call, MPI_Comm comm) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return send_and_wait(*communicator, call);
  });
}

int run_isend(const char* name, const SendCall& call, MPI_Comm comm, MPI_Request* request) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return make_request(communicator, false, false, request, [&](ItemTransfer& transfer) {
      return start_send(*communicator, call, transfer);
    });
  });
}

int run_send_init(const char* name, const SendCall& call, MPI_Comm comm, MPI_Request* request) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return make_request(communicator, false, true, request, [&](ItemTransfer& transfer) {
      return prepare_send(*communicator, call, transfer);
    });
  });
}

extern "C" {

int PMPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return run_send("MPI_Send", {buf, count, datatype, dest, tag, SendMode::kStandard}, comm);
}
LINTEL_MPI_NAME(MPI_Send);

int PMPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
  return run_send("MPI_Bsend", {buf, count, datatype, dest, tag, SendMode::kBuffered}, comm);
}
LINTEL_MPI_NAME(MPI_Bsend);

int PMPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
  return run_send("MPI_Ssend", {buf, count, datatype, dest, tag, SendMode::kSynchronous}, comm);
}
LINTEL_MPI_NAME(MPI_Ssend);

int PMPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm) {
  return run_send("MPI_Rsend", {buf, count, datatype, dest, tag, SendMode::kReady}, comm);
}
LINTEL_MPI_NAME(MPI_Rsend);

int PMPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return run_isend("MPI_Isend", {buf, count, datatype, dest, tag, SendMode::kStandard}, comm,
                   request);
}
LINTEL_MPI_NAME(MPI_Isend);

int PMPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return run_isend("MPI_Ibsend", {buf, count, datatype, dest, tag, SendMode::kBuffered}, comm,
                   request);
}
LINTEL_MPI_NAME(MPI_Ibsend);

int PMPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return run_isend("MPI_Issend", {buf, count, datatype, dest, tag, SendMode::kSynchronous}, comm,
                   request);
}
LINTEL_MPI_NAME(MPI_Issend);

int PMPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return run_isend("MPI_Irsend", {buf, count, datatype, dest, tag, SendMode::kReady}, comm,
                   request);
}
LINTEL_MPI_NAME(MPI_Irsend);

int PMPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request* request) {
  return run_send_init("MPI_Send_init", {buf, count, datatype, dest, tag, SendMode::kStandard},
                       comm, request);
}
LINTEL_MPI_NAME(MPI_Send_init);

int PMPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request* request) {
  return run_send_init("MPI_Bsend_init", {buf, count, datatype, dest, tag, SendMode::kBuffered},
                       comm, request);
}
LINTEL_MPI_NAME(MPI_Bsend_init);

int PMPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request* request) {
  return run_send_init("MPI_Ssend_init", {buf, count, datatype, dest, tag, SendMode::kSynchronous},
                       comm, request);
}
LINTEL_MPI_NAME(MPI_Ssend_init);

int PMPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                    MPI_Comm comm, MPI_Request* request) {
  return run_send_init("MPI_Rsend_init", {buf, count, datatype, dest, tag, SendMode::kReady}, comm,
                       request);
}
LINTEL_MPI_NAME(MPI_Rsend_init);

}  // extern "C"

}  // namespace lintel::mpi
