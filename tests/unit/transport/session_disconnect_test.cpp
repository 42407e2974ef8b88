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

TEST_F(SessionDisconnect,
       a_silent_peer_is_told_goodbye_and_then_disconnected_before_anybody_hears_of_it) {
  std::size_t disconnected = 0;
  sink.on_failure = [&](PeerId) { disconnected = fake->disconnected.size(); };
  give_up();
  EXPECT_EQ(disconnected, 1U);
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer));
  EXPECT_EQ(kind_of(fake->sent.back().frame), Kind::kGoodbye);
}

TEST_F(SessionDisconnect, what_a_silent_peer_had_arriving_is_taken_from_it) {
  std::vector<std::byte> room(16);
  ASSERT_TRUE(session->expect_placement(peer, PlacementKey{7}, room));
  fake->arriving = true;
  give_up();
  EXPECT_TRUE(fake->expected.empty());
}

TEST_F(SessionDisconnect, a_peer_whose_frames_were_lost_is_disconnected) {
  receive(of_session(Kind::kData, 2, 0, records({"b"})));
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer));
}

TEST_F(SessionDisconnect, a_peer_that_says_goodbye_is_disconnected) {
  receive(of_session(Kind::kGoodbye, 0, 0));
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_THAT(fake->disconnected, ElementsAre(lower_peer));
}

TEST_F(SessionDisconnect, a_connection_that_the_network_has_ended_is_not_ended_again) {
  fake->fails(lower_peer);
  poll();
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_THAT(fake->disconnected, IsEmpty()) << "it may be a new one by now";
}

TEST_F(SessionDisconnect, the_connection_on_which_a_new_session_begins_is_kept) {
  receive(hello(kOtherEpoch + 1));
  EXPECT_EQ(sink.failures.size(), 1U);
  EXPECT_THAT(fake->disconnected, IsEmpty());
}

TEST_F(SessionDisconnect, frames_that_had_not_left_are_not_waited_for) {
  send("a");
  poll();
  give_up();
  EXPECT_TRUE(session->close(now));
}

TEST_F(SessionDisconnect,
       a_peer_that_is_not_there_is_not_tried_any_more_after_the_connect_deadline) {
  const PeerId absent = *session->resolve({NodeId{1}, Pid{9}});
  const PeerId absent_below = *fake->resolve({NodeId{1}, Pid{9}});
  EXPECT_EQ(send(absent, "a"), PostStatus::kWouldBlock);
  poll();
  for (int i = 0; i < 100 && sink.failures.empty(); ++i) ASSERT_NO_FATAL_FAILURE(sleep());
  EXPECT_THAT(fake->disconnected, ElementsAre(absent_below));
}

TEST_F(SessionDisconnect, ends_an_open_session_without_a_report) {
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

TEST_F(SessionDisconnect, messages_and_writes_to_oneself_that_wait_are_dropped) {
  const PeerId local = *session->resolve(kSelf);
  std::byte from[4] = {std::byte{1}};
  std::byte to[4] = {};
  const Region region = *session->register_memory(local, to, Access::kWriteTarget);
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

TEST_F(SessionDisconnect, a_message_to_oneself_may_drop_those_behind_it) {
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
