// Handshakes alone. The test is the network between two processes, and the owner of both parts.
#include "transport/session/session_handshakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "tests/unit/transport/session_parts.h"
#include "transport/session/frame_codec.h"

namespace lintel::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr ProcessId kFirst{NodeId{0x7f000001}, Pid{100}};
constexpr ProcessId kSecond{NodeId{0x7f000001}, Pid{200}};

struct Process : SessionParts {
  Process(ProcessId self, std::uint64_t incarnation, std::string_view secret = "")
      : SessionParts({}, self), options(options_of(incarnation)) {
    if (secret.empty()) return;
    options.job_key->give(std::as_bytes(std::span(secret.data(), secret.size())));
  }
  static SessionOptions options_of(std::uint64_t incarnation) {
    SessionOptions options;
    options.incarnation = incarnation;
    options.job_key = std::make_shared<JobKey>();
    return options;
  }
  void receive(const Bytes& frame) {
    const PollTurn::Scope scope(tables.turn, sink);
    const auto header = decode<FrameHeader>(frame.data());
    const std::span<const std::byte> body = std::span(frame).subspan(sizeof(FrameHeader));
    switch (static_cast<FrameKind>(header.kind)) {
      case FrameKind::kHello: return handshakes.on_hello(kNoPeer, header, body);
      case FrameKind::kWelcome: return handshakes.on_welcome(kNoPeer, header, body);
      case FrameKind::kRefuse: return handshakes.on_refuse(kNoPeer, header, body);
      case FrameKind::kConfirm: return handshakes.on_confirm(kNoPeer, header, body);
      default: FAIL() << "a frame of another kind";
    }
  }
  // What is due leaves.
  void serve() {
    const PollTurn::Scope scope(tables.turn, sink);
    tables.pending.serve([this](PeerSession& peer) {
      if (peer.state != PeerState::kOpen) return handshakes.serve(peer);
      handshakes.serve_open(peer);
      return false;
    });
    tables.timers.stamp(tables.turn.now());
  }
  // Timers that have run out then.
  void advance(Nanoseconds by) {
    tables.turn.advance(tables.turn.now() + by);
    const PollTurn::Scope scope(tables.turn, sink);
    tables.timers.run(tables.turn.now(), [this](PeerSession& peer) {
      if (handshakes.on_timer(peer)) tables.timers.repeat(peer, tables.turn.now());
    });
  }

  SessionOptions options;
  SessionLiveness liveness{tables, states};
  Introductions introductions{lower.self(), options.incarnation, "fake 1.0", options.job_key,
                              SessionNumbers(options.random, options.incarnation)};
  SessionHandshakes handshakes{options, tables, frames, states, liveness, introductions};
};

// Carries what either has sent to the other, until nobody has more to say.
void exchange(Process& one, Process& other) {
  while (!one.lower.sent.empty() || !other.lower.sent.empty()) {
    for (const auto& [from, to] : {std::pair(&one, &other), std::pair(&other, &one)}) {
      while (!from->lower.sent.empty()) {
        const Bytes frame = std::move(from->lower.sent.front().frame);
        from->lower.sent.pop_front();
        to->receive(frame);
        to->serve();
      }
    }
  }
}

class SessionHandshakesTest : public ::testing::Test {
 protected:
  // The first wants to send to the second, and both have opened the session.
  void open() {
    first.handshakes.want(first.peer_of(kSecond));
    exchange(first, second);
    ASSERT_EQ(second.peer_of(kFirst).state, PeerState::kOpen);
  }

  Process first{kFirst, 11};
  Process second{kSecond, 22};
};

TEST_F(SessionHandshakesTest, AHelloAWelcomeAndAConfirmationOpenTheSessionAtBothEnds) {
  open();
  EXPECT_EQ(first.peer_of(kSecond).state, PeerState::kOpen);
  EXPECT_EQ(first.peer_of(kSecond).incarnation, 22U);
  EXPECT_EQ(second.peer_of(kFirst).incarnation, 11U);
  EXPECT_EQ(first.lower.admitted.size(), 1U);
  EXPECT_EQ(first.lower.resumption_keys, second.lower.resumption_keys);
}

TEST_F(SessionHandshakesTest, HellosOfBothAtOnceOpenOneSession) {
  first.handshakes.want(first.peer_of(kSecond));
  second.handshakes.want(second.peer_of(kFirst));
  exchange(first, second);
  EXPECT_EQ(first.peer_of(kSecond).state, PeerState::kOpen);
  EXPECT_EQ(second.peer_of(kFirst).state, PeerState::kOpen);
  EXPECT_EQ(first.peer_of(kSecond).remote_epoch, second.peer_of(kFirst).local_epoch);
  EXPECT_EQ(second.peer_of(kFirst).remote_epoch, first.peer_of(kSecond).local_epoch);
}

