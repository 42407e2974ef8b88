#pragma once
// The parts of an endpoint, connected as the endpoint connects them, and one interface of Portals 4
// with an event queue, for tests of Initiator and Target.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "portals/engine/interface/interface_table.h"
#include "portals/engine/protocol/initiator.h"
#include "portals/engine/protocol/peers.h"
#include "portals/engine/protocol/transfers.h"
#include "tests/unit/engine/descriptor_rules_of.h"
#include "tests/unit/engine/event_kinds.h"
#include "tests/unit/engine/recording_transport.h"

namespace lintel::portals {

struct ProtocolParts {
  static constexpr std::uint8_t kKind = 1;
  static constexpr transport::PeerId kPeer{3};
  static constexpr ProcessId kPeerName{NodeId(1), Pid(3)};
  static constexpr std::size_t kLimit = 4;  // operations of this process

  ProtocolParts() {
    interfaces.rows[kKind].interface = &interface;
    EXPECT_EQ(interface.events.allocate_queue(8, nullptr, queue, 2), Status::kOk);
  }
  ~ProtocolParts() { interface.drop_objects(); }
  ProtocolParts(const ProtocolParts&) = delete;
  ProtocolParts& operator=(const ProtocolParts&) = delete;

  // All of `memory`, with these options.
  DescriptorRules rules(std::uint32_t options) { return rules_of(memory, queue, options); }
  // Takes all events and returns their kinds. `last` is the newest one then.
  std::vector<EventKind> kinds() {
    kLock.is_held();
    return take_kinds(interface.events, queue, &last);
  }

  std::array<std::byte, 100> memory{};
  RecordingTransport transport;
  Counters counters;
  PendingWork pending_work;
  TransferLimits limits;
  Peers peers{transport};
  Operations operations{transport, kLimit};
  Outbox outbox{transport, operations, counters};
  Transfers transfers{transport, outbox, operations, counters};
  InterfaceTable interfaces;
  NetworkInterface interface {
    kKind, Identity{{NodeId(1), Pid(1)}, UserId(10), JobId(0)},
        InterfaceLimits(), counters, pending_work
  };
  SlotId queue;
  Event last;
};

// With a portal whose entries match kBits.
struct TargetParts : ProtocolParts {
  static constexpr std::uint64_t kBits = 7;
  static constexpr ProcessId kAnybody{NodeId(kAnyId), Pid(kAnyId)};

  TargetParts() {
    kLock.is_held();
    EXPECT_EQ(interface.portals.allocate({}, queue, 0, portal), Status::kOk);
  }
  SlotId append(const DescriptorRules& with, ProcessId of = kAnybody, std::uint64_t ignored = 0) {
    kLock.is_held();
    SlotId made;
    EXPECT_EQ(interface.unexpected.append_entry(portal, PortalList::kPriority, {of, kBits, ignored},
                                                with, false, made),
              Status::kOk);
    return made;
  }

  std::uint32_t portal = 0;
};

// With an Initiator, and a descriptor of all of `memory`.
struct InitiatorParts : ProtocolParts {
  InitiatorParts() {
    kLock.is_held();
    EXPECT_EQ(interface.entries.bind_descriptor(rules(0), false, descriptor), Status::kOk);
  }
  RequestArguments arguments(AckRequest ack = AckRequest::kNone) const {
    RequestArguments made;
    made.descriptor = descriptor;
    made.whole_descriptor = false;
    made.length = 8;
    made.target = kPeerName;
    made.ack = ack;
    return made;
  }
  // What waits for the peer is not sent any more, as when it is lost.
  void take_unsent() {
    kLock.is_held();
    outbox.take(kPeer, [this](Outbox::Unsent& unsent) {
      kLock.is_held();
      interface.close(std::move(unsent.completion), Failure::kPeerDead);
    });
  }

  Initiator initiator{limits,     transport.attributes().max_message_bytes,
                      peers,      outbox,
                      operations, transfers,
                      interfaces, counters};
  SlotId descriptor;
};

}  // namespace lintel::portals
