// The same as reducing_collective_functions.cpp, without blocking (MPI 5.0, clause 6.12).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/reducing_operations.h"

namespace lintel::mpi {

extern "C" {

int PMPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 int root, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Ireduce", comm, request, kReduce, sendbuf, recvbuf, count, datatype, op, root);
}
LINTEL_MPI_NAME(MPI_Ireduce);

int PMPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iallreduce", comm, request, kReduceToAll, sendbuf, recvbuf, count, datatype,
               op);
}
LINTEL_MPI_NAME(MPI_Iallreduce);

int PMPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
               MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iscan", comm, request, kScan, sendbuf, recvbuf, count, datatype, op);
}
LINTEL_MPI_NAME(MPI_Iscan);

int PMPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iexscan", comm, request, kExclusiveScan, sendbuf, recvbuf, count, datatype, op);
}
LINTEL_MPI_NAME(MPI_Iexscan);

int PMPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Ireduce_scatter", comm, request, kReduceScatter, sendbuf, recvbuf, recvcounts,
               datatype, op);
}
LINTEL_MPI_NAME(MPI_Ireduce_scatter);

int PMPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                               MPI_Request* request) {
  return start("MPI_Ireduce_scatter_block", comm, request, kReduceScatterBlock, sendbuf, recvbuf,
               recvcount, datatype, op);
}
LINTEL_MPI_NAME(MPI_Ireduce_scatter_block);

int PMPI_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Ireduce_c", comm, request, kReduce, sendbuf, recvbuf, count, datatype, op,
               root);
}
LINTEL_MPI_NAME(MPI_Ireduce_c);

int PMPI_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iallreduce_c", comm, request, kReduceToAll, sendbuf, recvbuf, count, datatype,
               op);
}
LINTEL_MPI_NAME(MPI_Iallreduce_c);

int PMPI_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                 MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iscan_c", comm, request, kScan, sendbuf, recvbuf, count, datatype, op);
}
LINTEL_MPI_NAME(MPI_Iscan_c);

int PMPI_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iexscan_c", comm, request, kExclusiveScan, sendbuf, recvbuf, count, datatype,
               op);
}
LINTEL_MPI_NAME(MPI_Iexscan_c);

int PMPI_Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Ireduce_scatter_c", comm, request, kReduceScatter, sendbuf, recvbuf, recvcounts,
               datatype, op);
}
LINTEL_MPI_NAME(MPI_Ireduce_scatter_c);

int PMPI_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                 MPI_Request* request) {
  return start("MPI_Ireduce_scatter_block_c", comm, request, kReduceScatterBlock, sendbuf, recvbuf,
               recvcount, datatype, op);
}
LINTEL_MPI_NAME(MPI_Ireduce_scatter_block_c);

}  // extern "C"

}  // namespace lintel::mpi