TEST_F(SessionHandshakesTest, AConfirmationWithAnotherProofOpensNothing) {
  first.handshakes.want(first.peer_of(kSecond));
  second.receive(first.lower.sent.front().frame);
  first.receive(second.lower.sent.back().frame);
  Bytes confirmation = first.lower.sent.back().frame;
  confirmation.back() ^= std::byte{1};
  second.receive(confirmation);
  EXPECT_EQ(second.peer_of(kFirst).state, PeerState::kWelcoming);
  EXPECT_EQ(second.tables.counters.unproved, 1U);
}

TEST_F(SessionHandshakesTest, AProcessWithoutTheSecretIsRefusedAndItsOwnerTold) {
  Process member(kSecond, 22, "of the job");
  first.handshakes.want(first.peer_of(kSecond));
  exchange(first, member);
  EXPECT_EQ(member.tables.counters.refused_secret, 1U);
  EXPECT_THAT(first.sink.take(),
              ElementsAre("failed 0 the peer has a job secret and this process has none"));
}

TEST_F(SessionHandshakesTest, ACallerThatProvesNothingEndsAtItsDeadlineUnheard) {
  first.handshakes.want(first.peer_of(kSecond));
  second.receive(first.lower.sent.front().frame);
  second.serve();
  second.advance(second.options.connect_deadline + 1s);
  EXPECT_EQ(second.peer_of(kFirst).state, PeerState::kClosed);
  EXPECT_THAT(second.sink.take(), IsEmpty());
}

TEST_F(SessionHandshakesTest, APeerThatDoesNotAnswerIsLostAtTheConnectDeadline) {
  first.handshakes.want(first.peer_of(kSecond));
  first.serve();
  first.advance(first.options.connect_deadline + 1s);
  EXPECT_THAT(first.sink.take(),
              ElementsAre("failed 0 the peer could not be reached within the connect deadline"));
}

TEST_F(SessionHandshakesTest, ARestartedPeerThatConfirmsTakesTheSessionOver) {
  Process member(kFirst, 11, "of the job");
  Process other(kSecond, 22, "of the job");
  member.handshakes.want(member.peer_of(kSecond));
  exchange(member, other);
  Process restarted(kFirst, 33, "of the job");
  restarted.handshakes.want(restarted.peer_of(kSecond));
  other.receive(restarted.lower.sent.front().frame);
  restarted.lower.sent.pop_front();
  other.serve();
  EXPECT_EQ(other.peer_of(kFirst).incarnation, 11U);  // its hello may be an old one
  EXPECT_THAT(other.sink.take(), IsEmpty());
  exchange(restarted, other);
  EXPECT_THAT(other.sink.take(), ElementsAre("failed 0 the peer was restarted"));
  EXPECT_EQ(other.peer_of(kFirst).state, PeerState::kOpen);
  EXPECT_EQ(other.peer_of(kFirst).incarnation, 33U);
}

TEST_F(SessionHandshakesTest, ARivalWithoutAProofMakesTheSessionAskItsPeer) {
  open();
  Process rival(kFirst, 33);
  rival.handshakes.want(rival.peer_of(kSecond));
  second.receive(rival.lower.sent.front().frame);
  PeerSession& peer = second.peer_of(kFirst);
  EXPECT_EQ(peer.contest, Contest::kAsked);
  EXPECT_TRUE(peer.due.ping);
  EXPECT_EQ(peer.incarnation, 11U);
  ASSERT_NE(peer.candidate, nullptr);
  second.liveness.heard_from(peer, false);
  EXPECT_EQ(peer.contest, Contest::kNone);
  EXPECT_EQ(peer.candidate, nullptr);
}

TEST_F(SessionHandshakesTest, TheRivalOfALostSessionTakesItsPlaceAndTheOwnerIsTold) {
  open();
  Process rival(kFirst, 33);
  rival.handshakes.want(rival.peer_of(kSecond));
  second.receive(rival.lower.sent.front().frame);
  rival.lower.sent.clear();
  {
    const PollTurn::Scope scope(second.tables.turn, second.sink);
    EXPECT_TRUE(second.handshakes.replace_lost(second.peer_of(kFirst),
                                               Error(Loss::kPeer, "test", "it is gone")));
  }
  EXPECT_THAT(second.sink.take(), ElementsAre("failed 0 it is gone"));
  EXPECT_EQ(second.peer_of(kFirst).state, PeerState::kWelcoming);
  EXPECT_EQ(second.peer_of(kFirst).incarnation, 33U);
  second.serve();
  exchange(second, rival);
  EXPECT_EQ(second.peer_of(kFirst).state, PeerState::kOpen);
  EXPECT_EQ(second.peer_of(kFirst).incarnation, 33U);
}

