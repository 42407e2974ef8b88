// Barrier, broadcast, gather, scatter, all to all (MPI 5.0, clauses 6.3 to 6.8).
#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/all_to_all.h"
#include "mpi_layer/mpi/runtime/broadcast.h"
#include "mpi_layer/mpi/runtime/gather_scatter.h"
#include "mpi_layer/mpi/runtime/gather_to_all.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"
#include "mpi_layer/mpi/runtime/raise.h"

namespace lintel::mpi {

namespace {

int check_root(const Communicator& communicator, int root) { return root >= 0 && root < communicator.size() ? MPI_SUCCESS : MPI_ERR_ROOT; }

// A rank's own items, or nothing where the program says MPI_IN_PLACE and may.
int take_own(const void* buffer, int count, MPI_Datatype datatype, bool may_be_in_place, std::optional<ItemBuffer>* own) {
  if (may_be_in_place && buffer == MPI_IN_PLACE) return MPI_SUCCESS;
  return check_items(buffer, count, datatype, &own->emplace());
}

using RootedMove = int(const Team& team, int root, const std::optional<ItemBuffer>& own, const Parts& parts);

// `take(parts)` takes the buffer with all parts, which counts at the root only; then `move` gathers or scatters.
template <class Take>
int with_root(const CommunicatorRef& communicator, int root, const void* buffer, int count, MPI_Datatype datatype, Take take,
              RootedMove& move) {
  if (const int error = check_root(*communicator, root); error != MPI_SUCCESS) return error;
  const bool is_root = communicator->rank() == root;
  std::optional<ItemBuffer> own;
  Parts parts;
  if (const int error = take_own(buffer, count, datatype, is_root, &own); error != MPI_SUCCESS) return error;
  if (const int error = is_root ? take(parts) : MPI_SUCCESS; error != MPI_SUCCESS) return error;
  return move(Team(communicator), root, own, parts);
}

template <class Take>
int gather_items_to_all(const CommunicatorRef& communicator, const void* buffer, int count, MPI_Datatype datatype, Take take) {
  std::optional<ItemBuffer> own;
  Parts parts;
  if (const int error = take_own(buffer, count, datatype, true, &own); error != MPI_SUCCESS) return error;
  if (const int error = take(parts); error != MPI_SUCCESS) return error;
  if (own) {
    if (const int error = copy_items(*own, parts.at(communicator->rank())); error != MPI_SUCCESS) return error;
  }
  return gather_to_all(Team(communicator), parts);
}

using Exchange = int(const Team& team, const Parts& out, const Parts& in);

// `take_out` is not called where the program says MPI_IN_PLACE; `out` is `in` then.
template <class TakeOut, class TakeIn>
int exchange_all(const CommunicatorRef& communicator, const void* buffer, TakeOut take_out, TakeIn take_in, Exchange& exchange) {
  Parts out;
  Parts in;
  if (const int error = take_in(in); error != MPI_SUCCESS) return error;
  if (buffer == MPI_IN_PLACE) return exchange(Team(communicator), in, in);
  if (const int error = take_out(out); error != MPI_SUCCESS) return error;
  return exchange(Team(communicator), out, in);
}

}  // namespace

extern "C" {

int PMPI_Barrier(MPI_Comm comm) {
  return communicator_call("MPI_Barrier", comm, [=](const CommunicatorRef& communicator) { return Team(communicator).barrier(); });
}
LINTEL_MPI_NAME(MPI_Barrier);

int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return communicator_call("MPI_Bcast", comm, [=](const CommunicatorRef& communicator) -> int {
    if (const int error = check_root(*communicator, root); error != MPI_SUCCESS) return error;
    ItemBuffer items;
    if (const int error = check_items(buffer, count, datatype, &items); error != MPI_SUCCESS) return error;
    return broadcast(Team(communicator), root, items);
  });
}
LINTEL_MPI_NAME(MPI_Bcast);

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                MPI_Comm comm) {
  return communicator_call("MPI_Gather", comm, [=](const CommunicatorRef& communicator) {
    return with_root(
        communicator, root, sendbuf, sendcount, sendtype,
        [&](Parts& parts) { return parts.take(recvbuf, recvcount, recvtype, communicator->size()); }, gather);
  });
}
LINTEL_MPI_NAME(MPI_Gather);

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
                 MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return communicator_call("MPI_Gatherv", comm, [=](const CommunicatorRef& communicator) {
    return with_root(
        communicator, root, sendbuf, sendcount, sendtype,
        [&](Parts& parts) { return parts.take(recvbuf, recvcounts, displs, recvtype, communicator->size()); }, gather_various);
  });
}
LINTEL_MPI_NAME(MPI_Gatherv);

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                 MPI_Comm comm) {
  return communicator_call("MPI_Scatter", comm, [=](const CommunicatorRef& communicator) {
    return with_root(
        communicator, root, recvbuf, recvcount, recvtype,
        [&](Parts& parts) { return parts.take(sendbuf, sendcount, sendtype, communicator->size()); }, scatter);
  });
}
LINTEL_MPI_NAME(MPI_Scatter);

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return communicator_call("MPI_Scatterv", comm, [=](const CommunicatorRef& communicator) {
    return with_root(
        communicator, root, recvbuf, recvcount, recvtype,
        [&](Parts& parts) { return parts.take(sendbuf, sendcounts, displs, sendtype, communicator->size()); }, scatter_various);
  });
}
LINTEL_MPI_NAME(MPI_Scatterv);

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                   MPI_Comm comm) {
  return communicator_call("MPI_Allgather", comm, [=](const CommunicatorRef& communicator) {
    return gather_items_to_all(communicator, sendbuf, sendcount, sendtype,
                               [&](Parts& parts) { return parts.take(recvbuf, recvcount, recvtype, communicator->size()); });
  });
}
LINTEL_MPI_NAME(MPI_Allgather);

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int displs[],
                    MPI_Datatype recvtype, MPI_Comm comm) {
  return communicator_call("MPI_Allgatherv", comm, [=](const CommunicatorRef& communicator) {
    return gather_items_to_all(communicator, sendbuf, sendcount, sendtype,
                               [&](Parts& parts) { return parts.take(recvbuf, recvcounts, displs, recvtype, communicator->size()); });
  });
}
LINTEL_MPI_NAME(MPI_Allgatherv);

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount, MPI_Datatype recvtype,
                  MPI_Comm comm) {
  return communicator_call("MPI_Alltoall", comm, [=](const CommunicatorRef& communicator) {
    return exchange_all(
        communicator, sendbuf, [&](Parts& parts) { return parts.take(sendbuf, sendcount, sendtype, communicator->size()); },
        [&](Parts& parts) { return parts.take(recvbuf, recvcount, recvtype, communicator->size()); }, all_to_all);
  });
}
LINTEL_MPI_NAME(MPI_Alltoall);

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                   const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return communicator_call("MPI_Alltoallv", comm, [=](const CommunicatorRef& communicator) {
    return exchange_all(
        communicator, sendbuf, [&](Parts& parts) { return parts.take(sendbuf, sendcounts, sdispls, sendtype, communicator->size()); },
        [&](Parts& parts) { return parts.take(recvbuf, recvcounts, rdispls, recvtype, communicator->size()); }, all_to_all_various);
  });
}
LINTEL_MPI_NAME(MPI_Alltoallv);

}  // extern "C"

}  // namespace lintel::mpi
