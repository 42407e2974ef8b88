// Counting events, and the order in which triggered operations become due.

#include "portals/engine/events/counting_event.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace {

using lintel::portals::CountingEvent;
using lintel::portals::Triggered;

struct Named : Triggered {
  Named(std::uint64_t threshold, char name_) : Triggered(threshold), name(name_) {}
  char name;
};

class CountingEventTest : public testing::Test {
 protected:
  void arm(std::uint64_t threshold, char name) {
    operations.push_back(std::make_unique<Named>(threshold, name));
    counter.arm(*operations.back());
  }
  // Returns the names of all due operations in order.
  std::string due() {
    std::string names;
    while (Triggered* operation = counter.take_due()) names += static_cast<Named*>(operation)->name;
    return names;
  }
  void TearDown() override {
    while (counter.take_any() != nullptr) {
    }
  }

  std::vector<std::unique_ptr<Named>> operations;
  CountingEvent counter;
};

TEST_F(CountingEventTest, BeginsAtZero) { EXPECT_EQ(counter.value(), CountingEvent::Value{}); }

TEST_F(CountingEventTest, IncrementsAddToBothNumbers) {
  counter.set({10, 1});
  counter.add({5, 0});
  counter.add({0, 2});
  EXPECT_EQ(counter.value(), (CountingEvent::Value{15, 3}));
}

TEST_F(CountingEventTest, IsReachedByEnoughSuccessesOrByAnyFailure) {
  EXPECT_TRUE(counter.reached(0));
  EXPECT_FALSE(counter.reached(1));
  counter.add({2, 0});
  EXPECT_TRUE(counter.reached(2));
  EXPECT_FALSE(counter.reached(3));
  counter.add({0, 1});
  EXPECT_TRUE(counter.reached(1000));
}

TEST_F(CountingEventTest, AnOperationIsDueFromItsThresholdOn) {
  arm(2, 'a');
  counter.add({1, 0});
  EXPECT_EQ(due(), "");
  counter.add({1, 0});
  EXPECT_EQ(due(), "a");
  counter.add({1, 0});
  EXPECT_EQ(due(), "");
}

TEST_F(CountingEventTest, SuccessesAndFailuresCountTogetherForTriggers) {
  arm(3, 'a');
  counter.set({2, 1});
  EXPECT_EQ(due(), "a");
}

TEST_F(CountingEventTest, AThresholdThatIsReachedAlreadyIsDueAtOnce) {
  counter.set({5, 0});
  arm(0, 'z');
  arm(5, 'a');
  EXPECT_EQ(due(), "za");
}

TEST_F(CountingEventTest, OperationsComeInTheOrderOfTheirThresholds) {
  arm(3, 'c');
  arm(1, 'a');
  arm(2, 'b');
  counter.add({3, 0});
  EXPECT_EQ(due(), "abc");
}

TEST_F(CountingEventTest, OperationsOfOneThresholdComeInTheOrderInWhichTheyWereArmed) {
  arm(1, 'a');
  arm(2, 'd');
  arm(1, 'b');
  arm(1, 'c');
  counter.add({2, 0});
  EXPECT_EQ(due(), "abcd");
}

TEST_F(CountingEventTest, LoweringTheNumbersKeepsWhatIsArmedAndBringsNothingBack) {
  arm(1, 'a');
  arm(4, 'b');
  counter.set({2, 0});
  EXPECT_EQ(due(), "a");
  counter.set({0, 0});
  EXPECT_EQ(due(), "");
  EXPECT_EQ(counter.armed(), 1U);
  counter.set({4, 0});
  EXPECT_EQ(due(), "b");
}

TEST_F(CountingEventTest, ASumBeyondTheLargestNumberIsTheLargest) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  arm(kMost, 'a');
  counter.set({kMost, kMost});
  EXPECT_EQ(due(), "a");
}

TEST_F(CountingEventTest, CancellingTakesOutAllThatIsArmed) {
  arm(1, 'a');
  arm(9, 'b');
  std::string names;
  while (Triggered* operation = counter.take_any()) names += static_cast<Named*>(operation)->name;
  EXPECT_EQ(names, "ab");
  EXPECT_EQ(counter.armed(), 0U);
}

}  // namespace
