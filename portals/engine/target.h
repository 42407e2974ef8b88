#pragma once
// Target: what a request does that arrives: the checks in the order of the receive rules, the
// search of the portal's lists, the data, the answer.
//
// Owned by the Endpoint; owns nothing but a buffer; the state is the interface's (portal_table.h,
// entry_table.h). Guarded by the process' lock. Split by operation: target_match.cpp,
// target_put.cpp, target_get.cpp, target_atomic.cpp. Does not: move long data (transfers.h), or
// know which interface a message is for (dispatch.cpp).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/counters.h"
#include "portals/engine/network_interface.h"
#include "portals/engine/operations.h"
#include "portals/engine/outbox.h"
#include "portals/engine/transfer_limits.h"
#include "portals/engine/transfers.h"

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

  // A request for `interface` has come. What it says of sizes and kinds has been validated.
  void on_put(NetworkInterface& interface, transport::PeerId from, const wire::Request& request,
              std::span<const std::byte> payload);
  void on_get(NetworkInterface& interface, transport::PeerId from, const wire::Request& request,
              std::span<const std::byte> clear);
  void on_atomic(NetworkInterface& interface, transport::PeerId from, const wire::Request& request,
                 std::span<const std::byte> payload);
  void on_fetch(NetworkInterface& interface, transport::PeerId from, wire::MessageKind kind,
                const wire::Request& request, std::span<const std::byte> payload);
  // A put of no bytes arrives at `interface` as if `initiator` had sent it, who need not be on the
  // network: nothing goes back. False: it was refused, for want of room. REQUIRES: `portal_index`
  // is allocated, and takes messages.
  bool deliver(NetworkInterface& interface, ProcessId initiator, std::uint32_t portal_index,
               std::uint64_t match_bits, std::uint64_t remote_offset, std::uint64_t header_data);
  // The request goes nowhere. With Portals 4 its initiator learns `failure`, if it wants an answer;
  // with Portals 3 its program hears nothing.
  [[gnu::cold]] void answer_refused(transport::PeerId from, const wire::Request& request,
                                    Failure failure, const Identity& self);

 private:
  struct Match {
    MemoryDescriptor* descriptor;
    MemoryDescriptor::Acceptance acceptance;
    PortalList list;
  };
  // `needed`: what the descriptor must allow. `element`: the length taken is a multiple of this.
  std::optional<Match> match(NetworkInterface& interface, transport::PeerId from,
                             const wire::Request& request, std::uint32_t needed,
                             std::size_t element = 1);
  [[gnu::cold]] void refuse(NetworkInterface& interface, transport::PeerId from,
                            const wire::Request& request, DropCause cause, Failure failure);
  void let_go(transport::PeerId from, const wire::Request& request);
  static void describe(const NetworkInterface& interface, const Match& matched,
                       const wire::Request& request, EventKind end, Event& event);
  // The operation begins: START event, accounts of the portal.
  static Completion open(NetworkInterface& interface, const Match& matched,
                         const wire::Request& request, EventKind start, EventKind end);
  static wire::Response make_response(const NetworkInterface& interface, wire::MessageKind kind,
                                      const wire::Request& request, const Match& matched);
  void acknowledge(const NetworkInterface& interface, transport::PeerId from,
                   const wire::Request& request, const Match& matched, bool wanted);
  void take_payload(const Match& matched, std::span<const std::byte> payload);

  const TransferLimits& limits_;
  std::size_t max_message_bytes_;
  Outbox& outbox_;
  Operations& operations_;
  Transfers& transfers_;
  Counters& counters_;
  std::vector<std::byte> fetched_;  // what a fetch, a swap or a getput has found, for the reply; as
                                    // long as the longest so far
};

}  // namespace lintel::portals
