#pragma once
// PlacementRecord: EagerPlacement's record of a peer.

#include "mpi_layer/p2p/placement_policy.h"

namespace lintel::mpi {

class ReceiveRequest;

struct PlacementRecord {
  bool peer_accepts = false;          // long messages to the peer may be placed, as it said last
  PlacementPolicy policy;             // whether messages from the peer are to be placed
  ReceiveRequest* expects = nullptr;  // the receive that expects the peer's next message
};

}  // namespace lintel::mpi
