#pragma once
// The error classes of MPI for errors of the messenger.

#include "mpi.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

inline int error_of(Refusal refusal) {
  switch (refusal) {
    case Refusal::kNone: return MPI_SUCCESS;
    case Refusal::kProcess: return MPI_ERR_RANK;
    case Refusal::kContext: return MPI_ERR_COMM;
    case Refusal::kTag: return MPI_ERR_TAG;
    case Refusal::kLength: return MPI_ERR_COUNT;
    case Refusal::kRequest:
    case Refusal::kMessage: return MPI_ERR_REQUEST;
    case Refusal::kNoMemory: return MPI_ERR_NO_MEM;
    case Refusal::kNoRoom: return MPI_ERR_BUFFER;
  }
  return MPI_ERR_INTERN;
}

inline int error_of(Failure failure) {
  switch (failure) {
    case Failure::kNone: return MPI_SUCCESS;
    case Failure::kTruncated: return MPI_ERR_TRUNCATE;
    case Failure::kPeerLost: return MPI_ERR_PROC_ABORTED;
    case Failure::kFailed:
    case Failure::kClosed: return MPI_ERR_OTHER;
  }
  return MPI_ERR_INTERN;
}

}  // namespace lintel::mpi
