#include "portals/engine/matching/unexpected_messages.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/engine/interface_parts.h"

namespace lintel::portals {
namespace {

class UnexpectedMessagesTest : public ::testing::Test, protected InterfaceParts {
 protected:
  void SetUp() override {
    kLock.is_held();
    queue = make_queue();
    std::uint32_t made = 0;
    ASSERT_EQ(portals.allocate({}, queue, 0, made), Status::kOk);
    DescriptorRules overflow = rules(option::kPut | option::kLinkDisable);
    SlotId entry;
    ASSERT_EQ(unexpected.append_entry(0, PortalList::kOverflow, kAnybody, overflow, false, entry),
              Status::kOk);
    holder = entries.get(entry)->descriptor;
  }

  // A message has matched the overflow entry and its data are under way.
  SlotId arrive() { return arrive(unexpected); }
  SlotId arrive(UnexpectedMessages& messages) {
    kLock.is_held();
    Completion completion;
    completion.event.kind = EventKind::kPutEnd;
    completion.event.initiator = {NodeId(1), Pid(1)};
    completion.event.match_bits = 7;
    completion.event.descriptor = holder->id;
    messages.begin(completion);
    return completion.unexpected;
  }
  Status append(SlotId& entry) {
    kLock.is_held();
    return unexpected.append_entry(0, PortalList::kPriority, kAnybody,
                                   rules(option::kPut | option::kLinkDisable), true, entry);
  }

  SlotId queue;
  MemoryDescriptor* holder = nullptr;
};

TEST_F(UnexpectedMessagesTest, ANewEntryClaimsTheMessageThatArrivedFirst) {
  kLock.is_held();
  const SlotId first = arrive();
  arrive();
  unexpected.landed(0, first, Failure::kNone);
  SlotId entry;
  ASSERT_EQ(append(entry), Status::kOk);
  EXPECT_EQ(entries.get(entry), nullptr);
  EXPECT_EQ(kinds(queue), (std::vector{EventKind::kPutOverflow, EventKind::kUnlink}));
  EXPECT_EQ(holder->headers, 1U);
}

TEST_F(UnexpectedMessagesTest, TheClaimIsToldWhenTheDataAreInPlace) {
  kLock.is_held();
  const SlotId header = arrive();
  SlotId entry;
  ASSERT_EQ(append(entry), Status::kOk);
  EXPECT_TRUE(kinds(queue).empty());
  unexpected.landed(0, header, Failure::kNone);
  EXPECT_EQ(kinds(queue), (std::vector{EventKind::kPutOverflow, EventKind::kUnlink}));
}

TEST_F(UnexpectedMessagesTest, OneThatFailsBeforeItIsClaimedIsForgotten) {
  kLock.is_held();
  unexpected.landed(0, arrive(), Failure::kPeerDead);
  EXPECT_EQ(portals[0].unexpected.size(), 0U);
  EXPECT_EQ(holder->headers, 0U);
}

TEST_F(UnexpectedMessagesTest, ASearchTellsAndLeavesItThere) {
  kLock.is_held();
  unexpected.landed(0, arrive(), Failure::kNone);
  ASSERT_EQ(unexpected.search(0, kAnybody, rules(option::kPut), true, false), Status::kOk);
  EXPECT_EQ(kinds(queue), std::vector{EventKind::kSearch});
  EXPECT_EQ(portals[0].unexpected.size(), 1U);
  EXPECT_EQ(descriptors.size(), 1U);  // the search's own descriptor is gone
}

TEST_F(UnexpectedMessagesTest, APortalHasRoomForSoManyHeaders) {
  kLock.is_held();
  const auto room = [&] {
    kLock.is_held();
    return unexpected.room_for(portals[0], *holder, {0, 0}, PortalList::kOverflow);
  };
  arrive();
  EXPECT_EQ(room(), PortalTable::Room::kEnough);
  arrive();
  EXPECT_EQ(room(), PortalTable::Room::kNoHeader);
  EXPECT_EQ(unexpected.room_for(portals[0], *holder, {0, 0}, PortalList::kPriority),
            PortalTable::Room::kEnough);
}

TEST_F(UnexpectedMessagesTest, AnotherInterfaceMayHaveTakenTheMemoryForHeaders) {
  kLock.is_held();
  ASSERT_TRUE(headers.take(100'000));
  const auto room = [&] {
    kLock.is_held();
    return unexpected.room_for(portals[0], *holder, {0, 0}, PortalList::kOverflow);
  };
  EXPECT_EQ(room(), PortalTable::Room::kNoHeader);
  headers.give_back(100'000);
  EXPECT_EQ(room(), PortalTable::Room::kEnough);
  EXPECT_GT(headers.taken(), 0U);
}

TEST_F(UnexpectedMessagesTest, APortalLeavesAsMuchMemoryToTheOthersAsItHas) {
  kLock.is_held();
  InterfaceLimits many = few();
  many.max_unexpected = 1000;
  MemoryBudget budget(64 * kUnexpectedHeaderBytes);
  UnexpectedMessages limited{descriptors, events, portals, entries, triggers, many, &budget};
  std::size_t accepted = 0;
  for (; limited.room_for(portals[0], *holder, {0, 0}, PortalList::kOverflow) ==
         PortalTable::Room::kEnough;
       ++accepted)
    arrive(limited);
  EXPECT_EQ(accepted, 33U);
  EXPECT_EQ(limited.room_for(portals[1], *holder, {0, 0}, PortalList::kOverflow),
            PortalTable::Room::kEnough);
  limited.drop_all();
}

TEST_F(UnexpectedMessagesTest, TheEndOfTheInterfaceGivesItBack) {
  kLock.is_held();
  {
    UnexpectedMessages others{descriptors, events, portals, entries, triggers, few(), &headers};
    ASSERT_EQ(others.room_for(portals[0], *holder, {0, 0}, PortalList::kOverflow),
              PortalTable::Room::kEnough);
    EXPECT_GT(headers.taken(), 0U);
  }
  EXPECT_EQ(headers.taken(), 0U);
}

TEST_F(UnexpectedMessagesTest, OneThatWasMovedAwayDoesNotHoldItsEntry) {
  kLock.is_held();
  const SlotId header = arrive();
  unexpected.landed(0, header, Failure::kNone);
  UnexpectedHeader* const found =
      portals[0].unexpected.find(kAnybody, [](const UnexpectedHeader&) { return true; });
  ASSERT_NE(found, nullptr);
  std::byte elsewhere{};
  unexpected.move(static_cast<UnexpectedMessage&>(*found), &elsewhere);
  EXPECT_EQ(holder->headers, 0U);
  unexpected.consume(static_cast<UnexpectedMessage&>(*found));
  EXPECT_EQ(portals[0].unexpected.size(), 0U);
}

}  // namespace
}  // namespace lintel::portals
