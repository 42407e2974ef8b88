#pragma once
// PlacementRecord: EagerPlacement's record of a peer.

#include "mpi_layer/p2p/placement_policy.h"

namespace lintel::mpi {

class ReceiveRequest;

struct PlacementRecord {
  bool peer_accepts = false;          // the peer has said so last: its long messages may go placed
  PlacementPolicy policy;             // whether its messages are accepted so here
  ReceiveRequest* expects = nullptr;  // its next message is to land in this receive's buffer
};

}  // namespace lintel::mpi
