// Barrier, broadcast, gather, scatter, all to all (MPI 5.0, clauses 6.3 to 6.8).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/moving_operations.h"

namespace lintel::mpi {

extern "C" {

int PMPI_Barrier(MPI_Comm comm) { return run("MPI_Barrier", comm, kBarrier); }
LINTEL_MPI_NAME(MPI_Barrier);

int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return run("MPI_Bcast", comm, kBroadcast, buffer, count, datatype, root);
}
LINTEL_MPI_NAME(MPI_Bcast);

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run("MPI_Gather", comm, kGather, sendbuf, sendcount, sendtype, recvbuf, recvcount,
             recvtype, root);
}
LINTEL_MPI_NAME(MPI_Gather);

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                 MPI_Comm comm) {
  return run("MPI_Gatherv", comm, kGatherVarious, sendbuf, sendcount, sendtype, recvbuf, recvcounts,
             displs, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Gatherv);

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run("MPI_Scatter", comm, kScatter, sendbuf, sendcount, sendtype, recvbuf, recvcount,
             recvtype, root);
}
LINTEL_MPI_NAME(MPI_Scatter);

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                  MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm) {
  return run("MPI_Scatterv", comm, kScatterVarious, sendbuf, sendcounts, displs, sendtype, recvbuf,
             recvcount, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Scatterv);

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Allgather", comm, kGatherToAll, sendbuf, sendcount, sendtype, recvbuf, recvcount,
             recvtype);
}
LINTEL_MPI_NAME(MPI_Allgather);

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                    MPI_Comm comm) {
  return run("MPI_Allgatherv", comm, kGatherToAllVarious, sendbuf, sendcount, sendtype, recvbuf,
             recvcounts, displs, recvtype);
}
LINTEL_MPI_NAME(MPI_Allgatherv);

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Alltoall", comm, kAllToAll, sendbuf, sendcount, sendtype, recvbuf, recvcount,
             recvtype);
}
LINTEL_MPI_NAME(MPI_Alltoall);

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                   const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Alltoallv", comm, kAllToAllVarious, sendbuf, sendcounts, sdispls, sendtype,
             recvbuf, recvcounts, rdispls, recvtype);
}
LINTEL_MPI_NAME(MPI_Alltoallv);

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                   const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return run("MPI_Alltoallw", comm, kAllToAllOfTypes, sendbuf, sendcounts, sdispls, sendtypes,
             recvbuf, recvcounts, rdispls, recvtypes);
}
LINTEL_MPI_NAME(MPI_Alltoallw);

int PMPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return run("MPI_Bcast_c", comm, kBroadcast, buffer, count, datatype, root);
}
LINTEL_MPI_NAME(MPI_Bcast_c);

int PMPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run("MPI_Gather_c", comm, kGather, sendbuf, sendcount, sendtype, recvbuf, recvcount,
             recvtype, root);
}
LINTEL_MPI_NAME(MPI_Gather_c);

int PMPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                   int root, MPI_Comm comm) {
  return run("MPI_Gatherv_c", comm, kGatherVarious, sendbuf, sendcount, sendtype, recvbuf,
             recvcounts, displs, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Gatherv_c);

int PMPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run("MPI_Scatter_c", comm, kScatter, sendbuf, sendcount, sendtype, recvbuf, recvcount,
             recvtype, root);
}
LINTEL_MPI_NAME(MPI_Scatter_c);

int PMPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                    MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                    MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return run("MPI_Scatterv_c", comm, kScatterVarious, sendbuf, sendcounts, displs, sendtype,
             recvbuf, recvcount, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Scatterv_c);

int PMPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Allgather_c", comm, kGatherToAll, sendbuf, sendcount, sendtype, recvbuf,
             recvcount, recvtype);
}
LINTEL_MPI_NAME(MPI_Allgather_c);

int PMPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                      MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Allgatherv_c", comm, kGatherToAllVarious, sendbuf, sendcount, sendtype, recvbuf,
             recvcounts, displs, recvtype);
}
LINTEL_MPI_NAME(MPI_Allgatherv_c);

int PMPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Alltoall_c", comm, kAllToAll, sendbuf, sendcount, sendtype, recvbuf, recvcount,
             recvtype);
}
LINTEL_MPI_NAME(MPI_Alltoall_c);

int PMPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return run("MPI_Alltoallv_c", comm, kAllToAllVarious, sendbuf, sendcounts, sdispls, sendtype,
             recvbuf, recvcounts, rdispls, recvtype);
}
LINTEL_MPI_NAME(MPI_Alltoallv_c);

int PMPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return run("MPI_Alltoallw_c", comm, kAllToAllOfTypes, sendbuf, sendcounts, sdispls, sendtypes,
             recvbuf, recvcounts, rdispls, recvtypes);
}
LINTEL_MPI_NAME(MPI_Alltoallw_c);

}  // extern "C"

}  // namespace lintel::mpi
