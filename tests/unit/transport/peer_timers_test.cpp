// When the timers of awaited peers run out. The test acts as the session: it starts timers, and
// says what happens when one has run out. It passes the time as an argument.
#include "transport/session/peer_timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <vector>

namespace lintel::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PeerTimersTest : public ::testing::Test {
 protected:
  static constexpr Nanoseconds kPing = seconds(1);
  static constexpr Nanoseconds kHello = seconds(2);
  static constexpr Nanoseconds kContact = 8 * kHello;

  PeerTimersTest() {
    first.id = PeerId(1);
    second.id = PeerId(2);
    for (PeerSession* const peer : {&first, &second}) {
      peer->state = PeerState::kOpen;
      peer->watchers = 1;
    }
  }
  void start(PeerSession& peer) {
    timers.start(peer);
    timers.stamp(now);
  }
  // A contact of this process with the peer begins.
  void contact(PeerSession& peer) {
    peer.state = PeerState::kConnecting;
    timers.start_contact(peer);
    timers.stamp(now);
  }
  // Advances the time. Returns the ids of the peers whose timer has run out, and repeats it.
  std::vector<std::uint32_t> run_after(Nanoseconds later) {
    now = now + later;
    std::vector<std::uint32_t> due;
    timers.run(now, [&](PeerSession& peer) {
      due.push_back(peer.id.value);
      timers.repeat(peer, now);
    });
    return due;
  }

  PeerSession first;
  PeerSession second;
  PeerTimers timers{kDeadlineQuarters * kPing, kContact};
  TimePoint now{1'000'000'000};
};

TEST_F(PeerTimersTest, WithoutATimerThereIsNoDeadline) {
  EXPECT_EQ(timers.next_deadline(), kNever);
  EXPECT_FALSE(timers.is_due(now));
}

TEST_F(PeerTimersTest, ATimerRunsFromTheNextStamp) {
  timers.start(first);
  EXPECT_TRUE(timers.has_unstamped());
  EXPECT_EQ(timers.next_deadline(), kNever);
  now = now + seconds(10);
  timers.stamp(now);
  EXPECT_FALSE(timers.has_unstamped());
  EXPECT_EQ(timers.next_deadline(), now + kPing);
}

TEST_F(PeerTimersTest, ThatOfAnOpenSessionRunsOutAfterAQuarterOfTheDeadline) {
  start(first);
  EXPECT_THAT(run_after(kPing - Nanoseconds(1)), IsEmpty());
  EXPECT_THAT(run_after(Nanoseconds(1)), ElementsAre(1));
  EXPECT_THAT(run_after(kPing), ElementsAre(1)) << "it was repeated";
}

TEST_F(PeerTimersTest, ThatOfAContactRunsOutAfterAnEighthOfItsDeadline) {
  contact(first);
  EXPECT_EQ(first.connect_deadline, now + kContact);
  EXPECT_THAT(run_after(kHello), ElementsAre(1));
  EXPECT_EQ(timers.next_deadline(), now + kHello);
}

TEST_F(PeerTimersTest, ThatOfAContactIsRepeatedUpToItsDeadline) {
  contact(first);
  const TimePoint end = first.connect_deadline;
  EXPECT_THAT(run_after(kContact - milliseconds(1)), ElementsAre(1));
  EXPECT_EQ(timers.next_deadline(), end);
}

TEST_F(PeerTimersTest, EachRunsOutAtItsOwnTime) {
  start(first);
  now = now + kPing / 2;
  start(second);
  EXPECT_THAT(run_after(kPing / 2), ElementsAre(1));
  EXPECT_THAT(run_after(kPing / 2), ElementsAre(2));
}

TEST_F(PeerTimersTest, AStoppedTimerDoesNotRunOut) {
  start(first);
  start(second);
  timers.stop(first);
  EXPECT_THAT(run_after(kPing), ElementsAre(2));
}

TEST_F(PeerTimersTest, TheDeadlineOfTheLastTimerIsForgottenWithIt) {
  start(first);
  timers.stop(first);
  EXPECT_EQ(timers.next_deadline(), kNever);
  timers.forget_deadline_if_none();
  EXPECT_FALSE(timers.is_due(now + kPing));
}

TEST_F(PeerTimersTest, AnAnswerPostponesTheTimer) {
  start(first);
  first.silent_quarters = 3;
  now = now + kPing / 2;
  timers.postpone(first, now);
  EXPECT_EQ(first.silent_quarters, 0);
  EXPECT_THAT(run_after(kPing / 2), IsEmpty());
  EXPECT_EQ(timers.next_deadline(), now + kPing / 2) << "corrected by the run that came too early";
  EXPECT_THAT(run_after(kPing / 2), ElementsAre(1));
}

TEST_F(PeerTimersTest, StartingAgainCountsTheQuartersAnew) {
  start(first);
  first.silent_quarters = 3;
  timers.start(first);
  EXPECT_EQ(first.silent_quarters, 0);
}

TEST_F(PeerTimersTest, ARetryComesSoonAndEachTimeLaterUpToALimit) {
  contact(first);
  Nanoseconds last{};
  for (const int expected : {2, 4, 8, 16, 32, 64, 128, 200, 200}) {
    timers.retry_soon(first, now);
    last = timers.next_deadline() - now;
    EXPECT_EQ(last, milliseconds(expected));
    EXPECT_THAT(run_after(last), ElementsAre(1));
  }
  contact(first);
  timers.retry_soon(first, now);
  EXPECT_EQ(first.timer, now + milliseconds(2)) << "another contact begins anew";
}

TEST_F(PeerTimersTest, ATimerThatRunsOutMayBeRetriedSoon) {
  contact(first);
  now = now + kHello;
  timers.run(now, [&](PeerSession& peer) { timers.retry_soon(peer, now); });
  EXPECT_EQ(timers.next_deadline(), now + milliseconds(2));
  EXPECT_THAT(run_after(milliseconds(2)), ElementsAre(1));
}

TEST_F(PeerTimersTest, OneThatIsNotRepeatedHasEnded) {
  start(first);
  now = now + kPing;
  timers.run(now, [](PeerSession&) {});
  EXPECT_EQ(timers.next_deadline(), kNever);
}

TEST_F(PeerTimersTest, OnePeersTimerMayStopAnothersThatHasRunOutToo) {
  start(first);
  start(second);
  now = now + kPing;
  int runs = 0;
  timers.run(now, [&](PeerSession&) {
    ++runs;
    timers.stop(second);
  });
  EXPECT_EQ(runs, 1);
}

TEST_F(PeerTimersTest, WithoutMemoryTheNextRunContinuesWithThePeerAndTheOthers) {
  start(first);
  start(second);
  now = now + kPing;
  EXPECT_THROW(timers.run(now, [](PeerSession&) { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_TRUE(timers.is_due(now));
  EXPECT_THAT(run_after(Nanoseconds(0)), ElementsAre(1, 2));
}

TEST_F(PeerTimersTest, WithoutMemoryAPeerThatIsNoLongerAwaitedIsLeftOut) {
  start(first);
  start(second);
  now = now + kPing;
  EXPECT_THROW(timers.run(now,
                          [](PeerSession& peer) {
                            peer.watchers = 0;
                            throw std::bad_alloc();
                          }),
               std::bad_alloc);
  EXPECT_THAT(run_after(Nanoseconds(0)), ElementsAre(2));
}

}  // namespace
}  // namespace lintel::transport
