// Reductions and scans over a communicator (MPI 5.0, clauses 6.9 to 6.11).
#include <cstdint>
#include <vector>

#include "mpi_layer/mpi/functions/weak_name.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"
#include "mpi_layer/mpi/runtime/raise.h"
#include "mpi_layer/mpi/runtime/reduce.h"
#include "mpi_layer/mpi/runtime/reduce_scatter.h"
#include "mpi_layer/mpi/runtime/scan.h"

namespace lintel::mpi {

namespace {

struct ReductionCall {
  const void* sendbuf;
  void* recvbuf;
  std::int64_t count;
  MPI_Datatype datatype;
  MPI_Op op;
};

// A reduction that is checked: `in` is what this rank contributes, `out` where its result goes, if it gets one.
struct CheckedReduction {
  BoundReduction reduction;
  ItemBuffer in;
  ItemBuffer out;
};

int check(const ReductionCall& call, bool gets_result, CheckedReduction* checked) {
  if (const int error = BoundReduction::bind(call.op, call.datatype, &checked->reduction); error != MPI_SUCCESS) return error;
  const bool in_place = gets_result && call.sendbuf == MPI_IN_PLACE;
  const void* const own = in_place ? call.recvbuf : call.sendbuf;
  if (const int error = check_items(own, call.count, call.datatype, &checked->in); error != MPI_SUCCESS) return error;
  return gets_result ? check_items(call.recvbuf, call.count, call.datatype, &checked->out) : MPI_SUCCESS;
}

// Reductions that give a result of all: `combine(team, items)` makes it of every rank's items.
template <class Combine>
int reduce_items(const Team& team, const ReductionCall& call, bool gets_result, Combine combine) {
  CheckedReduction checked;
  if (const int error = check(call, gets_result, &checked); error != MPI_SUCCESS) return error;
  Accumulator items(checked.reduction, checked.in.type, call.count);
  if (const int error = copy_items(checked.in, items.own()); error != MPI_SUCCESS) return error;
  if (const int error = combine(team, items); error != MPI_SUCCESS) return error;
  return gets_result ? copy_items(items.own(), checked.out) : MPI_SUCCESS;
}

int scan_items(const CommunicatorRef& communicator, const ReductionCall& call, bool exclusive) {
  CheckedReduction checked;
  if (const int error = check(call, true, &checked); error != MPI_SUCCESS) return error;
  return scan(Team(communicator), checked.reduction, checked.in, checked.out, exclusive);
}

int reduce_and_scatter(const CommunicatorRef& communicator, const ReductionCall& call, const int* counts) {
  const Team team(communicator);
  std::vector<int> displacements(static_cast<std::size_t>(team.size()));
  std::int64_t total = 0;
  for (int rank = 0; rank < team.size(); ++rank) {
    if (counts[rank] < 0) return MPI_ERR_COUNT;
    displacements[static_cast<std::size_t>(rank)] = static_cast<int>(total);
    total += counts[rank];
    if (total > INT32_MAX) return MPI_ERR_COUNT;
  }
  BoundReduction reduction;
  ItemBuffer all;
  ItemBuffer result;
  Parts parts;
  const void* const contribution = call.sendbuf == MPI_IN_PLACE ? call.recvbuf : call.sendbuf;
  if (const int error = BoundReduction::bind(call.op, call.datatype, &reduction); error != MPI_SUCCESS) return error;
  if (const int error = check_items(contribution, total, call.datatype, &all); error != MPI_SUCCESS) return error;
  if (const int error = check_items(call.recvbuf, counts[team.rank()], call.datatype, &result); error != MPI_SUCCESS) return error;
  if (const int error = parts.take(contribution, counts, displacements.data(), call.datatype, team.size()); error != MPI_SUCCESS)
    return error;
  return reduce_scatter(team, reduction, parts, result);
}

}  // namespace

extern "C" {

int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  return communicator_call("MPI_Reduce", comm, [=](const CommunicatorRef& communicator) -> int {
    if (root < 0 || root >= communicator->size()) return MPI_ERR_ROOT;
    return reduce_items(Team(communicator), {sendbuf, recvbuf, count, datatype, op}, communicator->rank() == root,
                        [=](const Team& team, Accumulator& items) { return reduce(team, root, items); });
  });
}
LINTEL_MPI_NAME(MPI_Reduce);

int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return communicator_call("MPI_Allreduce", comm, [=](const CommunicatorRef& communicator) {
    return reduce_items(Team(communicator), {sendbuf, recvbuf, count, datatype, op}, true, reduce_to_all);
  });
}
LINTEL_MPI_NAME(MPI_Allreduce);

int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return communicator_call("MPI_Scan", comm, [=](const CommunicatorRef& communicator) {
    return scan_items(communicator, {sendbuf, recvbuf, count, datatype, op}, false);
  });
}
LINTEL_MPI_NAME(MPI_Scan);

int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return communicator_call("MPI_Exscan", comm, [=](const CommunicatorRef& communicator) {
    return scan_items(communicator, {sendbuf, recvbuf, count, datatype, op}, true);
  });
}
LINTEL_MPI_NAME(MPI_Exscan);

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return communicator_call("MPI_Reduce_scatter", comm, [=](const CommunicatorRef& communicator) -> int {
    if (recvcounts == nullptr) return MPI_ERR_ARG;
    return reduce_and_scatter(communicator, {sendbuf, recvbuf, 0, datatype, op}, recvcounts);
  });
}
LINTEL_MPI_NAME(MPI_Reduce_scatter);

int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return communicator_call("MPI_Reduce_scatter_block", comm, [=](const CommunicatorRef& communicator) {
    const std::vector<int> counts(static_cast<std::size_t>(communicator->size()), recvcount);
    return reduce_and_scatter(communicator, {sendbuf, recvbuf, 0, datatype, op}, counts.data());
  });
}
LINTEL_MPI_NAME(MPI_Reduce_scatter_block);

}  // extern "C"

}  // namespace lintel::mpi
