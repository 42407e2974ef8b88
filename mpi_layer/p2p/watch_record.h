#pragma once
// WatchRecord: PeerWatch's record of a peer.

#include <cstdint>

#include "base/clock.h"

namespace lintel::mpi {

struct WatchRecord {
  std::uint32_t watchers = 0;       // requests and probes that name it; watched while there are any
  bool probed = false;              // a probe that found nothing is one of the watchers
  bool contacted = false;           // it is this process itself, or empty credit was sent to it
  bool listed = false;              // it is in PeerWatch::without_session_
  TimePoint waited_since = kNever;  // since when a wait for it lasts; there is no session yet
};

}  // namespace lintel::mpi
