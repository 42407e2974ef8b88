#include "portals/engine/events/triggers.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/engine/interface_parts.h"

namespace lintel::portals {
namespace {

class TriggersTest : public ::testing::Test, protected InterfaceParts {
 protected:
  void SetUp() override {
    kLock.is_held();
    ASSERT_EQ(triggers.allocate_counter(counter), Status::kOk);
  }

  SlotId counter;
};

TEST_F(TriggersTest, AnOperationIsDueWhenItsCounterReachesTheThreshold) {
  kLock.is_held();
  SlotId changed;
  ASSERT_EQ(triggers.allocate_counter(changed), Status::kOk);
  ASSERT_EQ(triggers.change_counter_when(counter, 2, TriggeredKind::kIncrement, changed, {1, 0}),
            Status::kOk);
  EXPECT_EQ(triggers.increment_counter(counter, {1, 0}), Status::kOk);
  EXPECT_FALSE(triggers.has_due());
  EXPECT_FALSE(pending_work.triggers_due);
  EXPECT_EQ(triggers.increment_counter(counter, {1, 0}), Status::kOk);
  EXPECT_TRUE(pending_work.triggers_due);
  const auto carry_out = [&](const TriggeredOperation& due) { return due.counter == changed; };
  EXPECT_TRUE(triggers.carry_out_due(carry_out));
  EXPECT_FALSE(triggers.has_due());
}

TEST_F(TriggersTest, OneThatFindsNoRoomWaitsWithThoseOfItsCounterOnly) {
  kLock.is_held();
  SlotId other;
  ASSERT_EQ(triggers.allocate_counter(other), Status::kOk);
  const auto arm = [&](SlotId trigger, std::uint64_t number) {
    kLock.is_held();
    EXPECT_EQ(triggers.change_counter_when(trigger, 1, TriggeredKind::kSet, trigger, {number, 0}),
              Status::kOk);
  };
  arm(counter, 1);
  arm(counter, 2);
  arm(other, 3);
  EXPECT_EQ(triggers.increment_counter(counter, {1, 0}), Status::kOk);
  EXPECT_EQ(triggers.increment_counter(other, {1, 0}), Status::kOk);
  std::vector<std::uint64_t> carried_out;
  bool room = false;
  const auto carry_out = [&](const TriggeredOperation& due) {
    if (due.value.success == 1 && !room) return false;
    carried_out.push_back(due.value.success);
    return true;
  };
  EXPECT_TRUE(triggers.carry_out_due(carry_out));
  EXPECT_EQ(carried_out, std::vector<std::uint64_t>{3});
  EXPECT_TRUE(triggers.has_due());
  EXPECT_FALSE(triggers.carry_out_due(carry_out));

  arm(counter, 4);
  room = true;
  EXPECT_TRUE(triggers.carry_out_due(carry_out));
  EXPECT_EQ(carried_out, (std::vector<std::uint64_t>{3, 1, 2, 4}));
  EXPECT_FALSE(triggers.has_due());
}

class TriggersToTargets : public TriggersTest {
 protected:
  // Becomes due at once.
  void put(SlotId trigger, std::uint32_t pid) {
    kLock.is_held();
    TriggeredOperation* operation = nullptr;
    ASSERT_EQ(many.prepare(trigger, 0, TriggeredKind::kPut, operation), Status::kOk);
    operation->arguments.target = {NodeId(1), Pid(pid)};
    many.arm(trigger, *operation);
  }
  SlotId make_counter() {
    kLock.is_held();
    SlotId made;
    EXPECT_EQ(many.allocate_counter(made), Status::kOk);
    return made;
  }
  bool carry_out() {
    kLock.is_held();
    return many.carry_out_due([this](const TriggeredOperation& due) {
      asked.push_back(due.arguments.target.pid.value);
      return due.arguments.target.pid.value != without_room;
    });
  }

