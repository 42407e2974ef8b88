// When a session sends a probe, waits, gives up its peer, and says goodbye.

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = FrameKind;

class SessionLiveness : public SessionTest {
 protected:
  SessionLiveness() { open(); }
  // Advances time to the next deadline and polls.
  void sleep() {
    ASSERT_NE(session->next_deadline(), kNever);
    poll(session->next_deadline() - now);
  }
  // The peer does not answer from now on.
  void expect_lost_after(Nanoseconds time) {
    const TimePoint begin = now;
    while (sink.failures.empty()) ASSERT_NO_FATAL_FAILURE(sleep());
    EXPECT_EQ(now - begin, time);
  }
  // Another process asks for the connection of a peer that the secret has proved.
  void contest_with_secret() {
    start_with_secret();
    open();
    fake->contested(lower_peer);
    poll();
  }
  // The peer is asked since now, and does not answer.
  void expect_replaced_then_lost() {
    const TimePoint begin = now;
    while (fake->interrupted.empty()) ASSERT_NO_FATAL_FAILURE(sleep());
    EXPECT_EQ(now - begin, 5s);
    while (sink.failures.empty()) ASSERT_NO_FATAL_FAILURE(sleep());
    EXPECT_EQ(now - begin, 10s);
    EXPECT_THAT(fake->interrupted, ElementsAre(lower_peer, lower_peer))
        << "after two quarters, three";
  }
};

TEST_F(SessionLiveness, IdleUnwatchedPeerCausesNoWakeUp) {
  EXPECT_EQ(session->next_deadline(), kNever);
  send("a");
  poll();
  EXPECT_NE(session->next_deadline(), kNever);
  receive(of_session(Kind::kAck, 0, 1));
  EXPECT_EQ(session->next_deadline(), kNever);
}

TEST_F(SessionLiveness, AContestedPeerThatAnswersStays) {
  fake->contested(lower_peer);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing)) << "at once";
  receive(of_session(Kind::kAck, 0, 0));
  EXPECT_EQ(session->next_deadline(), kNever);
  EXPECT_THAT(sink.failures, IsEmpty());
  EXPECT_EQ(session->counters().contested, 1U);
}

TEST_F(SessionLiveness, AContestedPeerThatIsDeadMakesRoomAtTheDeadline) {
  fake->contested(lower_peer);
  poll();
  expect_lost_after(7500ms);  // so that the newcomer still waits
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer));
}

// Anybody can ask for a connection in its name, which proves nothing.
TEST_F(SessionLiveness, AContestedPeerOfTheJobThatIsStoppedStays) {
  contest_with_secret();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
  while (session->next_deadline() != kNever) sleep();
  EXPECT_THAT(fake->interrupted, ElementsAre(lower_peer, lower_peer))
      << "for the case that its machine is silent too";
  EXPECT_THAT(sink.failures, IsEmpty());
  EXPECT_EQ(session->state_of(peer), PeerState::kOpen);
}

// What is sent to it stays in frames until it runs again.
TEST_F(SessionLiveness, AContestedPeerOfTheJobGetsOnePingUntilItAnswers) {
  start_with_secret();
  open();
  for (int i = 0; i < 3; ++i) {
    fake->contested(lower_peer);
    poll();
    while (session->next_deadline() != kNever) sleep();
  }
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
  receive(of_session(Kind::kAck, 0, 0));
  fake->contested(lower_peer);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
}

TEST_F(SessionLiveness, ASendToAContestedPeerHasTheWholeDeadline) {
  contest_with_secret();
  sleep();
  send("a");
  poll();
  expect_lost_after(10s);
}

TEST_F(SessionLiveness, AWatcherOfAContestedPeerWaitsTheWholeDeadline) {
  contest_with_secret();
  sleep();
  session->watch(peer, true);
  poll();
  expect_lost_after(10s);
}

TEST_F(SessionLiveness, WatchersDoNotProlongAContest) {
  fake->contested(lower_peer);
  poll();
  const TimePoint begin = now;
  while (sink.failures.empty()) {
    session->watch(peer, true);
    session->watch(peer, false);
    ASSERT_NO_FATAL_FAILURE(sleep());
  }
  EXPECT_EQ(now - begin, 7500ms);
}

TEST_F(SessionLiveness, RequestsForAContestedPeerCauseOnePing) {
  for (int i = 0; i < 3; ++i) fake->contested(lower_peer);
  poll();
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
}

TEST_F(SessionLiveness, UnacknowledgedFrameIsAskedAboutAfterAQuarterOfTheDeadline) {
  send("a");
  poll();
  take_sent();
  EXPECT_EQ(session->next_deadline(), now + 2500ms);
  poll(2500ms - 1ns);
  EXPECT_THAT(take_sent_kinds(), IsEmpty());
  poll(1ns);
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
  EXPECT_EQ(session->counters().pings, 1U);
  receive(of_session(Kind::kAck, 0, 1));
  EXPECT_EQ(session->next_deadline(), kNever);
}

