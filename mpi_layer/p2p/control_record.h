#pragma once
// ControlRecord: ControlPackets' record of a peer.

#include <cstdint>
#include <vector>

#include "mpi_layer/p2p/packet.h"

namespace lintel::mpi {

struct ControlRecord {
  std::vector<Control> waiting;  // for room in the engine, in order
  std::uint32_t caused = 0;      // of them by what the peer has sent
  bool blocked = false;          // the peer is in ControlPackets::blocked_
  bool given_up = false;         // it reads nothing, and its loss will be reported
};

}  // namespace lintel::mpi
