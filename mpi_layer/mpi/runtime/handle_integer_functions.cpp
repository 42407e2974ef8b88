// Integers of handles (MPI 5.0, chapter 20).
#include "mpi_layer/mpi/functions/handle_integers.h"
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/runtime.h"

namespace lintel::mpi {

extern "C" {

int PMPI_Comm_toint(MPI_Comm comm) {
  return integer_of(runtime().communicators, comm, MPI_COMM_NULL);
}
LINTEL_MPI_NAME(MPI_Comm_toint);

MPI_Comm PMPI_Comm_fromint(int comm) {
  return handle_of_integer(runtime().communicators, comm, MPI_COMM_NULL);
}
LINTEL_MPI_NAME(MPI_Comm_fromint);

int PMPI_Errhandler_toint(MPI_Errhandler errhandler) {
  return integer_of(runtime().error_handlers, errhandler, MPI_ERRHANDLER_NULL);
}
LINTEL_MPI_NAME(MPI_Errhandler_toint);

MPI_Errhandler PMPI_Errhandler_fromint(int errhandler) {
  return handle_of_integer(runtime().error_handlers, errhandler, MPI_ERRHANDLER_NULL);
}
LINTEL_MPI_NAME(MPI_Errhandler_fromint);

int PMPI_Message_toint(MPI_Message message) {
  return integer_of(runtime().messages, message, MPI_MESSAGE_NULL);
}
LINTEL_MPI_NAME(MPI_Message_toint);

MPI_Message PMPI_Message_fromint(int message) {
  return handle_of_integer(runtime().messages, message, MPI_MESSAGE_NULL);
}
LINTEL_MPI_NAME(MPI_Message_fromint);

int PMPI_Request_toint(MPI_Request request) {
  return integer_of(runtime().requests, request, MPI_REQUEST_NULL);
}
LINTEL_MPI_NAME(MPI_Request_toint);

MPI_Request PMPI_Request_fromint(int request) {
  return handle_of_integer(runtime().requests, request, MPI_REQUEST_NULL);
}
LINTEL_MPI_NAME(MPI_Request_fromint);

}  // extern "C"

}  // namespace lintel::mpi