TEST_F(SessionLiveness, SilentPeerIsFailedAtTheDeadline) {
  send("a");
  poll();
  take_sent();
  expect_lost_after(10s);
  EXPECT_THAT(take_sent_kinds(),
              ElementsAre(Kind::kPing, Kind::kPing, Kind::kPing, Kind::kGoodbye));
  EXPECT_STREQ(sink.failures[0].reason(),
               "the peer has not answered within the dead-peer deadline");
  EXPECT_EQ(session->next_deadline(), kNever);
}

// A partition may be over, while TCP waits for its next attempt.
TEST_F(SessionLiveness, TheConnectionOfASilentPeerIsReplacedAtHalfOfTheDeadline) {
  send("a");
  poll();
  expect_replaced_then_lost();
}

TEST_F(SessionLiveness, TheConnectionOfASilentIdlePeerIsReplacedAtHalfOfTheDeadlineToo) {
  start({.max_idle_sessions = 0});
  open();
  poll();
  while (session->counters().pings == 0) ASSERT_NO_FATAL_FAILURE(sleep());
  expect_replaced_then_lost();
}

TEST_F(SessionLiveness, AnIdlePeerToWhichAnAcknowledgementIsLeavingIsAskedOnce) {
  start({.max_idle_sessions = 0});
  open();
  receive(of_session(Kind::kPing, 0, 0));
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kAck)) << "which does not leave";
  while (sink.failures.empty()) ASSERT_NO_FATAL_FAILURE(sleep());
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing, Kind::kGoodbye));
}

TEST_F(SessionLiveness, APeerThatItsTimerAsksIsNotAskedAsAnIdleOneToo) {
  start({.max_idle_sessions = 0});
  open();
  poll(4s);
  send("a");
  poll();
  take_sent();
  expect_lost_after(10s);
  EXPECT_THAT(take_sent_kinds(),
              ElementsAre(Kind::kPing, Kind::kPing, Kind::kPing, Kind::kGoodbye));
  EXPECT_THAT(fake->interrupted, ElementsAre(lower_peer, lower_peer))
      << "after two quarters, three";
}

TEST_F(SessionLiveness, ProgressMovesTheDeadline) {
  send("a");
  poll();
  poll(2s);
  send("b");
  poll();
  receive(of_session(Kind::kAck, 0, 1));
  const TimePoint begin = now;
  while (session->counters().pings == 0) ASSERT_NO_FATAL_FAILURE(sleep());
  EXPECT_EQ(now - begin, 2500ms);
}

TEST_F(SessionLiveness, ProgressThatTheOwnerHasSeenMovesTheDeadline) {
  send("a");
  poll();
  for (int i = 0; i < 8; ++i) {
    poll(2s);
    session->note_progress(peer);
  }
  EXPECT_EQ(session->counters().pings, 0U);
  expect_lost_after(10s);
}

TEST_F(SessionLiveness, FramesWithoutAcknowledgementDoNotMoveTheDeadline) {
  send("a");
  poll();
  const TimePoint due = session->next_deadline();
  poll(1s);
  receive(of_session(Kind::kData, 1, 0, records({"x"})));
  EXPECT_EQ(session->next_deadline(), due);
}

TEST_F(SessionLiveness, WatchedPeerIsAskedWheneverItWasSilentForAQuarterOfTheDeadline) {
  session->watch(peer, true);
  poll();
  for (int i = 0; i < 10; ++i) {
    poll(2500ms);
    EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
    receive(of_session(Kind::kAck, 0, 0));
  }
  EXPECT_THAT(sink.failures, IsEmpty());
  session->watch(peer, false);
  EXPECT_EQ(session->next_deadline(), kNever);
}

TEST_F(SessionLiveness, WatchedPeerThatStaysSilentIsFailedAtTheDeadlineAfterWatchingBegan) {
  poll(3600s);
  session->watch(peer, true);
  poll();
  expect_lost_after(10s);
}

TEST_F(SessionLiveness, AnythingHeardProvesAWatchedPeerAlive) {
  session->watch(peer, true);
  poll();
  for (std::uint32_t i = 1; i <= 10; ++i) {
    poll(2s);
    receive(of_session(Kind::kData, i, 0, records({"x"})));
  }
  EXPECT_EQ(session->counters().pings, 0U);
}

TEST_F(SessionLiveness, WatchesNest) {
  session->watch(peer, true);
  session->watch(peer, true);
  session->watch(peer, false);
  poll();
  EXPECT_NE(session->next_deadline(), kNever);
  session->watch(peer, false);
  EXPECT_EQ(session->next_deadline(), kNever);
}

