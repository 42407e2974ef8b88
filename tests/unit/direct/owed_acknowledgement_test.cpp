// When the peer of a connection is told what has arrived from it. Time and polls are arguments.
#include "transport/direct/owed_acknowledgement.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

constexpr TimePoint kStart{1000000000};
constexpr std::uint64_t kPoll = 100;
constexpr std::uint64_t kIdle = OwedAcknowledgement::kIdlePolls;

class OwedAcknowledgementTest : public ::testing::Test {
 protected:
  OwedAcknowledgementTest() { owed.heard(kPoll, kStart); }
  bool is_due(std::uint64_t poll, std::uint64_t unacknowledged = 8,
              bool waits_itself = false) const {
    return owed.is_due(poll, kStart, unacknowledged, waits_itself);
  }
  OwedAcknowledgement owed;
};

TEST_F(OwedAcknowledgementTest, NobodyIsToldAtOnceWithoutHavingAsked) {
  EXPECT_FALSE(is_due(kPoll + 1000, OwedAcknowledgement::kMaxUnacknowledged));
  EXPECT_FALSE(owed.is_wanted());
}

TEST_F(OwedAcknowledgementTest, EverybodyIsToldAfterAWhile) {
  EXPECT_EQ(owed.deadline(), kStart + OwedAcknowledgement::kAfter);
  EXPECT_FALSE(owed.is_due(kPoll, owed.deadline() + Nanoseconds(-1), 8, false));
  EXPECT_TRUE(owed.is_due(kPoll, owed.deadline(), 8, false));
}

TEST_F(OwedAcknowledgementTest, APeerThatHasAskedIsLookedAtInTheNextPoll) {
  owed.want(kAcknowledgeWhenIdle, kPoll);
  EXPECT_TRUE(owed.is_wanted());
  EXPECT_LT(owed.deadline(), kStart);
}

TEST_F(OwedAcknowledgementTest, SoonIsTheNextPoll) {
  owed.want(kAcknowledgeSoon, kPoll);
  EXPECT_FALSE(is_due(kPoll));
  EXPECT_TRUE(is_due(kPoll + 1));
}

TEST_F(OwedAcknowledgementTest, WhenIdleIsAfterSomePollsWithoutAnythingNew) {
  owed.want(kAcknowledgeWhenIdle, kPoll);
  EXPECT_FALSE(is_due(kPoll + kIdle));
  EXPECT_TRUE(is_due(kPoll + kIdle + 1));
}

TEST_F(OwedAcknowledgementTest, WhatArrivesPutsItOffButNotWithoutABound) {
  owed.want(kAcknowledgeWhenIdle, kPoll);
  owed.heard(kPoll + kIdle, kStart);
  EXPECT_FALSE(is_due(kPoll + kIdle + 1));
  EXPECT_TRUE(is_due(kPoll + kIdle + 1, OwedAcknowledgement::kMaxUnacknowledged));
}

TEST_F(OwedAcknowledgementTest, AProcessThatWaitsItselfDoesNotLetThePeerWait) {
  owed.want(kAcknowledgeWhenIdle, kPoll);
  EXPECT_FALSE(is_due(kPoll, 8, true));
  EXPECT_TRUE(is_due(kPoll + 1, 8, true));
}

TEST_F(OwedAcknowledgementTest, APeerThatWasToldHasToAskAgain) {
  owed.want(kAcknowledgeSoon, kPoll);
  owed.sent();
  EXPECT_FALSE(owed.is_wanted());
  EXPECT_FALSE(is_due(kPoll + 1));
}

}  // namespace
}  // namespace lintel::transport
