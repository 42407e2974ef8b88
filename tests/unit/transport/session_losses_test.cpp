// Messages that a session had accepted, and that were not acknowledged when it ended: they are
// counted in each of the ways in which a session ends.

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Kind = FrameKind;

class SessionLosses : public SessionTest {
 protected:
  SessionLosses() {
    start({.window_frames = 2});
    open();
  }
  // Two frames of one message fill the window, and two messages wait in the open frame.
  void fill_window() {
    for (const char* message : {"a", "b", "c", "d"}) {
      ASSERT_EQ(send(message), PostStatus::kOk);
      poll();
    }
    ASSERT_EQ(fake->lent(), 1U);
  }
  void expect_lost(std::uint64_t messages) {
    EXPECT_EQ(session->lost_messages(peer), messages);
    EXPECT_EQ(session->counters().messages_unacknowledged, messages);
    EXPECT_EQ(fake->lent(), 0U);
  }
};

TEST_F(SessionLosses, AtTheDeadlineThoseInTheOpenFrameCountToo) {
  fill_window();
  while (sink.failures.empty()) {
    ASSERT_NE(session->next_deadline(), kNever);
    poll(session->next_deadline() - now);
  }
  expect_lost(4);
}

TEST_F(SessionLosses, AfterAGoodbyeOfThePeer) {
  fill_window();
  receive(of_session(Kind::kGoodbye, 0, 1));
  EXPECT_THAT(sink.failures, SizeIs(1));
  expect_lost(3);
}

TEST_F(SessionLosses, WhenTheOwnerDisconnects) {
  fill_window();
  session->disconnect(peer);
  expect_lost(4);
}

TEST_F(SessionLosses, WhenTheConnectionIsFoundLostByASend) {
  ASSERT_EQ(send("a"), PostStatus::kOk);
  fake->commit_answer = PostStatus::kFailed;
  ASSERT_EQ(send("b"), PostStatus::kOk);
  poll();
  poll();
  EXPECT_THAT(sink.failures, SizeIs(1)) << "by the turn after the one that sends";
  expect_lost(2);
}

TEST_F(SessionLosses, WhenThePeerBeginsAgainTheOwnerLearnsTheNumber) {
  fill_window();
  std::uint64_t lost = 0;
  std::string sentence;
  sink.on_failure = [&](PeerId) {
    lost = session->lost_messages(peer);
    sentence = session->describe(peer);
  };
  begin_again();
  ASSERT_THAT(sink.failures, SizeIs(1));
  EXPECT_EQ(lost, 4U);
  EXPECT_THAT(sentence, HasSubstr("is open again; the peer ended the session and began another; "
                                  "4 messages to it may not have arrived"));
  EXPECT_EQ(session->counters().messages_unacknowledged, 4U);
  EXPECT_EQ(session->state_of(peer), PeerState::kOpen);
  EXPECT_EQ(session->lost_messages(peer), 0U) << "of the new session";
}

TEST_F(SessionLosses, TheOwnerMayEndTheNewSessionWhenItLearnsTheNumber) {
  fill_window();
  sink.on_failure = [&](PeerId) {
    send("e");
    session->disconnect(peer);
  };
  begin_again();
  EXPECT_EQ(session->lost_messages(peer), 1U);
  EXPECT_EQ(session->counters().messages_unacknowledged, 5U);
}

TEST_F(SessionLosses, TheNextContactBeginsWithNone) {
  fill_window();
  session->disconnect(peer);
  expect_lost(4);
  send("e");
  EXPECT_EQ(session->lost_messages(peer), 0U);
}

TEST_F(SessionLosses, TheNextSessionBeginsWithNone) {
  fill_window();
  session->disconnect(peer);
  open();
  EXPECT_EQ(session->lost_messages(peer), 0U);
  EXPECT_EQ(session->counters().messages_unacknowledged, 4U);
  EXPECT_THAT(sink.failures, IsEmpty());
}

}  // namespace
}  // namespace lintel::transport
