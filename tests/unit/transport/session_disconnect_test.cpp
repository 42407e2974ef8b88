// When a session ends the connection below, and what is freed then.

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using Kind = FrameKind;
using testing::ElementsAre;
using testing::IsEmpty;

class SessionDisconnect : public SessionTest {
 protected:
  SessionDisconnect() { open(); }
  void sleep() {
    const TimePoint next = session->next_deadline();
    ASSERT_NE(next, kNever);
    poll(next - now);
  }
  // The session asks a peer that does not answer, then gives it up.
  void give_up() {
    send("a");
    poll();
    for (int i = 0; i < 100 && sink.failures.empty(); ++i) ASSERT_NO_FATAL_FAILURE(sleep());
  }
};

TEST_F(SessionDisconnect, ASilentPeerGetsAGoodbyeAndIsDisconnectedBeforeTheLossIsReported) {
  std::size_t disconnected = 0;
  sink.on_failure = [&](PeerId) { disconnected = fake->disconnected.size(); };
  give_up();
  EXPECT_EQ(disconnected, 1U);
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer));
  EXPECT_EQ(kind_of(fake->sent.back().frame), Kind::kGoodbye);
}

TEST_F(SessionDisconnect, APlacementFromASilentPeerIsWithdrawn) {
  std::vector<std::byte> room(16);
  ASSERT_TRUE(session->expect_placement(peer, PlacementKey{7}, room));
  fake->arriving = true;
  give_up();
  EXPECT_TRUE(fake->expected.empty());
}

TEST_F(SessionDisconnect, APeerWhoseFramesWereLostIsDisconnected) {
  receive(of_session(Kind::kData, 2, 0, records({"b"})));
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer));
}

TEST_F(SessionDisconnect, APeerThatSaysGoodbyeIsDisconnected) {
  receive(of_session(Kind::kGoodbye, 0, 0));
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer));
}

TEST_F(SessionDisconnect, AConnectionThatTheNetworkHasEndedIsNotEndedAgain) {
  fake->fails(lower_peer);
  poll();
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_THAT(fake->disconnected, IsEmpty()) << "it may be a new one by now";
}

TEST_F(SessionDisconnect, TheConnectionOnWhichANewSessionBeginsIsKept) {
  begin_again();
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_THAT(fake->disconnected, IsEmpty());
}

TEST_F(SessionDisconnect, FramesThatHadNotLeftAreNotWaitedFor) {
  send("a");
  poll();
  give_up();
  EXPECT_TRUE(session->close(now));
}

TEST_F(SessionDisconnect, AnAbsentPeerIsNotTriedAnyMoreAfterTheConnectDeadline) {
  const PeerId absent = *session->resolve({NodeId{1}, Pid{9}});
  const PeerId absent_below = *fake->resolve({NodeId{1}, Pid{9}});
  EXPECT_EQ(send(absent, "a"), PostStatus::kWouldBlock);
  poll();
  for (int i = 0; i < 100 && sink.failures.empty(); ++i) ASSERT_NO_FATAL_FAILURE(sleep());
  EXPECT_THAT(fake->disconnected, ElementsAre(absent_below));
}

TEST_F(SessionDisconnect, EndsAnOpenSessionWithoutAReport) {
  send("a");
  session->disconnect(peer);
  EXPECT_EQ(kind_of(fake->sent.back().frame), Kind::kGoodbye);
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer));
  EXPECT_EQ(fake->lent(), 0U);
  sink.take();
  receive(of_session(Kind::kData, 1, 0, records({"b"})));
  EXPECT_THAT(sink.log, IsEmpty());
  EXPECT_EQ(session->state_of(peer), PeerState::kClosed);
}

TEST_F(SessionDisconnect, WaitingMessagesAndWritesToOneselfAreDropped) {
  const PeerId local = *session->resolve(kSelf);
  std::byte from[4] = {std::byte{1}};
  std::byte to[4] = {};
  const Registration region = *session->register_memory(local, to, Access::kWriteTarget);
  send(local, "a");
  session->post_write(local, {from, sizeof from, {}}, {region.key, region.base}, Immediate{3},
                      Context{4});
  session->disconnect(local);
  send(local, "b");
  poll();
  EXPECT_EQ(to[0], std::byte{0});
  EXPECT_THAT(sink.take(), ElementsAre("message 1 b", "left 1",
                                       "write_done 4 the memory of the write is not registered"));
}

TEST_F(SessionDisconnect, AMessageToOneselfMayDropThoseBehindIt) {
  const PeerId local = *session->resolve(kSelf);
  sink.answer = [&](PeerId, std::span<const std::byte>) { session->disconnect(local); };
  for (const char* text : {"a", "b", "c"}) send(local, text);
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("message 1 a"));
  sink.answer = [](PeerId, std::span<const std::byte>) {};
  send(local, "d");
  poll();
  EXPECT_THAT(sink.take(), ElementsAre("message 1 d", "left 1"));
}

}  // namespace
}  // namespace lintel::transport
