#pragma once
// SharedParts: the parts of a messenger that Sends and Receives borrow.

#include "mpi_layer/p2p/control_packets.h"
#include "mpi_layer/p2p/credit_ledger.h"
#include "mpi_layer/p2p/deferred_work.h"
#include "mpi_layer/p2p/eager_placement.h"
#include "mpi_layer/p2p/engine_access.h"
#include "mpi_layer/p2p/gateway.h"
#include "mpi_layer/p2p/peer_table.h"
#include "mpi_layer/p2p/peer_watch.h"
#include "mpi_layer/p2p/request_ends.h"

namespace lintel::mpi {

struct SharedParts {
  EngineAccess& engine;
  PeerTable& peers;
  CreditLedger& credit;
  ControlPackets& controls;
  PeerWatch& watch;
  EagerPlacement& placement;
  RequestEnds& ends;
  GatewayLink& link;
  DeferredWork& deferred_work;
};

}  // namespace lintel::mpi
