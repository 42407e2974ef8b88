// The same as moving_collective_functions.cpp, without blocking (MPI 5.0, clause 6.12).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/moving_operations.h"

namespace lintel::mpi {

extern "C" {

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Ibarrier", comm, request, kBarrier);
}
LINTEL_MPI_NAME(MPI_Ibarrier);

int PMPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                MPI_Request* request) {
  return start("MPI_Ibcast", comm, request, kBroadcast, buffer, count, datatype, root);
}
LINTEL_MPI_NAME(MPI_Ibcast);

int PMPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 MPI_Request* request) {
  return start("MPI_Igather", comm, request, kGather, sendbuf, sendcount, sendtype, recvbuf,
               recvcount, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Igather);

int PMPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                  MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Igatherv", comm, request, kGatherVarious, sendbuf, sendcount, sendtype, recvbuf,
               recvcounts, displs, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Igatherv);

int PMPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return start("MPI_Iscatter", comm, request, kScatter, sendbuf, sendcount, sendtype, recvbuf,
               recvcount, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Iscatter);

int PMPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                   MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                   int root, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iscatterv", comm, request, kScatterVarious, sendbuf, sendcounts, displs,
               sendtype, recvbuf, recvcount, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Iscatterv);

int PMPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iallgather", comm, request, kGatherToAll, sendbuf, sendcount, sendtype, recvbuf,
               recvcount, recvtype);
}
LINTEL_MPI_NAME(MPI_Iallgather);

int PMPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                     MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iallgatherv", comm, request, kGatherToAllVarious, sendbuf, sendcount, sendtype,
               recvbuf, recvcounts, displs, recvtype);
}
LINTEL_MPI_NAME(MPI_Iallgatherv);

int PMPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                   int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Ialltoall", comm, request, kAllToAll, sendbuf, sendcount, sendtype, recvbuf,
               recvcount, recvtype);
}
LINTEL_MPI_NAME(MPI_Ialltoall);

int PMPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                    const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                    MPI_Request* request) {
  return start("MPI_Ialltoallv", comm, request, kAllToAllVarious, sendbuf, sendcounts, sdispls,
               sendtype, recvbuf, recvcounts, rdispls, recvtype);
}
LINTEL_MPI_NAME(MPI_Ialltoallv);

int PMPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                    MPI_Request* request) {
  return start("MPI_Ialltoallw", comm, request, kAllToAllOfTypes, sendbuf, sendcounts, sdispls,
               sendtypes, recvbuf, recvcounts, rdispls, recvtypes);
}
LINTEL_MPI_NAME(MPI_Ialltoallw);

int PMPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return start("MPI_Ibcast_c", comm, request, kBroadcast, buffer, count, datatype, root);
}
LINTEL_MPI_NAME(MPI_Ibcast_c);

int PMPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request* request) {
  return start("MPI_Igather_c", comm, request, kGather, sendbuf, sendcount, sendtype, recvbuf,
               recvcount, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Igather_c);

int PMPI_Igatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                    int root, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Igatherv_c", comm, request, kGatherVarious, sendbuf, sendcount, sendtype,
               recvbuf, recvcounts, displs, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Igatherv_c);

int PMPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    MPI_Request* request) {
  return start("MPI_Iscatter_c", comm, request, kScatter, sendbuf, sendcount, sendtype, recvbuf,
               recvcount, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Iscatter_c);

int PMPI_Iscatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                     MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iscatterv_c", comm, request, kScatterVarious, sendbuf, sendcounts, displs,
               sendtype, recvbuf, recvcount, recvtype, root);
}
LINTEL_MPI_NAME(MPI_Iscatterv_c);

int PMPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Request* request) {
  return start("MPI_Iallgather_c", comm, request, kGatherToAll, sendbuf, sendcount, sendtype,
               recvbuf, recvcount, recvtype);
}
LINTEL_MPI_NAME(MPI_Iallgather_c);

int PMPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                       void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                       MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return start("MPI_Iallgatherv_c", comm, request, kGatherToAllVarious, sendbuf, sendcount,
               sendtype, recvbuf, recvcounts, displs, recvtype);
}
LINTEL_MPI_NAME(MPI_Iallgatherv_c);

int PMPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request* request) {
  return start("MPI_Ialltoall_c", comm, request, kAllToAll, sendbuf, sendcount, sendtype, recvbuf,
               recvcount, recvtype);
}
LINTEL_MPI_NAME(MPI_Ialltoall_c);

int PMPI_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                      MPI_Request* request) {
  return start("MPI_Ialltoallv_c", comm, request, kAllToAllVarious, sendbuf, sendcounts, sdispls,
               sendtype, recvbuf, recvcounts, rdispls, recvtype);
}
LINTEL_MPI_NAME(MPI_Ialltoallv_c);

int PMPI_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                      MPI_Request* request) {
  return start("MPI_Ialltoallw_c", comm, request, kAllToAllOfTypes, sendbuf, sendcounts, sdispls,
               sendtypes, recvbuf, recvcounts, rdispls, recvtypes);
}
LINTEL_MPI_NAME(MPI_Ialltoallw_c);

}  // extern "C"

}  // namespace lintel::mpi
