#pragma once
// failure_of(): how a request fails when the engine reports a failure.

#include "mpi_layer/p2p/engine_access.h"
#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

constexpr RequestFailure failure_of(portals::Failure failure) {
  switch (failure) {
    case portals::Failure::kNone: return RequestFailure::kNone;
    case portals::Failure::kPeerDead:
    case portals::Failure::kNoInterface: return RequestFailure::kPeerLost;
    case portals::Failure::kShutdown: return RequestFailure::kClosed;
    default: return RequestFailure::kFailed;
  }
}

}  // namespace lintel::mpi
