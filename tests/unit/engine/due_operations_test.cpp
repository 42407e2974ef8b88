#include "portals/engine/events/due_operations.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

namespace lintel::portals {
namespace {

class DueOperationsTest : public ::testing::Test {
 protected:
  SlotId make_counter() {
    const auto [counter, id] = counters.create();
    EXPECT_NE(counter, nullptr);
    return id;
  }
  void add(SlotId trigger, std::uint64_t number) {
    kLock.is_held();
    TriggeredOperation& made = operations.emplace_back(0, TriggeredKind::kSet);
    made.trigger = trigger;
    made.value.success = number;
    due.add(made);
  }
  // Those with the number `without_room` are refused.
  bool carry_out() {
    kLock.is_held();
    const auto try_one = [this](const TriggeredOperation& operation) {
      if (operation.value.success == without_room) return false;
      carried_out.push_back(operation.value.success);
      return true;
    };
    return due.carry_out(try_one, [this](TriggeredOperation&) { ++released; });
  }

  SlotPool<CountingEvent> counters{4};
  std::deque<TriggeredOperation> operations;
  DueOperations due{counters};
  std::uint64_t without_room = 0;
  std::vector<std::uint64_t> carried_out;
  int released = 0;
};

TEST_F(DueOperationsTest, EachOperationThatWasCarriedOutIsReleased) {
  kLock.is_held();
  const SlotId trigger = make_counter();
  add(trigger, 1);
  add(trigger, 2);
  without_room = 2;
  EXPECT_TRUE(carry_out());
  EXPECT_EQ(released, 1);
  EXPECT_FALSE(due.empty());
  without_room = 0;
  EXPECT_TRUE(carry_out());
  EXPECT_EQ(released, 2);
  EXPECT_TRUE(due.empty());
}

TEST_F(DueOperationsTest, ACounterHasALineWhileItsFirstOperationHasNoRoom) {
  kLock.is_held();
  const SlotId trigger = make_counter();
  add(trigger, 1);
  without_room = 1;
  EXPECT_FALSE(carry_out());
  EXPECT_NE(counters.get(trigger)->line, nullptr);
  without_room = 0;
  EXPECT_TRUE(carry_out());
  EXPECT_EQ(counters.get(trigger)->line, nullptr);
}

TEST_F(DueOperationsTest, ACounterThatTakesTheSlotOfAFreedOneHasItsOwnLine) {
  kLock.is_held();
  const SlotId freed = make_counter();
  add(freed, 1);
  without_room = 1;
  EXPECT_FALSE(carry_out());
  counters.destroy(freed);
  const SlotId trigger = make_counter();
  add(trigger, 2);
  EXPECT_TRUE(carry_out());
  EXPECT_EQ(carried_out, std::vector<std::uint64_t>{2});
  without_room = 0;
  EXPECT_TRUE(carry_out());
  EXPECT_EQ(carried_out, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_TRUE(due.empty());
}

TEST_F(DueOperationsTest, WhatIsDroppedIsReleasedAndNotCarriedOut) {
  kLock.is_held();
  add(make_counter(), 1);
  without_room = 1;
  EXPECT_FALSE(carry_out());
  add(make_counter(), 2);
  due.drop_all([this](TriggeredOperation&) { ++released; });
  EXPECT_EQ(released, 2);
  EXPECT_TRUE(carried_out.empty());
  EXPECT_TRUE(due.empty());
}

}  // namespace
}  // namespace lintel::portals
