#pragma once
// Initiator: begins the operations of this process, and keeps the requests that wait for ACK or
// REPLY (clauses 3.13, 4.1).
//
// Owned by the Endpoint; owns the requests; borrows everything else. Guarded by the process' lock.
// Invariants: (1) each PendingRequest is a part of one operation; (2) it ends when its answer has
// come and its data have moved, or by fail(); (3) a descriptor that it pins is busy until then.
// More than 30 members, because there is a function for each kind of request and for each kind of
// answer, and seven are references to the parts that all of them use.
// Does not: move long data (transfers.h), match, or wait for room (room_wait.h).

#include <cstdint>
#include <span>

#include "base/counters.h"
#include "base/process_lock.h"
#include "base/slot_pool.h"
#include "portals/engine/interface/interface_table.h"
#include "portals/engine/protocol/operations.h"
#include "portals/engine/protocol/outbox.h"
#include "portals/engine/protocol/peers.h"
#include "portals/engine/protocol/pending_request.h"
#include "portals/engine/protocol/transfer_limits.h"
#include "portals/engine/protocol/transfers.h"

namespace lintel::portals {

class Initiator {
 public:
  Initiator(const TransferLimits& limits, std::size_t max_message_bytes, Peers& peers,
            Outbox& outbox, Operations& operations, Transfers& transfers,
            const InterfaceTable& interfaces, Counters& counters);

  // Begins the operation whose request is of that kind, by the rules of the interface's API.
  // Errors: kDescriptorInvalid, kDescriptorIllegal, kProcessInvalid, kNoSpace (of has_room(), or no
  // memory); nothing has happened then.
  Status start(NetworkInterface& interface, wire::MessageKind kind,
               const RequestArguments& arguments) LINTEL_REQUIRES(kLock);
  // The same without the checks of Portals 4, for callers that observe its limits.
  Status put(NetworkInterface& interface, const RequestArguments& arguments) LINTEL_REQUIRES(kLock);
  Status get(NetworkInterface& interface, const RequestArguments& arguments) LINTEL_REQUIRES(kLock);
  // A put as a placed message, of one contiguous piece of memory. SEND_END reports that the memory
  // is no longer needed. Errors: as put(), and kNoSpace if it cannot leave at once. REQUIRES: the
  // receiver has called enable_placement(), and no acknowledgement is wanted.
  Status put_placed(NetworkInterface& interface, const RequestArguments& arguments,
                    transport::PlacementKey key) LINTEL_REQUIRES(kLock);
  // Whether there is room for one more operation with that peer, see Operations.
  bool has_room(transport::PeerId peer) const LINTEL_REQUIRES(kLock) {
    return operations_.has_room(peer);
  }
  // Ends an operation for which start() had no room and whose peer was lost meanwhile, with the
  // events and counts of a failed operation. Errors: as start().
  Status fail_unstarted(NetworkInterface& interface, wire::MessageKind kind,
                        const RequestArguments& arguments) LINTEL_REQUIRES(kLock);

  // ---- Triggered operations (initiator_triggered.cpp)
  // Calls start() when `counter` has reached `threshold`, which may already be true. Errors in the
  // operation are found now. Errors: as start(), and kCounterInvalid.
  Status start_when(NetworkInterface& interface, TriggeredKind kind,
                    const RequestArguments& arguments, SlotId counter, std::uint64_t threshold)
      LINTEL_REQUIRES(kLock);
  // Carries out the triggered operations that have become due, on every interface. True: one found
  // no room, and waits with those of the same counting event behind it; call again after each poll.
  bool carry_out_triggered() LINTEL_REQUIRES(kLock);
  // How many triggered operations of one interface have begun. Never decreases.
  std::uint64_t fired(std::uint8_t interface_kind) const LINTEL_REQUIRES(kLock) {
    return fired_[interface_kind];
  }

