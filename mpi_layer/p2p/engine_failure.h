#pragma once
// failure_of(): how a request fails when the engine reports a failure.

#include "mpi_layer/p2p/engine_access.h"
#include "mpi_layer/p2p/request.h"

namespace lintel::mpi {

constexpr Failure failure_of(portals::Failure failure) {
  switch (failure) {
    case portals::Failure::kNone: return Failure::kNone;
    case portals::Failure::kPeerDead:
    case portals::Failure::kNoInterface: return Failure::kPeerLost;
    case portals::Failure::kShutdown: return Failure::kClosed;
    default: return Failure::kFailed;
  }
}

}  // namespace lintel::mpi
