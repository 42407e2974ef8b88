#pragma once
// RawPeer4: a RawProcess for processes of Portals 4, on the kind of interface that a SimulatedJob4
// has.

#include "portals/api4/handle.h"
#include "tests/protocol/raw_process.h"
#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {

class RawPeer4 final : public RawProcess {
 public:
  // The rank by which helpers of Portals4Test address it, where the interface is physical.
  static constexpr std::size_t kRank = 0xef;

  explicit RawPeer4(SimulatedJob4& job, unsigned interface = PTL_NI_MATCHING | PTL_NI_PHYSICAL)
      : RawProcess(job,
                   {.interface_kind = api4::engine_kind(api4::number_for(interface)),
                    .portal_index = kPortal,
                    .match_bits = kBits},
                   SimulatedProcesses::name(kRank).nid.value) {}

  // As RawProcess::request(), to process `rank`.
  portals::wire::Request request(portals::wire::MessageKind kind, std::size_t rank,
                                 std::uint64_t length) const {
    return RawProcess::request(kind, SimulatedProcesses::name(rank), length);
  }
};

}  // namespace lintel::testing
