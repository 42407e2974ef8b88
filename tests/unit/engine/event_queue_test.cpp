#include "portals/engine/events/event_queue.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace lintel::portals {
namespace {

using Taken = EventQueue::Taken;

// Events with distinct header data.
Event event(std::uint64_t number) {
  Event made;
  made.header_data = number;
  return made;
}

class EventQueueTest : public testing::Test {
 protected:
  void deposit(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t number = first; number <= last; ++number) queue.deposit(event(number));
  }
  // Takes all events. Reports whether a loss was reported.
  std::vector<std::uint64_t> take_all(int* losses = nullptr) {
    std::vector<std::uint64_t> numbers;
    const Event* taken = nullptr;
    for (Taken how = queue.take(taken); how != Taken::kEmpty; how = queue.take(taken)) {
      numbers.push_back(taken->header_data);
      if (losses != nullptr && how == Taken::kEventAfterLoss) ++*losses;
    }
    return numbers;
  }
  EventQueue queue{4, nullptr};
};

TEST_F(EventQueueTest, CapacityIsTheNextPowerOfTwo) {
  EXPECT_EQ(EventQueue(1, nullptr).capacity(), 1U);
  EXPECT_EQ(EventQueue(4, nullptr).capacity(), 4U);
  EXPECT_EQ(EventQueue(5, nullptr).capacity(), 8U);
}

