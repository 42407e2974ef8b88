#pragma once
// ControlRecord: ControlPackets' record of a peer.

#include <cstddef>
#include <vector>

#include "mpi_layer/p2p/packet.h"

namespace lintel::mpi {

struct ControlRecord {
  std::vector<Control> waiting;  // for room in the engine, in order
  std::size_t limited = 0;       // of them, those whose number is limited
  std::size_t pulls = 0;         // of rests of messages from the peer, under way or waiting
  std::size_t most_pulls = 0;    // at one time, since packets wait
  bool blocked = false;          // the peer is in ControlPackets::blocked_
  bool given_up = false;         // it reads nothing, and its loss will be reported
};

}  // namespace lintel::mpi