TEST_F(SessionHandshakesTest, WithoutARivalALostSessionIsLeftToTheCaller) {
  open();
  const PollTurn::Scope scope(second.tables.turn, second.sink);
  EXPECT_FALSE(second.handshakes.replace_lost(second.peer_of(kFirst),
                                              Error(Loss::kPeer, "test", "it is gone")));
  EXPECT_EQ(second.peer_of(kFirst).state, PeerState::kOpen);
  EXPECT_THAT(second.sink.take(), IsEmpty());
}

TEST_F(SessionHandshakesTest, AWantedPeerThatRefusesTheConnectionIsTriedLater) {
  PeerSession& peer = first.peer_of(kSecond);
  first.handshakes.want(peer);
  EXPECT_TRUE(first.handshakes.on_connection_lost(
      peer, Error(Loss::kPeer, "connect", "connection refused")));
  EXPECT_EQ(peer.state, PeerState::kConnecting);
  EXPECT_FALSE(peer.due.any());
  first.lower.sent.clear();
  first.advance(1s);
  EXPECT_TRUE(peer.due.hello);
}

TEST_F(SessionHandshakesTest, ACallerWhoseConnectionIsLostIsForgotten) {
  first.handshakes.want(first.peer_of(kSecond));
  second.receive(first.lower.sent.front().frame);
  PeerSession& peer = second.peer_of(kFirst);
  EXPECT_TRUE(
      second.handshakes.on_connection_lost(peer, Error(Loss::kPeer, "recv", "it has ended")));
  EXPECT_EQ(peer.state, PeerState::kClosed);
  EXPECT_THAT(second.sink.take(), IsEmpty());
}

TEST_F(SessionHandshakesTest, TheLossOfAnOpenSessionIsLeftToTheCaller) {
  open();
  EXPECT_FALSE(second.handshakes.on_connection_lost(second.peer_of(kFirst),
                                                    Error(Loss::kPeer, "recv", "it has ended")));
  EXPECT_EQ(second.peer_of(kFirst).state, PeerState::kOpen);
}

TEST_F(SessionHandshakesTest, WithoutRoomTheHandshakeRemainsDue) {
  first.lower.room = false;
  first.handshakes.want(first.peer_of(kSecond));
  EXPECT_TRUE(first.peer_of(kSecond).due.hello);
  EXPECT_TRUE(first.lower.sent.empty());
  first.lower.room = true;
  first.serve();
  exchange(first, second);
  EXPECT_EQ(first.peer_of(kSecond).state, PeerState::kOpen);
}

TEST_F(SessionHandshakesTest, AHelloThatIsNotAnsweredIsRepeated) {
  first.handshakes.want(first.peer_of(kSecond));
  first.lower.sent.clear();  // lost
  first.serve();
  first.advance(first.options.connect_deadline / 4);
  first.serve();
  exchange(first, second);
  EXPECT_EQ(first.peer_of(kSecond).state, PeerState::kOpen);
}

TEST_F(SessionHandshakesTest, AProcessThatClosesSaysNoHello) {
  first.tables.closing = true;
  first.handshakes.want(first.peer_of(kSecond));
  EXPECT_EQ(first.peer_of(kSecond).state, PeerState::kClosed);
  EXPECT_TRUE(first.lower.sent.empty());
}

TEST_F(SessionHandshakesTest, AHandshakeBeginsAgainWithTheJobsSecret) {
  PeerSession& peer = first.peer_of(kSecond);
  first.handshakes.want(peer);
  const std::uint32_t without = peer.local_epoch;
  first.handshakes.on_job_key();
  EXPECT_EQ(peer.state, PeerState::kConnecting);
  EXPECT_NE(peer.local_epoch, without);
  EXPECT_EQ(first.lower.sent.size(), 2U);
}

TEST_F(SessionHandshakesTest, TheJobsSecretEndsWhatWasOpenWithoutIt) {
  open();
  second.handshakes.on_job_key();
  EXPECT_EQ(second.peer_of(kFirst).state, PeerState::kLost);
  EXPECT_FALSE(second.peer_of(kFirst).contact.exists());
}

}  // namespace
}  // namespace lintel::transport
