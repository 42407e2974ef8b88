// Which peer of an idle session is asked next. The test acts as the session: it says when a session
// opens and when a peer was heard. It passes the time as an argument.
#include "transport/session/idle_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace lintel::transport {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class IdleSessionsTest : public ::testing::Test {
 protected:
  static constexpr Nanoseconds kDeadline = seconds(4);
  static constexpr Nanoseconds kQuarter = kDeadline / kDeadlineQuarters;
  static constexpr std::size_t kMost = 2;

  // A session opens.
  PeerSession& open(std::uint8_t key = 0) {
    PeerSession& peer = *peers.emplace_back(std::make_unique<PeerSession>());
    peer.id = PeerId(static_cast<std::uint32_t>(peers.size() - 1));
    peer.handshake.key = key;
    peer.last_heard = now;
    idle.add(peer, now);
    return peer;
  }
  void open_many(std::size_t count) {
    while (count-- > 0) open();
  }
  // Advances the time. Returns the ids of the peers that are to be asked then.
  std::vector<std::uint32_t> ask_after(Nanoseconds later) {
    now = now + later;
    std::vector<std::uint32_t> asked;
    if (!idle.is_due(now)) return asked;
    for (IdleSessions::Turn turn; const PeerSession* const peer = idle.next_to_ask(turn, now);)
      asked.push_back(peer->id.value);
    return asked;
  }
  void hear(std::size_t which) { peers[which]->last_heard = now; }

  std::vector<std::unique_ptr<PeerSession>> peers;
  IdleSessions idle{kMost, kDeadline};
  TimePoint now{1'000'000'000};
};

TEST_F(IdleSessionsTest, NobodyIsAskedUpToTheLimit) {
  open_many(kMost);
  EXPECT_THAT(ask_after(10 * kDeadline), IsEmpty());
  EXPECT_EQ(idle.next_deadline(), kNever);
}

TEST_F(IdleSessionsTest, BeyondTheLimitAPeerIsAskedAfterTheDeadline) {
  open_many(kMost + 1);
  EXPECT_EQ(idle.next_deadline(), now + kDeadline);
  EXPECT_THAT(ask_after(kDeadline - Nanoseconds(1)), IsEmpty());
  EXPECT_THAT(ask_after(Nanoseconds(1)), ElementsAre(0, 1, 2));
}

TEST_F(IdleSessionsTest, TheSessionThatOpenedFirstIsAskedFirst) {
  open_many(kMost);
  now = now + seconds(1);
  open();
  EXPECT_THAT(ask_after(seconds(3)), ElementsAre(0, 1));
  EXPECT_THAT(ask_after(seconds(1)), ElementsAre(0, 1, 2));
}

TEST_F(IdleSessionsTest, SessionsOfTheJobDoNotCount) {
  open_many(kMost);
  open(kProvedBySecret);
  EXPECT_THAT(ask_after(kDeadline), IsEmpty());
}

TEST_F(IdleSessionsTest, APeerThatWasHeardLatelyIsNotAsked) {
  open_many(kMost + 1);
  now = now + kDeadline / 2;
  hear(2);
  now = now + Nanoseconds(1);
  hear(1);
  EXPECT_THAT(ask_after(kDeadline / 2 - Nanoseconds(1)), ElementsAre(0, 2));
}

TEST_F(IdleSessionsTest, APeerThatIsAwaitedIsNotAsked) {
  open_many(kMost + 1);
  peers[1]->watchers = 1;
  EXPECT_THAT(ask_after(kDeadline), ElementsAre(0, 2));
}

TEST_F(IdleSessionsTest, ASilentPeerIsAskedInEachQuarterUntilItsTimeIsOver) {
  open_many(kMost + 1);
  ask_after(kDeadline);
  for (std::uint8_t quarters = 2; quarters <= kDeadlineQuarters + 1; ++quarters) {
    hear(1);
    hear(2);
    EXPECT_THAT(ask_after(kQuarter), ElementsAre(0));
    EXPECT_EQ(peers[0]->idle_quarters, quarters);
  }
  EXPECT_GT(peers[0]->idle_quarters, kDeadlineQuarters) << "the owner gives it up";
}

TEST_F(IdleSessionsTest, APeerThatHasAnsweredIsAskedAgainMuchLater) {
  open_many(kMost + 1);
  ask_after(kDeadline);
  for (std::size_t i = 0; i < peers.size(); ++i) hear(i);
  EXPECT_THAT(ask_after(kQuarter), IsEmpty());
  EXPECT_EQ(peers[0]->idle_quarters, 0);
  EXPECT_EQ(idle.next_deadline(), now + 16 * kDeadline);
  EXPECT_THAT(ask_after(16 * kDeadline), SizeIs(3));
}

TEST_F(IdleSessionsTest, ASessionThatHasEndedMakesRoomForAnother) {
  open_many(kMost + 1);
  idle.remove(*peers[0]);
  EXPECT_THAT(ask_after(kDeadline), IsEmpty());
  open();
  EXPECT_THAT(ask_after(Nanoseconds(0)), ElementsAre(1, 2));
}

TEST_F(IdleSessionsTest, ASessionIsRemovedOnce) {
  open_many(kMost + 1);
  idle.remove(*peers[0]);
  idle.remove(*peers[0]);
  open_many(1);
  EXPECT_THAT(ask_after(kDeadline), ElementsAre(1, 2, 3));
}

TEST_F(IdleSessionsTest, APeerMayBeRemovedWhileATurnIsUnderWay) {
  open_many(kMost + 2);
  now = now + kDeadline;
  IdleSessions::Turn turn;
  EXPECT_EQ(idle.next_to_ask(turn, now), peers[0].get());
  idle.remove(*peers[0]);
  idle.remove(*peers[1]);
  EXPECT_EQ(idle.next_to_ask(turn, now), nullptr) << "no more than the limit are left";
}

TEST_F(IdleSessionsTest, ATurnHasABoundAndTheNextOneContinues) {
  open_many(100);
  EXPECT_THAT(ask_after(kDeadline), SizeIs(64));
  EXPECT_TRUE(idle.is_due(now));
  EXPECT_THAT(ask_after(Nanoseconds(0)), SizeIs(36));
}

TEST_F(IdleSessionsTest, NoMoreAreAskedThanTheNetworksQueuesHold) {
  open_many(300);
  std::size_t asked = ask_after(kDeadline).size();
  while (idle.is_due(now)) asked += ask_after(Nanoseconds(0)).size();
  EXPECT_EQ(asked, 256U);
}

}  // namespace
}  // namespace lintel::transport
