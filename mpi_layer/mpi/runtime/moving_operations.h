#pragma once
// Barrier, broadcast, gather, scatter, all to all (MPI 5.0, clauses 6.3 to 6.8) as operations of
// collective_calls.h.

#include <optional>

#include "mpi_layer/mpi/runtime/all_to_all.h"
#include "mpi_layer/mpi/runtime/barrier.h"
#include "mpi_layer/mpi/runtime/broadcast.h"
#include "mpi_layer/mpi/runtime/collective_calls.h"
#include "mpi_layer/mpi/runtime/data_representation.h"
#include "mpi_layer/mpi/runtime/gather_scatter.h"
#include "mpi_layer/mpi/runtime/gather_to_all.h"
#include "mpi_layer/mpi/runtime/message_arguments.h"

namespace lintel::mpi {

inline int check_root(const Communicator& communicator, int root) {
  return root >= 0 && root < communicator.size() ? MPI_SUCCESS : MPI_ERR_ROOT;
}

// The own items of a rank; nothing if the program passes MPI_IN_PLACE where that is allowed.
inline int take_own(const void* buffer, std::int64_t count, MPI_Datatype datatype,
                    bool may_be_in_place, std::optional<ItemBuffer>* own) {
  if (may_be_in_place && buffer == MPI_IN_PLACE) return MPI_SUCCESS;
  return check_items(buffer, count, datatype, &own->emplace());
}

// True if a rank may forward parts of others as packed bytes. Not if the process that gets them
// uses another data format.
inline bool may_pack(const Communicator& communicator) {
  return !has_external_processes(*communicator.group());
}

using RootedMove = int(const Team& team, int root, const std::optional<ItemBuffer>& own,
                       const Parts& parts);
inline RootedMove& chosen(const Communicator& communicator, RootedMove& packing,
                          RootedMove& plain) {
  return may_pack(communicator) ? packing : plain;
}

// `take(parts)` checks the buffer with all parts, which is used at the root only. Then `move`
// gathers or scatters.
template <class Go, class Take>
int with_root(const CommunicatorRef& communicator, Go go, int root, const void* buffer,
              std::int64_t count, MPI_Datatype datatype, Take take, RootedMove& move) {
  if (const int error = check_root(*communicator, root); error != MPI_SUCCESS) return error;
  const bool is_root = communicator->rank() == root;
  std::optional<ItemBuffer> own;
  Parts parts;
  if (const int error = take_own(buffer, count, datatype, is_root, &own); error != MPI_SUCCESS)
    return error;
  if (const int error = is_root ? take(parts) : MPI_SUCCESS; error != MPI_SUCCESS) return error;
  return go([=, &move](const Team& team) { return move(team, root, own, parts); });
}

template <class Go, class Take>
int gather_items_to_all(const CommunicatorRef& communicator, Go go, const void* buffer,
                        std::int64_t count, MPI_Datatype datatype, Take take) {
  std::optional<ItemBuffer> own;
  Parts parts;
  if (const int error = take_own(buffer, count, datatype, true, &own); error != MPI_SUCCESS)
    return error;
  if (const int error = take(parts); error != MPI_SUCCESS) return error;
  return go([=](const Team& team) {
    if (own) {
      if (const int error = copy_items(*own, parts.at(communicator->rank())); error != MPI_SUCCESS)
        return error;
    }
    return may_pack(*communicator) ? gather_to_all(team, parts)
                                   : gather_to_all_in_ring(team, parts);
  });
}

using Exchange = int(const Team& team, const Parts& out, const Parts& in);

// `take_out` is not called if the program passes MPI_IN_PLACE; then `out` is `in`.
template <class Go, class TakeOut, class TakeIn>
int exchange_all(Go go, const void* buffer, TakeOut take_out, TakeIn take_in, Exchange& exchange) {
  Parts out;
  Parts in;
  if (const int error = take_in(in); error != MPI_SUCCESS) return error;
  const bool in_place = buffer == MPI_IN_PLACE;
  if (const int error = in_place ? MPI_SUCCESS : take_out(out); error != MPI_SUCCESS) return error;
  return go([=, &exchange](const Team& team) { return exchange(team, in_place ? in : out, in); });
}

inline constexpr auto kBarrier = [](const CommunicatorRef& /*communicator*/, auto go) {
  return go([](const Team& team) { return barrier(team); });
};

inline constexpr auto kBroadcast = [](const CommunicatorRef& communicator, auto go, void* buffer,
                                      std::int64_t count, MPI_Datatype datatype, int root) -> int {
  if (const int error = check_root(*communicator, root); error != MPI_SUCCESS) return error;
  ItemBuffer items;
  if (const int error = check_items(buffer, count, datatype, &items); error != MPI_SUCCESS)
    return error;
  return go([=](const Team& team) { return broadcast(team, root, items); });
};

inline constexpr auto kGather = [](const CommunicatorRef& communicator, auto go,
                                   const void* sendbuf, std::int64_t sendcount,
                                   MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount,
                                   MPI_Datatype recvtype, int root) {
  const auto take = [&](Parts& parts) {
    return parts.take(recvbuf, recvcount, recvtype, communicator->size());
  };
  return with_root(communicator, go, root, sendbuf, sendcount, sendtype, take,
                   chosen(*communicator, gather, gather_various));
};

inline constexpr auto kGatherVarious =
    [](const CommunicatorRef& communicator, auto go, const void* sendbuf, std::int64_t sendcount,
       MPI_Datatype sendtype, void* recvbuf, NumberArray recvcounts, NumberArray displs,
       MPI_Datatype recvtype, int root) {
      const auto take = [&](Parts& parts) {
        return parts.take(recvbuf, recvcounts, displs, recvtype, communicator->size());
      };
      return with_root(communicator, go, root, sendbuf, sendcount, sendtype, take, gather_various);
    };

inline constexpr auto kScatter = [](const CommunicatorRef& communicator, auto go,
                                    const void* sendbuf, std::int64_t sendcount,
                                    MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount,
                                    MPI_Datatype recvtype, int root) {
  const auto take = [&](Parts& parts) {
    return parts.take(sendbuf, sendcount, sendtype, communicator->size());
  };
  return with_root(communicator, go, root, recvbuf, recvcount, recvtype, take,
                   chosen(*communicator, scatter, scatter_various));
};

inline constexpr auto kScatterVarious =
    [](const CommunicatorRef& communicator, auto go, const void* sendbuf, NumberArray sendcounts,
       NumberArray displs, MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount,
       MPI_Datatype recvtype, int root) {
      const auto take = [&](Parts& parts) {
        return parts.take(sendbuf, sendcounts, displs, sendtype, communicator->size());
      };
      return with_root(communicator, go, root, recvbuf, recvcount, recvtype, take, scatter_various);
    };

inline constexpr auto kGatherToAll =
    [](const CommunicatorRef& communicator, auto go, const void* sendbuf, std::int64_t sendcount,
       MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount, MPI_Datatype recvtype) {
      const auto take = [&](Parts& parts) {
        return parts.take(recvbuf, recvcount, recvtype, communicator->size());
      };
      return gather_items_to_all(communicator, go, sendbuf, sendcount, sendtype, take);
    };

inline constexpr auto kGatherToAllVarious =
    [](const CommunicatorRef& communicator, auto go, const void* sendbuf, std::int64_t sendcount,
       MPI_Datatype sendtype, void* recvbuf, NumberArray recvcounts, NumberArray displs,
       MPI_Datatype recvtype) {
      const auto take = [&](Parts& parts) {
        return parts.take(recvbuf, recvcounts, displs, recvtype, communicator->size());
      };
      return gather_items_to_all(communicator, go, sendbuf, sendcount, sendtype, take);
    };

inline constexpr auto kAllToAll = [](const CommunicatorRef& communicator, auto go,
                                     const void* sendbuf, std::int64_t sendcount,
                                     MPI_Datatype sendtype, void* recvbuf, std::int64_t recvcount,
                                     MPI_Datatype recvtype) {
  return exchange_all(
      go, sendbuf,
      [&](Parts& parts) { return parts.take(sendbuf, sendcount, sendtype, communicator->size()); },
      [&](Parts& parts) { return parts.take(recvbuf, recvcount, recvtype, communicator->size()); },
      may_pack(*communicator) ? all_to_all : all_to_all_various);
};

inline constexpr auto kAllToAllVarious =
    [](const CommunicatorRef& communicator, auto go, const void* sendbuf, NumberArray sendcounts,
       NumberArray sdispls, MPI_Datatype sendtype, void* recvbuf, NumberArray recvcounts,
       NumberArray rdispls, MPI_Datatype recvtype) {
      return exchange_all(
          go, sendbuf,
          [&](Parts& parts) {
            return parts.take(sendbuf, sendcounts, sdispls, sendtype, communicator->size());
          },
          [&](Parts& parts) {
            return parts.take(recvbuf, recvcounts, rdispls, recvtype, communicator->size());
          },
          all_to_all_various);
    };

inline constexpr auto kAllToAllOfTypes =
    [](const CommunicatorRef& communicator, auto go, const void* sendbuf, NumberArray sendcounts,
       NumberArray sdispls, const MPI_Datatype* sendtypes, void* recvbuf, NumberArray recvcounts,
       NumberArray rdispls, const MPI_Datatype* recvtypes) {
      return exchange_all(
          go, sendbuf,
          [&](Parts& parts) {
            return parts.take(sendbuf, sendcounts, sdispls, sendtypes, communicator->size());
          },
          [&](Parts& parts) {
            return parts.take(recvbuf, recvcounts, rdispls, recvtypes, communicator->size());
          },
          all_to_all_various);
    };

}  // namespace lintel::mpi
