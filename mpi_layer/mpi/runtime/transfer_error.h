#pragma once
// The error classes of MPI for errors of the messenger.

#include "mpi.h"
#include "mpi_layer/p2p/messenger.h"

namespace lintel::mpi {

inline int error_of(CallError call_error) {
  switch (call_error) {
    case CallError::kNone: return MPI_SUCCESS;
    case CallError::kProcess: return MPI_ERR_RANK;
    case CallError::kContext: return MPI_ERR_COMM;
    case CallError::kTag: return MPI_ERR_TAG;
    case CallError::kLength: return MPI_ERR_COUNT;
    case CallError::kRequest:
    case CallError::kMessage: return MPI_ERR_REQUEST;
    case CallError::kNoMemory: return MPI_ERR_NO_MEM;
    case CallError::kNoRoom: return MPI_ERR_BUFFER;
  }
  return MPI_ERR_INTERN;
}

inline int error_of(RequestFailure failure) {
  switch (failure) {
    case RequestFailure::kNone: return MPI_SUCCESS;
    case RequestFailure::kTruncated: return MPI_ERR_TRUNCATE;
    case RequestFailure::kPeerLost: return MPI_ERR_PROC_ABORTED;
    case RequestFailure::kFailed:
    case RequestFailure::kClosed: return MPI_ERR_OTHER;
  }
  return MPI_ERR_INTERN;
}

}  // namespace lintel::mpi
