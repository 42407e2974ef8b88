// Receives (MPI 5.0, clauses 3.2.4, 3.7.2, 3.9).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/message_calls.h"
#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

int run_recv(const char* name, const ReceiveCall& call, MPI_Comm comm, MPI_Status* status) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return receive_and_wait(*communicator, call, status);
  });
}

int run_irecv(const char* name, const ReceiveCall& call, MPI_Comm comm, MPI_Request* request) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return make_request(communicator, true, false, request, [&](ItemTransfer& transfer) {
      return start_receive(*communicator, call, transfer);
    });
  });
}

int run_recv_init(const char* name, const ReceiveCall& call, MPI_Comm comm, MPI_Request* request) {
  return communicator_call(name, comm, [&](const CommunicatorRef& communicator) {
    return make_request(communicator, true, true, request, [&](ItemTransfer& transfer) {
      return prepare_receive(*communicator, call, transfer);
    });
  });
}

extern "C" {

int PMPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Status* status) {
  return run_recv("MPI_Recv", {buf, count, datatype, source, tag}, comm, status);
}
LINTEL_MPI_NAME(MPI_Recv);

int PMPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return run_irecv("MPI_Irecv", {buf, count, datatype, source, tag}, comm, request);
}
LINTEL_MPI_NAME(MPI_Irecv);

int PMPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return run_recv_init("MPI_Recv_init", {buf, count, datatype, source, tag}, comm, request);
}
LINTEL_MPI_NAME(MPI_Recv_init);

}  // extern "C"

}  // namespace lintel::mpi
