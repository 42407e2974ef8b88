// Messages with counts of type MPI_Count (MPI 5.0, chapter 3).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/message_calls.h"

namespace lintel::mpi {

extern "C" {

int PMPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                MPI_Comm comm) {
  return run_send("MPI_Send_c", {buf, count, datatype, dest, tag, SendMode::kStandard}, comm);
}
LINTEL_MPI_NAME(MPI_Send_c);

int PMPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm) {
  return run_send("MPI_Bsend_c", {buf, count, datatype, dest, tag, SendMode::kBuffered}, comm);
}
LINTEL_MPI_NAME(MPI_Bsend_c);

int PMPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm) {
  return run_send("MPI_Ssend_c", {buf, count, datatype, dest, tag, SendMode::kSynchronous}, comm);
}
LINTEL_MPI_NAME(MPI_Ssend_c);

int PMPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm) {
  return run_send("MPI_Rsend_c", {buf, count, datatype, dest, tag, SendMode::kReady}, comm);
}
LINTEL_MPI_NAME(MPI_Rsend_c);

int PMPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm, MPI_Request* request) {
  return run_isend("MPI_Isend_c", {buf, count, datatype, dest, tag, SendMode::kStandard}, comm,
                   request);
}
LINTEL_MPI_NAME(MPI_Isend_c);

int PMPI_Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return run_isend("MPI_Ibsend_c", {buf, count, datatype, dest, tag, SendMode::kBuffered}, comm,
                   request);
}
LINTEL_MPI_NAME(MPI_Ibsend_c);

int PMPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return run_isend("MPI_Issend_c", {buf, count, datatype, dest, tag, SendMode::kSynchronous}, comm,
                   request);
}
LINTEL_MPI_NAME(MPI_Issend_c);

int PMPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request* request) {
  return run_isend("MPI_Irsend_c", {buf, count, datatype, dest, tag, SendMode::kReady}, comm,
                   request);
}
LINTEL_MPI_NAME(MPI_Irsend_c);

int PMPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, MPI_Request* request) {
  return run_send_init("MPI_Send_init_c", {buf, count, datatype, dest, tag, SendMode::kStandard},
                       comm, request);
}
LINTEL_MPI_NAME(MPI_Send_init_c);

int PMPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  return run_send_init("MPI_Bsend_init_c", {buf, count, datatype, dest, tag, SendMode::kBuffered},
                       comm, request);
}
LINTEL_MPI_NAME(MPI_Bsend_init_c);

int PMPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  return run_send_init("MPI_Ssend_init_c",
                       {buf, count, datatype, dest, tag, SendMode::kSynchronous}, comm, request);
}
LINTEL_MPI_NAME(MPI_Ssend_init_c);

int PMPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  return run_send_init("MPI_Rsend_init_c", {buf, count, datatype, dest, tag, SendMode::kReady},
                       comm, request);
}
LINTEL_MPI_NAME(MPI_Rsend_init_c);

int PMPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                MPI_Comm comm, MPI_Status* status) {
  return run_recv("MPI_Recv_c", {buf, count, datatype, source, tag}, comm, status);
}
LINTEL_MPI_NAME(MPI_Recv_c);

int PMPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                 MPI_Comm comm, MPI_Request* request) {
  return run_irecv("MPI_Irecv_c", {buf, count, datatype, source, tag}, comm, request);
}
LINTEL_MPI_NAME(MPI_Irecv_c);

int PMPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                     MPI_Comm comm, MPI_Request* request) {
  return run_recv_init("MPI_Recv_init_c", {buf, count, datatype, source, tag}, comm, request);
}
LINTEL_MPI_NAME(MPI_Recv_init_c);

int PMPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                 MPI_Status* status) {
  return run_mrecv("MPI_Mrecv_c", {buf, count, datatype, MPI_PROC_NULL, 0}, message, status);
}
LINTEL_MPI_NAME(MPI_Mrecv_c);

int PMPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                  MPI_Request* request) {
  return run_imrecv("MPI_Imrecv_c", {buf, count, datatype, MPI_PROC_NULL, 0}, message, request);
}
LINTEL_MPI_NAME(MPI_Imrecv_c);

}  // extern "C"

}  // namespace lintel::mpi
