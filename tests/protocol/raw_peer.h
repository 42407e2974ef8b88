#pragma once
// RawPeer: a RawProcess for the processes of Portals 3 of a SimulatedJob.

#include "tests/protocol/protocol_test.h"
#include "tests/protocol/raw_process.h"

namespace lintel::testing {

class RawPeer final : public RawProcess {
 public:
  explicit RawPeer(SimulatedJob& job, std::uint32_t nid = kNid)
      : RawProcess(job,
                   {.interface_kind = portals::kPortals3Kind,
                    .portal_index = kPortal,
                    .match_bits = kBits},
                   nid) {}

  ptl_process_id_t id() const { return {name().nid.value, name().pid.value}; }
  // As RawProcess'.
  portals::wire::Request request(portals::wire::MessageKind kind, ptl_process_id_t target,
                                 std::uint64_t length) const {
    return RawProcess::request(kind, {NodeId(target.nid), Pid(target.pid)}, length);
  }
};

}  // namespace lintel::testing