  // ---- Answers
  void on_ack(transport::PeerId from, const wire::Response& response) LINTEL_REQUIRES(kLock);
  void on_reply(transport::PeerId from, const wire::Response& response,
                std::span<const std::byte> payload) LINTEL_REQUIRES(kLock);
  // A DISCARD for the request of `operation`: no answer comes, or no further one.
  void on_discard(Operation& operation) LINTEL_REQUIRES(kLock);
  // A transfer has ended. `ended` names its operation if that has a PendingRequest.
  void on_ended(const Transfers::Ended& ended) LINTEL_REQUIRES(kLock) {
    if (ended.operation != nullptr) finish(ended);
  }
  // Ends the request with the events of a failure. `reported`: SEND_END has already reported it.
  // The operation ends too if it has no other part.
  [[gnu::cold]] void fail(Operation& operation, Failure failure, bool reported)
      LINTEL_REQUIRES(kLock);
  // The same for a request whose message was never sent.
  [[gnu::cold]] void fail_unsent(SlotId operation, Failure failure) LINTEL_REQUIRES(kLock);

 private:
  struct Prepared {
    MemoryDescriptor* descriptor;
    transport::PeerId peer;
    std::uint64_t length;
  };
  Status prepare(NetworkInterface& interface, const RequestArguments& arguments, Prepared& prepared)
      LINTEL_REQUIRES(kLock);
  Status check(NetworkInterface& interface, wire::MessageKind kind,
               const RequestArguments& arguments, Prepared& prepared) LINTEL_REQUIRES(kLock);
  Status get_put(NetworkInterface& interface, const RequestArguments& arguments)
      LINTEL_REQUIRES(kLock);
  Status send_put(NetworkInterface& interface, const RequestArguments& arguments,
                  const Prepared& prepared, wire::MessageKind kind) LINTEL_REQUIRES(kLock);
  Status send_get(NetworkInterface& interface, const RequestArguments& arguments,
                  const Prepared& prepared) LINTEL_REQUIRES(kLock);
  Status send_fetch(NetworkInterface& interface, const RequestArguments& arguments,
                    const Prepared& prepared, wire::MessageKind kind) LINTEL_REQUIRES(kLock);
  Operation* create(const Prepared& prepared, NetworkInterface& interface, PendingKind kind)
      LINTEL_REQUIRES(kLock);
  bool send(const Prepared& prepared, Operation* operation, const wire::Request& request,
            const Payload& payload, const Transfers::RegionPart* source, Outbox::Prepared& waits)
      LINTEL_REQUIRES(kLock);
  void expect_answer(NetworkInterface& interface, PendingRequest& request,
                     const wire::Request& sent, const RequestArguments& arguments)
      LINTEL_REQUIRES(kLock);
  void end(Operation& operation) LINTEL_REQUIRES(kLock);
  void finish(const Transfers::Ended& ended) LINTEL_REQUIRES(kLock);
  void log_ack(NetworkInterface& interface, const PendingRequest& request, Failure failure,
               bool count_only = false) LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void log_no_ack(NetworkInterface& interface, const PendingRequest& request,
                                Failure failure, bool reported_by_send) LINTEL_REQUIRES(kLock);
  void log_reply(NetworkInterface& interface, const PendingRequest& request, std::uint64_t length,
                 Failure failure) LINTEL_REQUIRES(kLock);
  bool carry_out(NetworkInterface& interface, const TriggeredOperation& operation)
      LINTEL_REQUIRES(kLock);
  [[gnu::cold]] void fail_to_start(NetworkInterface& interface, wire::MessageKind kind,
                                   const RequestArguments& arguments, std::uint64_t length,
                                   Failure failure) LINTEL_REQUIRES(kLock);

  const TransferLimits& limits_;
  std::size_t max_message_bytes_;
  Peers& peers_;
  Outbox& outbox_;
  Operations& operations_;
  Transfers& transfers_;
  const InterfaceTable& interfaces_;
  Counters& counters_;
  SlotPool<PendingRequest> requests_ LINTEL_GUARDED_BY(kLock);
  // triggered operations that have begun, by interface
  std::array<std::uint64_t, kMaxInterfaces> fired_ LINTEL_GUARDED_BY(kLock){};
};

// The kind of message for a triggered operation. REQUIRES: not kIncrement or kSet.
wire::MessageKind message_kind(TriggeredKind kind);

}  // namespace lintel::portals
