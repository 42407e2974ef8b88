// Reductions and scans over a communicator (MPI 5.0, clauses 6.9 to 6.11).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/reducing_operations.h"

namespace lintel::mpi {

extern "C" {

int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                int root, MPI_Comm comm) {
  return run("MPI_Reduce", comm, kReduce, sendbuf, recvbuf, count, datatype, op, root);
}
LINTEL_MPI_NAME(MPI_Reduce);

int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return run("MPI_Allreduce", comm, kReduceToAll, sendbuf, recvbuf, count, datatype, op);
}
LINTEL_MPI_NAME(MPI_Allreduce);

int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm) {
  return run("MPI_Scan", comm, kScan, sendbuf, recvbuf, count, datatype, op);
}
LINTEL_MPI_NAME(MPI_Scan);

int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm) {
  return run("MPI_Exscan", comm, kExclusiveScan, sendbuf, recvbuf, count, datatype, op);
}
LINTEL_MPI_NAME(MPI_Exscan);

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Reduce_scatter", comm, kReduceScatter, sendbuf, recvbuf, recvcounts, datatype,
             op);
}
LINTEL_MPI_NAME(MPI_Reduce_scatter);

int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Reduce_scatter_block", comm, kReduceScatterBlock, sendbuf, recvbuf, recvcount,
             datatype, op);
}
LINTEL_MPI_NAME(MPI_Reduce_scatter_block);

int PMPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, int root, MPI_Comm comm) {
  return run("MPI_Reduce_c", comm, kReduce, sendbuf, recvbuf, count, datatype, op, root);
}
LINTEL_MPI_NAME(MPI_Reduce_c);

int PMPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op, MPI_Comm comm) {
  return run("MPI_Allreduce_c", comm, kReduceToAll, sendbuf, recvbuf, count, datatype, op);
}
LINTEL_MPI_NAME(MPI_Allreduce_c);

int PMPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                MPI_Op op, MPI_Comm comm) {
  return run("MPI_Scan_c", comm, kScan, sendbuf, recvbuf, count, datatype, op);
}
LINTEL_MPI_NAME(MPI_Scan_c);

int PMPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                  MPI_Op op, MPI_Comm comm) {
  return run("MPI_Exscan_c", comm, kExclusiveScan, sendbuf, recvbuf, count, datatype, op);
}
LINTEL_MPI_NAME(MPI_Exscan_c);

int PMPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Reduce_scatter_c", comm, kReduceScatter, sendbuf, recvbuf, recvcounts, datatype,
             op);
}
LINTEL_MPI_NAME(MPI_Reduce_scatter_c);

int PMPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return run("MPI_Reduce_scatter_block_c", comm, kReduceScatterBlock, sendbuf, recvbuf, recvcount,
             datatype, op);
}
LINTEL_MPI_NAME(MPI_Reduce_scatter_block_c);

}  // extern "C"

}  // namespace lintel::mpi