  static constexpr std::uint32_t kStopped = 7;
  static constexpr std::uint32_t kHealthy = 8;
  Triggers many{descriptors, 4, 4, kBits, 1, pending_work};
  std::uint32_t without_room = kStopped;
  std::vector<std::uint32_t> asked;  // pids
};

TEST_F(TriggersToTargets, ATargetWithoutRoomIsAskedOnceInATurn) {
  kLock.is_held();
  for (int line = 0; line < 3; ++line) {
    const SlotId trigger = make_counter();
    put(trigger, kStopped);
    put(trigger, kHealthy);
  }
  put(make_counter(), kHealthy);
  EXPECT_TRUE(carry_out());
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{kStopped, kHealthy}));
  asked.clear();
  EXPECT_FALSE(carry_out());
  EXPECT_EQ(asked, std::vector<std::uint32_t>{kStopped});
  asked.clear();
  without_room = 0;
  EXPECT_TRUE(carry_out());
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{kStopped, kHealthy, kStopped, kHealthy, kStopped,
                                               kHealthy}));
  EXPECT_FALSE(many.has_due());
}

TEST_F(TriggersToTargets, WhatIsDueOfAFreedCounterKeepsItsOrder) {
  kLock.is_held();
  const SlotId trigger = make_counter();
  put(trigger, kStopped);
  EXPECT_FALSE(carry_out());
  put(trigger, kHealthy);
  ASSERT_EQ(many.free_counter(trigger), Status::kOk);
  EXPECT_FALSE(carry_out());
  without_room = 0;
  asked.clear();
  EXPECT_TRUE(carry_out());
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{kStopped, kHealthy}));
  EXPECT_FALSE(many.has_due());
}

TEST_F(TriggersTest, AnArmedOperationKeepsItsDescriptorBusyUntilItIsReleased) {
  kLock.is_held();
  MemoryDescriptor* const descriptor = descriptors.make(rules(option::kPut), false);
  TriggeredOperation* operation = nullptr;
  ASSERT_EQ(triggers.prepare(counter, 1, TriggeredKind::kPut, operation), Status::kOk);
  operation->arguments.descriptor = descriptor->id;
  triggers.arm(counter, *operation);
  EXPECT_TRUE(descriptor->awaits(MemoryDescriptor::Awaits::kTrigger));
  EXPECT_EQ(triggers.cancel(counter), Status::kOk);
  EXPECT_FALSE(descriptor->busy());
}

TEST_F(TriggersTest, OneCounterHasSoManyOperations) {
  SlotId changed = counter;
  const auto one_more = [&] {
    kLock.is_held();
    return triggers.change_counter_when(counter, 9, TriggeredKind::kSet, changed, {});
  };
  EXPECT_EQ(one_more(), Status::kOk);
  EXPECT_EQ(one_more(), Status::kOk);
  EXPECT_EQ(one_more(), Status::kNoSpace);
}

TEST_F(TriggersTest, AnIncrementChangesOneOfTheNumbers) {
  kLock.is_held();
  EXPECT_EQ(triggers.increment_counter(counter, {1, 1}), Status::kCounterInvalid);
  EXPECT_EQ(triggers.change_counter_when(counter, 1, TriggeredKind::kIncrement, counter, {1, 1}),
            Status::kCounterInvalid);
}

TEST_F(TriggersTest, ADescriptorCountsTheEventsThatItsOptionsName) {
  kLock.is_held();
  DescriptorRules counting = rules(option::kPut | option::kCountTarget | option::kCountBytes);
  counting.counter = counter;
  const MemoryDescriptor* const descriptor = descriptors.make(counting, false);
  Event event;
  event.kind = EventKind::kSendEnd;
  event.manipulated_length = event.requested_length = 5;
  triggers.count(*descriptor, event);
  EXPECT_EQ(triggers.counter(counter)->value(), (CountingEvent::Value{0, 0}));
  event.kind = EventKind::kPutEnd;
  triggers.count(*descriptor, event);
  EXPECT_EQ(triggers.counter(counter)->value(), (CountingEvent::Value{5, 0}));
  event.failure = Failure::kFailed;
  triggers.count(*descriptor, event);
  EXPECT_EQ(triggers.counter(counter)->value(), (CountingEvent::Value{5, 1}));
}

TEST_F(TriggersTest, ADescriptorOfAFreedCounterGoesOnWithoutOne) {
  kLock.is_held();
  DescriptorRules counting = rules(option::kPut);
  counting.counter = counter;
  const MemoryDescriptor* const descriptor = descriptors.make(counting, false);
  EXPECT_EQ(triggers.free_counter(counter), Status::kOk);
  EXPECT_EQ(descriptor->counter().generation, 0U);
  EXPECT_EQ(triggers.free_counter(counter), Status::kCounterInvalid);
}

}  // namespace
}  // namespace lintel::portals
