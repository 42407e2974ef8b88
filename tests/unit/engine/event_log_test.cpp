#include "portals/engine/events/event_log.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/engine/interface_parts.h"

namespace lintel::portals {
namespace {

class EventLogTest : public ::testing::Test, protected InterfaceParts {};

TEST_F(EventLogTest, AnEventThatPushesOutAnotherIsCounted) {
  kLock.is_held();
  SlotId queue;
  ASSERT_EQ(events.allocate_queue(1, nullptr, queue), Status::kOk);
  const std::uint64_t room = events.queue(queue)->capacity();
  for (std::uint64_t i = 0; i < room; ++i) events.deposit(*events.queue(queue), {});
  EXPECT_EQ(counters.get(Counter::kEventQueueOverflows), 0U);
  events.place(*events.queue(queue));
  EXPECT_EQ(counters.get(Counter::kEventQueueOverflows), 1U);
}

TEST_F(EventLogTest, AnEventForASleeperAsksForAWake) {
  kLock.is_held();
  const SlotId queue = make_queue();
  events.deposit(*events.queue(queue), {});
  EXPECT_FALSE(pending_work.wake_needed);
  events.queue(queue)->sleepers = 1;
  events.deposit(*events.queue(queue), {});
  EXPECT_TRUE(pending_work.wake_needed);
}

TEST_F(EventLogTest, ADescriptorOfAFreedQueueGoesOnWithoutOne) {
  kLock.is_held();
  const SlotId queue = make_queue();
  MemoryDescriptor* const descriptor = descriptors.make(rules(option::kPut, queue), false);
  ASSERT_NE(descriptor, nullptr);
  EXPECT_EQ(events.free_queue(queue), Status::kOk);
  EXPECT_EQ(descriptor->queue().generation, 0U);
  EXPECT_EQ(events.free_queue(queue), Status::kQueueInvalid);
}

TEST_F(EventLogTest, ATestQueueThatHasAnEventIsNotQuiet) {
  kLock.is_held();
  const SlotId queue = make_queue();
  EXPECT_EQ(events.test_quiet({}), Status::kOk);
  EXPECT_EQ(events.test_quiet(queue), Status::kOk);
  events.deposit(*events.queue(queue), {});
  EXPECT_EQ(events.test_quiet(queue), Status::kNoUpdate);
  EXPECT_EQ(events.test_quiet({queue.slot, queue.generation + 1}), Status::kQueueInvalid);
}

TEST_F(EventLogTest, ALossIsToldInTheQueueThatAskedForIt) {
  kLock.is_held();
  const SlotId queue = make_queue();
  events.peer_lost({NodeId(1), Pid(2)});
  EXPECT_TRUE(kinds(queue).empty());
  events.report_losses(queue);
  events.peer_lost({NodeId(1), Pid(2)});
  EXPECT_EQ(kinds(queue), std::vector{EventKind::kPeerLost});
}

TEST(EventLogSnapshots, AnEventShowsItsDescriptorWhereTheInterfaceWantsThat) {
  kLock.is_held();
  Counters counters;
  PendingWork pending_work;
  DescriptorTable descriptors{1, 1, 9, 1};
  const EventLog shows{descriptors, 1, true, 9, 1, counters, pending_work};
  const EventLog hides{descriptors, 1, false, 9, 1, counters, pending_work};
  MemoryDescriptor* const descriptor = descriptors.make(InterfaceParts::rules(option::kPut), false);
  Event shown;
  shows.fill(shown, *descriptor, EventKind::kPutEnd);
  EXPECT_EQ(shown.snapshot.options, option::kPut);
  Event hidden;
  hides.fill(hidden, *descriptor, EventKind::kPutEnd);
  EXPECT_EQ(hidden.snapshot.options, 0U);
}

}  // namespace
}  // namespace lintel::portals
