#pragma once
// WatchRecord: PeerWatch's record of a peer.

#include <cstdint>

#include "base/clock.h"

namespace lintel::mpi {

struct WatchRecord {
  std::uint32_t watchers = 0;       // requests and probes; its death is noticed while there are any
  bool probed = false;              // in vain, by a probe that does not block: one of the watchers
  bool greeted = false;             // it is this process itself, or was told something
  bool stranger = false;            // it is in the list of strangers
  TimePoint sought_since = kNever;  // since before there was any contact
};

}  // namespace lintel::mpi
