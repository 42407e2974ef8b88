#include "portals/engine/matching/portal_table.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/engine/interface_parts.h"

namespace lintel::portals {
namespace {

class PortalTableTest : public ::testing::Test, protected InterfaceParts {
 protected:
  std::uint32_t allocate(SlotId queue, const PortalTable::Rules& rules = {}) {
    kLock.is_held();
    std::uint32_t made = 99;
    EXPECT_EQ(portals.allocate(rules, queue, kAnyId, made), Status::kOk);
    return made;
  }
  Completion enter(std::uint32_t portal) {
    kLock.is_held();
    Completion completion;
    completion.event.portal_index = portal;
    portals.enter(completion);
    return completion;
  }
};

TEST_F(PortalTableTest, TheFirstFreeOneIsAllocated) {
  kLock.is_held();
  EXPECT_EQ(allocate({}), 0U);
  EXPECT_EQ(allocate({}), 1U);
  std::uint32_t made = 0;
  EXPECT_EQ(portals.allocate({}, {}, kAnyId, made), Status::kPortalFull);
  EXPECT_EQ(portals.allocate({}, {}, 1, made), Status::kPortalInUse);
  EXPECT_EQ(portals.allocate({}, {}, 2, made), Status::kPortalInvalid);
  EXPECT_EQ(portals.allocate({}, {3, 1}, 0, made), Status::kQueueInvalid);
}

TEST_F(PortalTableTest, OneWithAnOperationUnderWayIsNeitherFreedNorQuiet) {
  kLock.is_held();
  const std::uint32_t portal = allocate({});
  const Completion completion = enter(portal);
  EXPECT_EQ(portals.test_free(portal), Status::kPortalInUse);
  EXPECT_EQ(portals.disable(portal), Status::kOk);
  EXPECT_FALSE(portals.quiet(portal));
  EXPECT_FALSE(portals[portal].takes_messages());
  portals.leave(portal, completion.portal_turn);
  EXPECT_TRUE(portals.quiet(portal));
  EXPECT_TRUE(pending_work.wake_needed);
  EXPECT_EQ(portals.test_free(portal), Status::kOk);
  portals.free(portal);
  EXPECT_EQ(portals.existing(portal), nullptr);
}

TEST_F(PortalTableTest, ARefusalDisablesWithFlowControlOnly) {
  kLock.is_held();
  const std::uint32_t plain = allocate({});
  const std::uint32_t controlled = allocate({}, {.flow_control = true});
  portals.refuse(portals[plain], PortalTable::Room::kEnough, nullptr);
  EXPECT_TRUE(portals[plain].takes_messages());
  portals.refuse(portals[controlled], PortalTable::Room::kEnough, nullptr);
  EXPECT_FALSE(portals[controlled].takes_messages());
}

TEST_F(PortalTableTest, ItIsToldWhenWhatWasTakenByThenIsDone) {
  kLock.is_held();
  const SlotId queue = make_queue();
  const std::uint32_t portal = allocate(queue, {.flow_control = true});
  const Completion before = enter(portal);
  portals.refuse(portals[portal], PortalTable::Room::kEnough, nullptr);
  EXPECT_EQ(portals.enable(portal), Status::kOk);
  const Completion after = enter(portal);
  EXPECT_TRUE(kinds(queue).empty());
  portals.leave(portal, before.portal_turn);
  EXPECT_EQ(kinds(queue), std::vector{EventKind::kPortalDisabled});
  portals.leave(portal, after.portal_turn);
  EXPECT_TRUE(kinds(queue).empty());
}

TEST_F(PortalTableTest, AFullQueueDisablesAllItsPortals) {
  kLock.is_held();
  const SlotId queue = make_queue();
  const std::uint32_t one = allocate(queue, {.flow_control = true});
  const std::uint32_t other = allocate(queue, {.flow_control = true});
  portals.refuse(portals[one], PortalTable::Room::kQueueFull, nullptr);
  EXPECT_FALSE(portals[other].takes_messages());
}

}  // namespace
}  // namespace lintel::portals