TEST_F(EventQueueTest, EventsComeOutInTheOrderOfTheirDeposit) {
  deposit(1, 3);
  EXPECT_EQ(take_all(), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(EventQueueTest, AnEventWrittenInItsPlaceIsFreshAndNumberedAsOthers) {
  queue.deposit(event(1));
  const std::uint32_t number = queue.next_sequence();
  const EventQueue::Placed placed = queue.place();
  EXPECT_EQ(placed.event.sequence, number);
  EXPECT_EQ(placed.event.header_data, 0U);
  placed.event.header_data = 2;
  queue.deposit(event(3));
  EXPECT_EQ(take_all(), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(EventQueueTest, AFullQueueLosesTheOldestForOneWrittenInItsPlaceToo) {
  deposit(1, 4);
  const EventQueue::Placed placed = queue.place();
  EXPECT_TRUE(placed.lost_one);
  placed.event.header_data = 5;
  int losses = 0;
  EXPECT_EQ(take_all(&losses), (std::vector<std::uint64_t>{2, 3, 4, 5}));
  EXPECT_EQ(losses, 1);
}

TEST_F(EventQueueTest, EmptyQueueGivesNothing) {
  const Event seven = event(7);
  const Event* taken = &seven;
  EXPECT_EQ(queue.take(taken), Taken::kEmpty);
  EXPECT_EQ(taken, &seven);
}

TEST_F(EventQueueTest, FullQueueLosesTheOldestAndTellsTheProducer) {
  deposit(1, 4);
  EXPECT_TRUE(queue.deposit(event(5)).lost_one);
  EXPECT_EQ(queue.unread(), 4U);
}

TEST_F(EventQueueTest, QueueThatGrowsLosesNothingAndKeepsTheOrder) {
  EventQueue growing(4, nullptr, 0, true);
  const Event* taken = nullptr;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = 1; number <= 100; ++number) {
    EXPECT_FALSE(growing.deposit(event(number)).lost_one);
    // Sometimes takes an event, so that the ring grows with its oldest event at any position.
    if (number % 3 == 0 && growing.take(taken) == Taken::kEvent)
      numbers.push_back(taken->header_data);
  }
  while (growing.take(taken) == Taken::kEvent) numbers.push_back(taken->header_data);
  std::vector<std::uint64_t> expected(100);
  std::iota(expected.begin(), expected.end(), 1U);
  EXPECT_EQ(numbers, expected);
  EXPECT_EQ(growing.capacity(), 128U);
}

TEST_F(EventQueueTest, QueueThatGrowsGoesOnWithItsNumbers) {
  EventQueue growing(2, nullptr, 0, true);
  const std::uint32_t first = growing.next_sequence();
  for (std::uint32_t i = 0; i < 9; ++i) EXPECT_EQ(growing.deposit(event(i)).sequence, first + i);
}

TEST_F(EventQueueTest, QueueThatGrowsTakesNoMessagesBeyondItsLimitAndNoEventIsLost) {
  EventQueue growing(EventQueue::kMostGrown / 2, nullptr, 0, true);
  std::uint64_t messages = 0;
  for (; growing.takes_message(); ++messages) EXPECT_FALSE(growing.deposit(event(1)).lost_one);
  EXPECT_EQ(messages, EventQueue::kMostGrown);
  EXPECT_FALSE(growing.deposit(event(2)).lost_one) << "of an operation of this process";
  const Event* taken = nullptr;
  for (int i = 0; i < 2; ++i) EXPECT_EQ(growing.take(taken), Taken::kEvent);
  EXPECT_TRUE(growing.takes_message());
}

TEST_F(EventQueueTest, LossIsToldOnceWithTheOldestSurvivor) {
  deposit(1, 7);
  int losses = 0;
  const Event* first = nullptr;
  EXPECT_EQ(queue.take(first), Taken::kEventAfterLoss);
  EXPECT_EQ(first->header_data, 4U);
  EXPECT_EQ(take_all(&losses), (std::vector<std::uint64_t>{5, 6, 7}));
  EXPECT_EQ(losses, 0);
}

TEST_F(EventQueueTest, SequenceGrowsByOneForLostEventsTooAndWrapsEarly) {
  std::uint32_t last = queue.next_sequence() - 1;
  bool wrapped = false;
  for (std::uint64_t number = 0; number < 10; ++number) {
    const std::uint32_t sequence = queue.deposit(event(number)).sequence;
    EXPECT_EQ(sequence, last + 1);
    wrapped = wrapped || sequence < last;
    last = sequence;
  }
  EXPECT_TRUE(wrapped);
  const Event* taken = nullptr;
  ASSERT_EQ(queue.take(taken), Taken::kEventAfterLoss);
  EXPECT_EQ(taken->sequence, last - 3);
}

TEST_F(EventQueueTest, NextSequenceIsThatOfTheNextDeposit) {
  const std::uint32_t next = queue.next_sequence();
  EXPECT_EQ(queue.deposit(event(1)).sequence, next);
}

TEST_F(EventQueueTest, QuietMeansNothingUnreadAndNoMessageThatIsStillToBeToldOf) {
  EXPECT_TRUE(queue.quiet());
  queue.owe_end(EventKind::kPutEnd);
  queue.owe_end(EventKind::kGetEnd);
  EXPECT_FALSE(queue.quiet());
  queue.settle_end(EventKind::kGetEnd);
  EXPECT_FALSE(queue.quiet());
  deposit(1, 1);
  queue.settle_end(EventKind::kPutEnd);
  EXPECT_FALSE(queue.quiet());
  take_all();
  EXPECT_TRUE(queue.quiet());
}

TEST_F(EventQueueTest, WhatTheProcessHasStartedItselfIsOwedAndLeavesItQuiet) {
  queue.owe_end(EventKind::kSendEnd);
  queue.owe_end(EventKind::kReplyEnd);
  queue.owe(1);  // UNLINK
  EXPECT_EQ(queue.owed(), 3U);
  EXPECT_TRUE(queue.quiet());
  EXPECT_EQ(queue.room(), 1U);
  queue.settle_end(EventKind::kReplyEnd);
  queue.settle_end(EventKind::kSendEnd);
  queue.settle(1);
  EXPECT_EQ(queue.owed(), 0U);
}

TEST_F(EventQueueTest, RingGoesRoundManyTimes) {
  for (std::uint64_t round = 0; round < 100; ++round) {
    deposit(3 * round, 3 * round + 2);
    EXPECT_EQ(take_all(), (std::vector<std::uint64_t>{3 * round, 3 * round + 1, 3 * round + 2}));
  }
}

TEST(EventQueueWithSpareRoom, HoldsExactlyAsManyAsAskedFor) {
  EventQueue queue(3, nullptr, 2);
  for (std::uint64_t number = 1; number <= 3; ++number)
    EXPECT_FALSE(queue.deposit(event(number)).lost_one);
  EXPECT_TRUE(queue.deposit(event(4)).lost_one);
}

TEST(EventQueueWithSpareRoom, SpareEventsPushOutNoneAndTakeNoRoomFromOthers) {
  EventQueue queue(3, nullptr, 2);
  Event disabled;
  disabled.kind = EventKind::kPortalDisabled;
  for (std::uint64_t number = 1; number <= 3; ++number) queue.deposit(event(number));
  EXPECT_FALSE(queue.deposit_spare(disabled).lost_one);
  EXPECT_FALSE(queue.deposit_spare(disabled).lost_one);
  EXPECT_EQ(queue.room(), 0U);
  const Event* taken = nullptr;
  ASSERT_EQ(queue.take(taken), Taken::kEvent);
  EXPECT_EQ(queue.room(), 1U);
  EXPECT_FALSE(queue.deposit(event(4)).lost_one);
  for (int left = 5; left > 0; --left) EXPECT_EQ(queue.take(taken), Taken::kEvent);
  EXPECT_EQ(queue.room(), 3U);
}

}  // namespace
}  // namespace lintel::portals
