// Turns that end early because there is no memory: the next one goes on, and nothing is lost.

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = FrameKind;
using State = PeerState;

class SessionMemory : public SessionTest {
 protected:
  static constexpr std::uint32_t kPeers = 5;
  // Peer 0 is `peer`.
  PeerId other(std::uint32_t i) {
    return *session->resolve({kOther.nid, Pid{kOther.pid.value + i}});
  }
  void expect_no_memory(Nanoseconds later = Nanoseconds(0)) {
    EXPECT_THROW(poll(later), std::bad_alloc);
  }
  // The owner finds no memory when it is told of the next failure.
  void fail_once() {
    sink.on_failure = [this](PeerId) {
      sink.on_failure = [](PeerId) {};
      throw std::bad_alloc();
    };
  }
};

TEST_F(SessionMemory, EveryTimerThatWasDueStillRuns) {
  for (std::uint32_t i = 0; i < kPeers; ++i) send(other(i), "a");
  poll();
  take_sent_kinds();
  fail_once();
  expect_no_memory(10s);
  EXPECT_THAT(sink.failures, SizeIs(1));
  EXPECT_LE(session->next_deadline(), now) << "the rest is due";
  poll();
  EXPECT_THAT(sink.failures, SizeIs(kPeers));
  EXPECT_EQ(session->next_deadline(), kNever);
}

TEST_F(SessionMemory, PeerIsGivenUpWithoutMemoryForAGoodbye) {
  open();
  session->watch(peer, true);
  poll();
  for (int quarter = 0; quarter < 3; ++quarter) {
    poll(2500ms);
    all_left();
  }
  take_sent_kinds();
  fake->has_memory = false;
  poll(2500ms);
  EXPECT_THAT(sink.failures, SizeIs(1)) << "the goodbye needs memory, its end does not";
  EXPECT_EQ(session->counters().goodbyes_missed, 1U);
}

TEST_F(SessionMemory, EveryPeerThatWaitedToSendStillSends) {
  fake->room = false;
  for (std::uint32_t i = 0; i < kPeers; ++i) send(other(i), "a");
  fake->room = true;
  fake->has_memory = false;
  expect_no_memory(1ms);
  fake->has_memory = true;
  EXPECT_LE(session->next_deadline(), now);
  poll();
  EXPECT_THAT(take_sent_kinds(), SizeIs(kPeers));
}

TEST_F(SessionMemory, PeerThatIsLostIsReportedByTheNextTurn) {
  open();
  fake->commit_answer = PostStatus::kFailed;
  send("a");
  fake->commit_answer = PostStatus::kOk;
  send(other(1), "b");
  fake->has_memory = false;
  fail_once();
  expect_no_memory();
  fake->has_memory = true;
  poll();
  EXPECT_THAT(sink.failures, SizeIs(1));
}

TEST_F(SessionMemory, PeerWhoseMessageTheOwnerCouldNotTakeIsGivenUp) {
  open();
  sink.answer = [](PeerId, std::span<const std::byte>) { throw std::bad_alloc(); };
  arrives(of_session(Kind::kData, 1, 0, records({"a", "b"})));
  expect_no_memory();
  poll();
  ASSERT_THAT(sink.failures, SizeIs(1)) << "the second message is lost";
  EXPECT_STREQ(sink.failures[0].reason(), "this process had no memory for what the peer has sent");
}

TEST_F(SessionMemory, NetworkThatKnowsTheSourceGivesThePeerUpItself) {
  fake->attributes().knows_source = true;
  open();
  sink.answer = [](PeerId, std::span<const std::byte>) { throw std::bad_alloc(); };
  arrives(of_session(Kind::kData, 1, 0, records({"a", "b"})));
  expect_no_memory();
  poll();
  EXPECT_THAT(sink.failures, IsEmpty());
}

TEST_F(SessionMemory, MessagesToOneselfComeOnceAndAreReportedAsLeft) {
  const PeerId local = *session->resolve(kSelf);
  send(local, "a");
  send(local, "b");
  sink.answer = [this](PeerId, std::span<const std::byte>) {
    sink.answer = [](PeerId, std::span<const std::byte>) {};
    throw std::bad_alloc();
  };
  expect_no_memory();
  poll();
  EXPECT_THAT(sink.messages, ElementsAre("a", "b"));
  EXPECT_EQ(sink.left, 2U);
}

TEST_F(SessionMemory, FirstContactBeginsWhenThereIsMemory) {
  fake->has_memory = false;
  EXPECT_THROW(send("a"), std::bad_alloc);
  fake->has_memory = true;
  poll();
  poll(2s);
  EXPECT_THAT(take_sent_kinds(), ElementsAre(Kind::kHello));
  EXPECT_EQ(session->state_of(peer), State::kConnecting);
}

}  // namespace
}  // namespace lintel::transport
