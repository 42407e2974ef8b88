// When a peer that accepts nothing is tried again, and when it is given up. Tests pass the time as
// an argument.
#include "transport/contact/connect_attempts.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace lintel::transport {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class ConnectAttemptsTest : public testing::Test {
 protected:
  static constexpr TimePoint at(Nanoseconds since_start) {
    return TimePoint{1000000000} + since_start;
  }
  ConnectAttemptsTest() { attempt.peer = PeerId(3); }
  // The owner needs the peer, and the attempt fails if one may be made. Returns whether one was
  // made.
  bool try_in_vain(TimePoint now) {
    const bool tried = attempts.may_try(attempt, now);
    if (tried) {
      attempts.begin(attempt, now);
      attempts.refused(attempt, now);
    }
    expire(now);
    return tried;
  }
  void expire(TimePoint now) {
    attempts.expire(
        now, [this](PeerId peer, ConnectAttempts::Expiry end) { ends.emplace_back(peer, end); });
  }

  ConnectAttempts attempts{milliseconds(100)};
  ConnectAttempt attempt;
  std::vector<std::pair<PeerId, ConnectAttempts::Expiry>> ends;
};

TEST_F(ConnectAttemptsTest, APeerThatAcceptsNothingForTheTimeoutIsEndedOnce) {
  for (int ms = 0; ms <= 100; ++ms) try_in_vain(at(milliseconds(ms)));
  EXPECT_TRUE(ends.empty());
  try_in_vain(at(milliseconds(101)));
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], std::pair(PeerId(3), ConnectAttempts::Expiry::kTimedOut));
  EXPECT_TRUE(attempts.none());
  expire(at(seconds(5)));
  EXPECT_EQ(ends.size(), 1U);
}

TEST_F(ConnectAttemptsTest, APeerThatAcceptsInTimeWaitsNoMore) {
  try_in_vain(at(milliseconds(0)));
  attempts.end(attempt);
  expire(at(seconds(1)));
  EXPECT_TRUE(ends.empty());
  EXPECT_TRUE(attempts.may_try(attempt, at(seconds(1))));
  EXPECT_EQ(attempts.next_deadline(at(seconds(1))), kNever);
}

TEST_F(ConnectAttemptsTest, APeerIsTriedAtEachPollOfTheFirstMillisecondAndThenOncePerMillisecond) {
  for (int us = 0; us < 900; us += 10) ASSERT_TRUE(try_in_vain(at(microseconds(us)))) << us;
  int tries = 0;
  for (int us = 2000; us < 12000; us += 10) tries += try_in_vain(at(microseconds(us))) ? 1 : 0;
  EXPECT_EQ(tries, 10);
}

TEST_F(ConnectAttemptsTest, APeerThatNobodyWantsForASecondIsForgotten) {
  ConnectAttempts patient{seconds(60)};
  patient.begin(attempt, at(seconds(0)));
  const auto expire_at = [&](TimePoint now) {
    patient.expire(
        now, [this](PeerId peer, ConnectAttempts::Expiry end) { ends.emplace_back(peer, end); });
  };
  expire_at(at(seconds(0)));
  EXPECT_EQ(patient.next_deadline(at(milliseconds(1))), at(seconds(1)));
  expire_at(at(seconds(1)));
  EXPECT_TRUE(ends.empty());
  expire_at(at(seconds(1)) + Nanoseconds(1));
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].second, ConnectAttempts::Expiry::kForgotten);
}

TEST_F(ConnectAttemptsTest, TheTimeCountsFromTheFirstPollAfterTheFirstTry) {
  attempts.begin(attempt, at(seconds(-50)));  // outside of poll() the time is that of the last poll
  EXPECT_EQ(attempts.next_deadline(at(seconds(0))), at(seconds(0))) << "the poll is due at once";
  expire(at(seconds(0)));
  expire(at(milliseconds(100)));
  EXPECT_TRUE(ends.empty());
}

TEST_F(ConnectAttemptsTest, ARequestUnderWayIsNoReasonToWakeUpBeforeTheTimeout) {
  attempts.begin(attempt, at(milliseconds(0)));
  expire(at(milliseconds(0)));
  EXPECT_EQ(attempts.next_deadline(at(milliseconds(0))), at(milliseconds(0)));
  attempt.in_progress = true;
  EXPECT_EQ(attempts.next_deadline(at(milliseconds(0))), at(milliseconds(100)));
}

// Such as a missing descriptor, which is free later.
TEST_F(ConnectAttemptsTest, AnObstacleInThisProcessIsKnownAtTheTimeoutUnlessItHasGoneAway) {
  const Error obstacle(Loss::kPeer, "socket", "none is free", 24);
  attempts.begin(attempt, at(seconds(0)));
  attempts.refused(attempt, at(seconds(0)), obstacle);
  EXPECT_TRUE(attempts.may_try(attempt, at(milliseconds(1)))) << "it is tried again all the same";
  EXPECT_EQ(attempt.obstacle.code(), 24);
  expire(at(milliseconds(1)));
  expire(at(milliseconds(102)));
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(attempt.obstacle.code(), 24);
  attempts.begin(attempt, at(seconds(1)));
  EXPECT_TRUE(attempt.obstacle.ok());
  attempts.refused(attempt, at(seconds(1)), obstacle);
  attempts.refused(attempt, at(seconds(1)));
  EXPECT_TRUE(attempt.obstacle.ok()) << "the last attempt reached the peer's machine";
}

TEST_F(ConnectAttemptsTest, AFailedTryOfAPeerThatDoesNotWaitChangesNothing) {
  attempts.refused(attempt, at(seconds(1)));
  EXPECT_TRUE(attempts.none());
  attempts.end(attempt);
  EXPECT_TRUE(attempts.may_try(attempt, at(seconds(1))));
}

}  // namespace
}  // namespace lintel::transport
