#pragma once
// Target: handles a request that arrives: the checks in the order of the receive rules, the search
// of the portal's lists, the data, the answer.
//
// Owned by the Endpoint. Owns only a buffer; the state is in the interface (portal_table.h,
// entry_table.h). Guarded by the process' lock. Split by operation: target_match.cpp,
// target_put.cpp, target_get.cpp, target_atomic.cpp.
// Does not: move long data (transfers.h), or find the interface of a message
// (endpoint_dispatch.cpp).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/counters.h"
#include "base/process_lock.h"
#include "portals/engine/interface/network_interface.h"
#include "portals/engine/protocol/operations.h"
#include "portals/engine/protocol/outbox.h"
#include "portals/engine/protocol/transfer_limits.h"
#include "portals/engine/protocol/transfers.h"

namespace lintel::portals {

class Target {
 public:
  Target(const TransferLimits& limits, std::size_t max_message_bytes, Outbox& outbox,
         Operations& operations, Transfers& transfers, Counters& counters)
      : limits_(limits),
        max_message_bytes_(max_message_bytes),
        outbox_(outbox),
        operations_(operations),
        transfers_(transfers),
        counters_(counters) {}

  // A request for `interface` has arrived. The codec has checked its sizes and kinds.
  void on_put(NetworkInterface& interface, transport::PeerId from, const wire::Request& request,
              std::span<const std::byte> payload) LINTEL_REQUIRES(kLock);
  void on_get(NetworkInterface& interface, transport::PeerId from, const wire::Request& request,
              std::span<const std::byte> clear) LINTEL_REQUIRES(kLock);
  void on_atomic(NetworkInterface& interface, transport::PeerId from, const wire::Request& request,
                 std::span<const std::byte> payload) LINTEL_REQUIRES(kLock);
  void on_fetch(NetworkInterface& interface, transport::PeerId from, wire::MessageKind kind,
                const wire::Request& request, std::span<const std::byte> payload)
      LINTEL_REQUIRES(kLock);
  // Handles a put of 0 bytes as if `initiator` had sent it, which need not be on the network:
  // nothing is sent back. False: it was refused, because there was no room. REQUIRES:
  // `portal_index` is allocated and accepts messages.
  bool deliver(NetworkInterface& interface, ProcessId initiator, std::uint32_t portal_index,
               std::uint64_t match_bits, std::uint64_t remote_offset, std::uint64_t header_data)
      LINTEL_REQUIRES(kLock);
  // Answers a request that is refused. With Portals 4 the answer contains `failure`, if the
  // initiator wants an answer. With Portals 3 the initiator's program gets no event.
  [[gnu::cold]] void answer_refused(transport::PeerId from, const wire::Request& request,
                                    Failure failure, const Identity& self) LINTEL_REQUIRES(kLock);

 private:
  struct Match {
    MemoryDescriptor* descriptor;
    MemoryDescriptor::Acceptance acceptance;
    PortalList list;
  };
  // `needed`: what the descriptor must allow. `element`: the accepted length is a multiple of this.
  std::optional<Match> match(NetworkInterface& interface, transport::PeerId from,
                             const wire::Request& request, std::uint32_t needed,
                             std::size_t element = 1) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void refuse(NetworkInterface& interface, transport::PeerId from,
                            const wire::Request& request, DropCause cause, Failure failure)
      LINTEL_REQUIRES(kLock);
  void discard(transport::PeerId from, const wire::Request& request) LINTEL_REQUIRES(kLock);
  static void describe(const NetworkInterface& interface, const Match& matched,
                       const wire::Request& request, EventKind end, Event& event);
  // The operation begins: logs START and counts it at the portal.
  static Completion open(NetworkInterface& interface, const Match& matched,
                         const wire::Request& request, EventKind start, EventKind end)
      LINTEL_REQUIRES(kLock);
  static wire::Response make_response(const NetworkInterface& interface, wire::MessageKind kind,
                                      const wire::Request& request, const Match& matched);
  void acknowledge(const NetworkInterface& interface, transport::PeerId from,
                   const wire::Request& request, const Match& matched, bool wanted)
      LINTEL_REQUIRES(kLock);
  void reply_with(transport::PeerId to, const wire::Response& reply, const Payload& payload,
                  Completion& completion) LINTEL_REQUIRES(kLock);
  void take_payload(const Match& matched, std::span<const std::byte> payload)
      LINTEL_REQUIRES(kLock);

  const TransferLimits& limits_;
  std::size_t max_message_bytes_;
  Outbox& outbox_;
  Operations& operations_;
  Transfers& transfers_;
  Counters& counters_;
  // the old data that a fetch, a swap or a getput has read, for the reply; as long as the longest
  // so far
  std::vector<std::byte> fetched_ LINTEL_GUARDED_BY(kLock);
};

}  // namespace lintel::portals
