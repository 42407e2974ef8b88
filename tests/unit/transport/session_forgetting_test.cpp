// Which peers a session forgets, so that one that meets many keeps the records of few.

#include "tests/unit/transport/session_fixture.h"

namespace lintel::transport {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

class SessionForgetting : public SessionTest {
 protected:
  static constexpr std::size_t kKept = 4;
  SessionForgetting() {
    SessionOptions options;
    options.max_closed_peers = kKept;
    start(options);
    open();
  }
  PeerId meet(std::uint32_t pid) {
    return session->resolve({kSelf.nid, Pid{1000 + pid}}).value();
  }
};

TEST_F(SessionForgetting, BeyondTheLimitTheOldestPeersWithoutASessionAreForgotten) {
  std::vector<PeerId> met;
  for (std::uint32_t i = 0; i < kKept + 2; ++i) met.push_back(meet(i));
  const PeerId lower = fake->resolve({kSelf.nid, Pid{1000}}).value();
  EXPECT_THAT(sink.forgotten, IsEmpty()) << "only in poll()";
  poll();
  EXPECT_THAT(sink.forgotten, ElementsAre(met[0], met[1]));
  EXPECT_THAT(fake->forgotten, Contains(lower));
  EXPECT_EQ(session->state_of(peer), PeerState::kOpen) << "the one with a session stays";
}

TEST_F(SessionForgetting, TheIdIsGivenToAnother) {
  std::vector<PeerId> met;
  for (std::uint32_t i = 0; i < kKept + 1; ++i) met.push_back(meet(i));
  poll();
  const PeerId next = meet(100);
  EXPECT_EQ(next, met[0]);
  EXPECT_EQ(session->name_of(next).pid, Pid{1100});
  EXPECT_NE(meet(0), met[0]) << "its name is new again";
}

TEST_F(SessionForgetting, ManyPeersOneAfterTheOtherNeedTheIdsOfFew) {
  PeerId highest{0};
  for (std::uint32_t i = 0; i < 2'000; ++i) {
    highest.value = std::max(highest.value, meet(i).value);
    poll();
  }
  EXPECT_LT(highest.value, 10U);
}

TEST_F(SessionForgetting, AWatchedPeerIsNotForgotten) {
  const PeerId watched = meet(0);
  session->watch(watched, true);
  for (std::uint32_t i = 1; i < 20; ++i) {
    meet(i);
    poll();
  }
  EXPECT_THAT(sink.forgotten, Not(Contains(watched)));
  session->watch(watched, false);
}

TEST_F(SessionForgetting, AFrameForTheSlotOfAForgottenPeerIsDropped) {
  const PeerId old = meet(0);
  session->reserve(old, 1);  // begins a session
  poll();
  const Bytes hello_frame = take_sent();
  session->disconnect(old);
  for (std::uint32_t i = 1; i < kKept + 1; ++i) meet(i);
  poll();
  ASSERT_THAT(sink.forgotten, ElementsAre(old));
  receive(welcome(hello_frame));
  EXPECT_EQ(session->state_of(old), PeerState::kClosed);
  EXPECT_EQ(session->counters().malformed_introduction, 1U);
}

}  // namespace
}  // namespace lintel::transport
