#pragma once
// The parts of an interface, connected as the interface connects them, for tests of each part.

#include <gtest/gtest.h>

#include <vector>

#include "portals/engine/events/triggers.h"
#include "portals/engine/matching/entry_table.h"
#include "portals/engine/matching/unexpected_messages.h"
#include "tests/unit/engine/event_kinds.h"

namespace lintel::portals {

struct InterfaceParts {
  static constexpr unsigned kBits = 9;
  static InterfaceLimits few() {
    InterfaceLimits limits;
    limits.max_entries = 4;
    limits.max_descriptors = 4;
    limits.max_list_length = 3;
    limits.max_portal_index = 1;
    limits.max_unexpected = 2;
    return limits;
  }

  Counters counters;
  PendingWork pending_work;
  DescriptorTable descriptors{8, 2, kBits, 1};
  EventLog events{descriptors, 2, false, kBits, 1, counters, pending_work};
  Triggers triggers{descriptors, 2, 2, kBits, 1, pending_work};
  PortalTable portals{events, 1, false, pending_work};
  EntryTable entries{descriptors, events, portals, few(), kBits, 1};
  MemoryBudget headers{100'000};
  UnexpectedMessages unexpected{descriptors, events, portals, entries, triggers, few(), &headers};

  ~InterfaceParts() {
    unexpected.drop_all();
    entries.drop_all();
    triggers.drop_all();
  }

  SlotId make_queue(std::uint64_t events_of_it = 8) {
    kLock.is_held();
    SlotId queue;
    EXPECT_EQ(events.allocate_queue(events_of_it, nullptr, queue, 2), Status::kOk);
    return queue;
  }
  // Takes all events of the queue and returns their kinds.
  std::vector<EventKind> kinds(SlotId queue) { return take_kinds(events, queue); }
  static DescriptorRules rules(std::uint32_t options, SlotId queue = {}) {
    DescriptorRules made;
    made.described.options = options;
    made.described.threshold = 1;
    made.described.queue = queue;
    return made;
  }
  static constexpr MatchCriteria kAnybody{{NodeId(kAnyId), Pid(kAnyId)}, 7, 0};
};

}  // namespace lintel::portals
