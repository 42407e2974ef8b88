// Until when a lost TCP connection may be replaced. Time is an argument.
#include "transport/direct/suspension.h"

#include <gtest/gtest.h>

namespace lintel::transport {
namespace {

using std::chrono::seconds;
constexpr Error kLoss{Loss::kPeer, "recv", "lost"};
constexpr TimePoint at(Nanoseconds since_start) { return TimePoint{1000000000} + since_start; }

class SuspensionTest : public ::testing::Test {
 protected:
  void lose(Nanoseconds when, std::uint64_t arrived) {
    suspension.begin(kLoss, arrived, at(when), seconds(10));
  }
  Suspension suspension;
};

TEST_F(SuspensionTest, LastsForTheTimeout) {
  lose(seconds(0), 5);
  EXPECT_EQ(suspension.until(), at(seconds(10)));
  EXPECT_STREQ(suspension.loss().reason(), kLoss.reason());
}

TEST_F(SuspensionTest, LossesBeforeAnythingArrivesShareOneLimit) {
  lose(seconds(0), 5);
  suspension.resumed(at(seconds(2)));
  lose(seconds(2), 5);
  EXPECT_EQ(suspension.until(), at(seconds(10)));
}

TEST_F(SuspensionTest, WhatHasArrivedBeginsTheTimeAnew) {
  lose(seconds(0), 5);
  suspension.resumed(at(seconds(2)));
  lose(seconds(2), 6);
  EXPECT_EQ(suspension.until(), at(seconds(12)));
}

TEST_F(SuspensionTest, AConnectionThatHasLastedBeginsTheTimeAnew) {
  lose(seconds(0), 5);
  suspension.resumed(at(seconds(2)));
  lose(seconds(2) + Suspension::kStableAfter + Nanoseconds(1), 5);
  EXPECT_EQ(suspension.until(), at(seconds(12) + Suspension::kStableAfter + Nanoseconds(1)));
}

TEST_F(SuspensionTest, AProcessThatWasStoppedGivesThePeerItsTime) {
  lose(seconds(0), 5);
  suspension.prolong(seconds(3));
  EXPECT_EQ(suspension.until(), at(seconds(13)));
}

}  // namespace
}  // namespace lintel::transport
