// The states of peers, and what goes with them. The test acts as the session.
#include "transport/session/session_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/transport/session_parts.h"
#include "transport/session/frame_codec.h"

namespace lintel::transport {
namespace {

using ::testing::ElementsAre;

class SessionStatesTest : public SessionParts, public ::testing::Test {
 protected:
  SessionStatesTest() : SessionParts({.max_peers = 2}) {}

  // A peer with an open session, in which one message was sent and another waits in a frame.
  PeerSession& open_peer() {
    PeerSession& peer = open_session(kOther);
    peer.local_epoch = 7;
    peer.window.add(1);
    peer.frame.begin(lower.reserve(peer.lower, 256));
    peer.frame.close_record(8);
    tables.timers.start(peer);
    return peer;
  }
  FrameKind last_kind() const {
    return static_cast<FrameKind>(decode<FrameHeader>(lower.sent.back().frame.data()).kind);
  }
};

TEST_F(SessionStatesTest, APeerIsAddedAtItsFirstUse) {
  const Result<PeerId> first = states.peer_named(kOther);
  ASSERT_TRUE(first);
  EXPECT_EQ(*states.peer_named(kOther), *first);
  EXPECT_EQ(tables.peers.size(), 1U);
}

TEST_F(SessionStatesTest, BeyondTheMostPeersANameIsRefused) {
  ASSERT_TRUE(states.peer_named(kOther));
  ASSERT_TRUE(states.peer_named({NodeId{0x7f000001}, Pid{201}}));
  const Result<PeerId> third = states.peer_named({NodeId{0x7f000001}, Pid{202}});
  ASSERT_FALSE(third);
  EXPECT_STREQ(third.error().reason(), SessionStates::kTooManyPeers.reason());
}

TEST_F(SessionStatesTest, APeerWithoutASessionMayBeForgotten) {
  PeerSession& peer = open_peer();
  EXPECT_FALSE(peer.can_be_forgotten());
  states.end_session(peer);
  EXPECT_EQ(peer.state, PeerState::kClosed);
  EXPECT_EQ(peer.local_epoch, 0U);
  EXPECT_TRUE(peer.can_be_forgotten());
}

TEST_F(SessionStatesTest, WhatWasAcceptedAndNotAcknowledgedIsCountedAsLost) {
  PeerSession& peer = open_peer();
  states.end_session(peer);
  EXPECT_EQ(peer.lost_messages, 2U);
  EXPECT_EQ(tables.counters.messages_unacknowledged, 2U);
  EXPECT_EQ(lower.lent(), 0U);
}

TEST_F(SessionStatesTest, TheEndOfTheConnectionLeavesTheSession) {
  PeerSession& peer = open_peer();
  states.end_connection(peer);
  EXPECT_THAT(lower.disconnected, ElementsAre(peer.lower));
  EXPECT_EQ(peer.state, PeerState::kOpen);
  EXPECT_FALSE(peer.frame.is_open());
  states.end_session(peer);
}

TEST_F(SessionStatesTest, AGivenUpPeerGetsAGoodbyeAndTheOwnerIsTold) {
  PeerSession& peer = open_peer();
  const PollTurn::Scope scope(tables.turn, sink);
  states.give_up(peer, Error(Loss::kPeer, "test", "it is silent"));
  ASSERT_FALSE(lower.sent.empty());
  EXPECT_EQ(last_kind(), FrameKind::kGoodbye);
  EXPECT_THAT(lower.disconnected, ElementsAre(peer.lower));
  EXPECT_THAT(sink.take(), ElementsAre("failed 0 it is silent"));
  EXPECT_EQ(peer.state, PeerState::kClosed);
}

TEST_F(SessionStatesTest, ALossOutsidePollIsPendingUntilTheOwnerIsTold) {
  PeerSession& peer = open_peer();
  states.lose_outside_poll(peer, Error(Loss::kPeer, "test", "it is gone"));
  EXPECT_EQ(peer.state, PeerState::kLost);
  EXPECT_TRUE(tables.pending.work_waits());
  EXPECT_TRUE(lower.sent.empty());  // no goodbye
  EXPECT_THAT(lower.disconnected, ElementsAre(peer.lower));
  const PollTurn::Scope scope(tables.turn, sink);
  tables.pending.serve([this](PeerSession& pending) {
    states.fail(pending, pending.error);
    return false;
  });
  EXPECT_THAT(sink.take(), ElementsAre("failed 0 it is gone"));
}

TEST_F(SessionStatesTest, AControlFrameTakesTheAcknowledgementAlong) {
  PeerSession& peer = open_peer();
  peer.due.ack = true;
  EXPECT_TRUE(states.send_control(peer, FrameKind::kPing));
  EXPECT_EQ(last_kind(), FrameKind::kPing);
  EXPECT_FALSE(peer.due.ack);
  EXPECT_EQ(peer.state, PeerState::kOpen);
  states.end_session(peer);
}

TEST_F(SessionStatesTest, AControlFrameOnALostConnectionEndsTheSession) {
  PeerSession& peer = open_peer();
  lower.commit_answer = PostStatus::kFailed;
  EXPECT_FALSE(states.send_control(peer, FrameKind::kPing));
  EXPECT_EQ(peer.state, PeerState::kLost);
}

TEST_F(SessionStatesTest, AGoodbyeWithoutMemoryIsCounted) {
  PeerSession& peer = open_peer();
  lower.has_memory = false;
  states.try_goodbye(peer);
  EXPECT_EQ(tables.counters.goodbyes_missed, 1U);
  states.end_session(peer);
}

}  // namespace
}  // namespace lintel::transport
