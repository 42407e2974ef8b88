#pragma once
// Reductions and scans over a communicator (MPI 5.0, clauses 6.9 to 6.11) as operations of
// collective_calls.h.

#include <cstdint>
#include <memory>
#include <vector>

#include "mpi_layer/mpi/objects/checked_number.h"
#include "mpi_layer/mpi/runtime/collective_calls.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"
#include "mpi_layer/mpi/runtime/reduce.h"
#include "mpi_layer/mpi/runtime/reduce_scatter.h"
#include "mpi_layer/mpi/runtime/scan.h"

namespace lintel::mpi {

struct ReductionCall {
  const void* sendbuf;
  void* recvbuf;
  std::int64_t count;
  MPI_Datatype datatype;
  MPI_Op op;
};

// A reduction with checked arguments: `in` is the contribution of this rank, `out` the place of its
// result, if it gets one.
struct CheckedReduction {
  BoundReduction reduction;
  ItemBuffer in;
  ItemBuffer out;
};

inline int check(const ReductionCall& call, bool gets_result, CheckedReduction* checked) {
  if (const int error = BoundReduction::bind(call.op, call.datatype, &checked->reduction);
      error != MPI_SUCCESS)
    return error;
  const bool in_place = gets_result && call.sendbuf == MPI_IN_PLACE;
  const void* const own = in_place ? call.recvbuf : call.sendbuf;
  if (const int error = check_items(own, call.count, call.datatype, &checked->in);
      error != MPI_SUCCESS)
    return error;
  return gets_result ? check_items(call.recvbuf, call.count, call.datatype, &checked->out)
                     : MPI_SUCCESS;
}

// Reductions to one result: `combine(team, items)` computes it from the items of every rank.
// `gets_result`: long reductions are computed in the memory of the result, without a copy of `in`.
template <class Go, class Combine>
int reduce_items(Go go, const ReductionCall& call, bool gets_result, Combine combine) {
  CheckedReduction checked;
  if (const int error = check(call, gets_result, &checked); error != MPI_SUCCESS) return error;
  return go([=](const Team& team) {
    const bool in_place = gets_result && checked.in.address == checked.out.address;
    if (team.size() == 1) return in_place ? MPI_SUCCESS : copy_items(checked.in, checked.out);
    if (gets_result && checked.reduction.commutes() && divides(team, checked.in)) {
      Accumulator items =
          in_place ? Accumulator(checked.reduction, checked.out)
                   : Accumulator(checked.reduction, checked.in, checked.out, team.size() > 2);
      return combine(team, items);
    }
    Accumulator items(checked.reduction, checked.in.type, checked.in.count);
    if (const int error = copy_items(checked.in, items.own()); error != MPI_SUCCESS) return error;
    if (const int error = combine(team, items); error != MPI_SUCCESS) return error;
    return gets_result ? copy_items(items.own(), checked.out) : MPI_SUCCESS;
  });
}

template <class Go>
int scan_items(Go go, const ReductionCall& call, bool exclusive) {
  CheckedReduction checked;
  if (const int error = check(call, true, &checked); error != MPI_SUCCESS) return error;
  return go([=](const Team& team) {
    return scan(team, checked.reduction, checked.in, checked.out, exclusive);
  });
}

// `counts`: the counts of each rank's part of the result. Null: all are `call.count`.
template <class Go>
int reduce_and_scatter(const CommunicatorRef& communicator, Go go, const ReductionCall& call,
                       NumberArray counts) {
  struct Places {
    std::vector<std::int64_t> counts;
    std::vector<std::int64_t> displacements;
  };
  const auto places = std::make_shared<Places>();
  CheckedNumber total = 0;
  for (int rank = 0; rank < communicator->size(); ++rank) {
    places->counts.push_back(counts.is_null() ? call.count : counts[rank]);
    places->displacements.push_back(total.value());
    if (places->counts.back() < 0) return MPI_ERR_COUNT;
    total = total + places->counts.back();
    if (!total.fits()) return MPI_ERR_COUNT;
  }
  const std::int64_t own = places->counts[static_cast<std::size_t>(communicator->rank())];
  BoundReduction reduction;
  ItemBuffer all;
  ItemBuffer result;
  Parts parts;
  const void* const contribution = call.sendbuf == MPI_IN_PLACE ? call.recvbuf : call.sendbuf;
  if (const int error = BoundReduction::bind(call.op, call.datatype, &reduction);
      error != MPI_SUCCESS)
    return error;
  if (const int error = check_items(contribution, total.value(), call.datatype, &all);
      error != MPI_SUCCESS)
    return error;
  if (const int error = check_items(call.recvbuf, own, call.datatype, &result);
      error != MPI_SUCCESS)
    return error;
  const int error = parts.take(contribution, places->counts.data(), places->displacements.data(),
                               call.datatype, communicator->size());
  if (error != MPI_SUCCESS) return error;
  return go([places, reduction, parts, result](const Team& team) {
    return reduce_scatter(team, reduction, parts, result);
  });
}

inline constexpr auto kReduce = [](const CommunicatorRef& communicator, auto go,
                                   const void* sendbuf, void* recvbuf, std::int64_t count,
                                   MPI_Datatype datatype, MPI_Op op, int root) -> int {
  if (root < 0 || root >= communicator->size()) return MPI_ERR_ROOT;
  return reduce_items(
      go, {sendbuf, recvbuf, count, datatype, op}, communicator->rank() == root,
      [=](const Team& team, Accumulator& items) { return reduce(team, root, items); });
};

inline constexpr auto kReduceToAll = [](const CommunicatorRef& /*communicator*/, auto go,
                                        const void* sendbuf, void* recvbuf, std::int64_t count,
                                        MPI_Datatype datatype, MPI_Op op) {
  return reduce_items(go, {sendbuf, recvbuf, count, datatype, op}, true, reduce_to_all);
};

inline constexpr auto kScan = [](const CommunicatorRef& /*communicator*/, auto go,
                                 const void* sendbuf, void* recvbuf, std::int64_t count,
                                 MPI_Datatype datatype, MPI_Op op) {
  return scan_items(go, {sendbuf, recvbuf, count, datatype, op}, false);
};

inline constexpr auto kExclusiveScan = [](const CommunicatorRef& /*communicator*/, auto go,
                                          const void* sendbuf, void* recvbuf, std::int64_t count,
                                          MPI_Datatype datatype, MPI_Op op) {
  return scan_items(go, {sendbuf, recvbuf, count, datatype, op}, true);
};

inline constexpr auto kReduceScatter =
    [](const CommunicatorRef& communicator, auto go, const void* sendbuf, void* recvbuf,
       NumberArray recvcounts, MPI_Datatype datatype, MPI_Op op) -> int {
  if (recvcounts.is_null()) return MPI_ERR_ARG;
  return reduce_and_scatter(communicator, go, {sendbuf, recvbuf, 0, datatype, op}, recvcounts);
};

inline constexpr auto kReduceScatterBlock =
    [](const CommunicatorRef& communicator, auto go, const void* sendbuf, void* recvbuf,
       std::int64_t recvcount, MPI_Datatype datatype, MPI_Op op) {
      return reduce_and_scatter(communicator, go, {sendbuf, recvbuf, recvcount, datatype, op},
                                NumberArray());
    };

}  // namespace lintel::mpi