TEST_F(SessionLiveness, WatchBeforeTheSessionOpensHoldsWhenItIsOpen) {
  start();
  session->watch(peer, true);
  poll();
  EXPECT_EQ(session->next_deadline(), kNever) << "nothing to watch yet";
  open();
  EXPECT_EQ(session->next_deadline(), now + 2500ms);
}

TEST_F(SessionLiveness, ProcessThatWasStoppedAsksItsPeersBeforeGivingThemUp) {
  send("a");
  poll();
  take_sent();
  poll(3600s);
  EXPECT_THAT(sink.failures, IsEmpty());
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kPing));
}

TEST_F(SessionLiveness, AcknowledgementThatWaitedForOurPollCounts) {
  send("a");
  poll();
  take_sent();
  arrives(of_session(Kind::kAck, 0, 1));
  poll(3600s);
  EXPECT_THAT(take_sent_kinds(), IsEmpty());
  EXPECT_THAT(sink.failures, IsEmpty());
}

TEST_F(SessionLiveness, DeadlineOfAFrameCountsFromThePollAfterItsCommit) {
  poll(3600s);
  const TimePoint last_poll = now;
  now = now + 3600s;  // nobody has polled since: for commit() it is an hour earlier
  send("a");
  EXPECT_FALSE(session->prepare_wait())
      << "somebody who knows the time has to poll before anybody sleeps";
  EXPECT_EQ(session->next_deadline(), last_poll);
  poll();
  EXPECT_EQ(session->next_deadline(), now + 2500ms);
}

TEST_F(SessionLiveness, DeadlineOfTheLowerTransportIsOurs) {
  fake->deadline = now + 5ms;
  EXPECT_EQ(session->next_deadline(), now + 5ms);
}

TEST_F(SessionLiveness, GoodbyeFailsThePeerAfterItsLastMessages) {
  arrives(of_session(Kind::kData, 1, 0, records({"last"})));
  arrives(of_session(Kind::kGoodbye, 1, 0));
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("message 0 last", "failed 0 the peer closed its endpoint"));
  EXPECT_EQ(session->state_of(peer), PeerState::kClosed);
  EXPECT_THAT(take_sent_kinds(), IsEmpty());
}

TEST_F(SessionLiveness, CloseSendsWhatIsQueuedAndSaysGoodbyeWhenItIsAcknowledged) {
  send("a");
  send("b");
  EXPECT_FALSE(session->close(now));
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kData, Kind::kData, Kind::kPing));
  EXPECT_EQ(send("c"), PostStatus::kWouldBlock);
  EXPECT_FALSE(session->close(now));
  EXPECT_THAT(take_sent_kinds(), IsEmpty()) << "asked once";
  receive(of_session(Kind::kAck, 0, 2));
  EXPECT_FALSE(session->close(now)) << "frames are still leaving";
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kGoodbye));
  all_left();
  EXPECT_TRUE(session->close(now));
  EXPECT_THAT(take_sent_kinds(), IsEmpty()) << "goodbye is said once";
}

TEST_F(SessionLiveness, CloseWaitsForTheWindow) {
  start({.window_frames = 1});
  open();
  send("a");
  send("b");
  EXPECT_FALSE(session->close(now));
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kData));
  receive(of_session(Kind::kAck, 0, 1));
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kData));
  receive(of_session(Kind::kAck, 0, 2));
  EXPECT_FALSE(session->close(now));
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kGoodbye));
}

TEST_F(SessionLiveness, GoodbyeOfThePeerEndsTheWaitForItsAcknowledgement) {
  send("a");
  EXPECT_FALSE(session->close(now));
  receive(of_session(Kind::kGoodbye, 0, 0));
  all_left();
  EXPECT_TRUE(session->close(now));
}

TEST_F(SessionLiveness, WhileClosingNoSessionOpens) {
  session->close(now);
  take_sent();
  receive(hello(kOtherEpoch + 1));
  EXPECT_THAT(take_sent_kinds(), IsEmpty());
  EXPECT_EQ(session->state_of(peer), PeerState::kClosed);
}

TEST_F(SessionLiveness, CloseWithNothingToSayIsDoneAtOnce) {
  start();
  EXPECT_TRUE(session->close(now));
}

TEST_F(SessionLiveness, LongestGapBetweenPollsIsCounted) {
  poll(5ms);
  poll(70ms);
  poll(6ms);
  EXPECT_EQ(session->counters().longest_poll_gap_ns, 70'000'000U);
}

TEST_F(SessionLiveness, TimeThatGoesBackIsTakenAsNoTime) {
  const TimePoint before = now;
  poll(1s);
  session->poll(before, sink);
  EXPECT_EQ(session->counters().longest_poll_gap_ns, 1'000'000'000U);
}

}  // namespace
}  // namespace lintel::transport
