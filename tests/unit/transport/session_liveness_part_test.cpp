// Who is asked whether it lives, and who is given up. The test acts as the session.
#include "transport/session/session_liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/transport/session_parts.h"

namespace lintel::transport {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SessionLivenessPartTest : public SessionParts, public ::testing::Test {
 protected:
  SessionLivenessPartTest() : SessionParts({.max_idle_sessions = 0}) {}
  ~SessionLivenessPartTest() override {
    if (peer.state == PeerState::kOpen) states.end_session(peer);
  }

  // The timer of the peer runs out so many times. Returns whether it runs on.
  bool run_out(int times) {
    const PollTurn::Scope scope(tables.turn, sink);
    bool runs = true;
    for (int i = 0; i < times && runs; ++i) runs = liveness.on_timer(peer);
    return runs;
  }
  bool timer_runs() const { return peer.timed_hook.is_linked(); }

  SessionLiveness liveness{tables, states};
  PeerSession& peer = open_session(kOther);
};

TEST_F(SessionLivenessPartTest, TheTimerRunsWhileAWatcherWaits) {
  liveness.watch(peer, true);
  EXPECT_TRUE(timer_runs());
  liveness.watch(peer, false);
  EXPECT_FALSE(timer_runs());
}

TEST_F(SessionLivenessPartTest, AWatchedPeerIsAskedInEachQuarterAndThenGivenUp) {
  liveness.watch(peer, true);
  for (int quarter = 1; quarter < kDeadlineQuarters; ++quarter) {
    peer.due.ping = false;
    EXPECT_TRUE(run_out(1));
    EXPECT_TRUE(peer.due.ping) << quarter;
  }
  EXPECT_THAT(sink.take(), IsEmpty());
  EXPECT_FALSE(run_out(1));
  EXPECT_THAT(sink.take(),
              ElementsAre("failed 0 the peer has not answered within the dead-peer deadline"));
}

TEST_F(SessionLivenessPartTest, ASilentConnectionIsReplacedFromHalfOfTheDeadlineOn) {
  liveness.watch(peer, true);
  run_out(1);
  EXPECT_THAT(lower.interrupted, IsEmpty());
  run_out(1);
  EXPECT_THAT(lower.interrupted, ElementsAre(peer.lower));
}

TEST_F(SessionLivenessPartTest, AnAnswerBeginsTheDeadlineAgain) {
  liveness.watch(peer, true);
  run_out(kDeadlineQuarters - 1);
  liveness.heard_from(peer, false);
  EXPECT_TRUE(run_out(kDeadlineQuarters - 1));
  liveness.heard_from(peer, true);
  EXPECT_TRUE(run_out(kDeadlineQuarters - 1));
}

TEST_F(SessionLivenessPartTest, AFrameThatAcknowledgesNothingNewIsNoAnswerWhileOneIsDue) {
  peer.window.add(1);
  tables.timers.start(peer);
  run_out(kDeadlineQuarters - 1);
  liveness.heard_from(peer, false);
  EXPECT_TRUE(timer_runs());
  EXPECT_FALSE(run_out(1));
}

TEST_F(SessionLivenessPartTest, APeerWhosePlaceIsAskedForIsAskedAtOnce) {
  liveness.contest(peer);
  EXPECT_TRUE(peer.due.ping);
  EXPECT_TRUE(timer_runs());
  EXPECT_EQ(peer.silent_quarters, 1);
  EXPECT_EQ(tables.counters.contested, 1U);
  liveness.heard_from(peer, false);
  EXPECT_EQ(peer.contest, Contest::kNone);
  EXPECT_FALSE(timer_runs());
}

TEST_F(SessionLivenessPartTest, ASilentPeerThatTheSecretHasProvedKeepsItsContestedSession) {
  peer.handshake.key = kProvedBySecret;
  liveness.contest(peer);
  peer.due.ping = false;  // it has left, and is enough
  EXPECT_FALSE(run_out(kDeadlineQuarters));
  EXPECT_EQ(peer.state, PeerState::kOpen);
  EXPECT_EQ(peer.contest, Contest::kUnanswered);
  liveness.contest(peer);
  EXPECT_FALSE(peer.due.ping);
  EXPECT_THAT(sink.take(), IsEmpty());
}

TEST_F(SessionLivenessPartTest, ASilentPeerWithoutASecretLosesItsContestedSession) {
  liveness.contest(peer);
  EXPECT_FALSE(run_out(kDeadlineQuarters - 1));
  EXPECT_THAT(sink.take(),
              ElementsAre("failed 0 the peer has not answered within the dead-peer deadline"));
}

TEST_F(SessionLivenessPartTest, BeyondTheMostIdleSessionsASilentPeerIsAskedAndGivenUp) {
  const PollTurn::Scope scope(tables.turn, sink);
  for (int look = 0; look < 100 && peer.state == PeerState::kOpen; ++look) {
    tables.turn.advance(tables.idle.next_deadline());
    liveness.ask_idle_peers();
    if (peer.state == PeerState::kOpen) {
      EXPECT_TRUE(peer.due.ping);
    }
  }
  EXPECT_THAT(sink.take(),
              ElementsAre("failed 0 the idle peer has not answered within the dead-peer deadline"));
  EXPECT_THAT(lower.interrupted, Contains(peer.lower));
}

}  // namespace
}  // namespace lintel::transport
