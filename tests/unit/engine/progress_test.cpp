// A waiting caller polls for the spin time and then sleeps. Time advances only when the clock is
// read.

#include "portals/engine/progress/progress.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <numeric>
#include <vector>

namespace lintel::portals {
namespace {

using namespace std::chrono_literals;

// Never finds work. Each reading of the clock advances it by `kLook`, and the file descriptor is
// always readable.
class IdleWork final : public Work {
 public:
  static constexpr Nanoseconds kLook = 1us;

  IdleWork() : ready_(::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  TimePoint now() const override { return now_ = now_ + kLook; }
  TimePoint coarse_now() const override { return now_; }
  std::size_t poll(TimePoint, bool) override {
    ++polls_;
    return 0;
  }
  void flush() override {}
  TimePoint next_deadline() const override { return kNever; }
  bool prepare_wait() override {
    polls_before_sleep.push_back(polls_);
    polls_ = 0;
    now_ = now_ + sleep_takes;
    return true;
  }
  int wait_fd() const override { return ready_.get(); }
  bool take_wake_needed() override { return false; }
  void yield_processor() override {
    ++yields;
    now_ = now_ + yield_takes;
  }

  int polls_since_sleep() const { return polls_; }

  Nanoseconds sleep_takes{};
  Nanoseconds yield_takes{};  // in addition to the two readings of the clock
  int yields = 0;
  std::vector<int> polls_before_sleep;

 private:
  FileDescriptor ready_;
  mutable TimePoint now_{};
  int polls_ = 0;
};

class Unmet final : public Condition {
 public:
  bool holds() override { return false; }
};

class ProgressTest : public ::testing::Test {
 protected:
  // The number of polls before each sleep, for the given lengths of sleeps.
  std::vector<int> polls(Nanoseconds sleep_takes, Nanoseconds limit) {
    work_.sleep_takes = sleep_takes;
    Unmet condition;
    const MutexLock held(lock());
    EXPECT_FALSE(progress_.wait_until(condition, work_.now() + limit));
    return work_.polls_before_sleep;
  }

  // How often it yields in that many calls that find nothing.
  int yields(int calls, Nanoseconds yield_takes) {
    work_.yield_takes = yield_takes;
    work_.yields = 0;
    const MutexLock held(lock());
    for (int i = 0; i < calls; ++i) progress_.advance();
    return work_.yields;
  }

  Mutex& lock() LINTEL_RETURN_CAPABILITY(kLock) { return mutex_; }

  Mutex mutex_;
  IdleWork work_;
  Progress progress_{mutex_, work_, 20us};
};

TEST_F(ProgressTest, AfterAShortSleepACallerPollsLongerOnce) {
  const std::vector<int> before = polls(50us, 500us);
  ASSERT_GE(before.size(), 3u);
  EXPECT_GT(before[1], 2 * before[0]);
  EXPECT_EQ(before[2], before[0]) << "it was in vain";
}

TEST_F(ProgressTest, AfterALongSleepACallerPollsAsLongAsEver) {
  const std::vector<int> before = polls(500us, 1500us);
  ASSERT_GE(before.size(), 3u);
  EXPECT_EQ(before[1], before[0]);
  EXPECT_EQ(before[2], before[0]);
}

TEST_F(ProgressTest, ASingleCallerYieldsSometimes) {
  EXPECT_EQ(yields(10 * Oversubscription::kTurnsBetweenYields, 0us), 10);
}

TEST_F(ProgressTest, WhoIsToldOfACrowdYieldsEveryTimeHoweverLongThatTakes) {
  {
    const MutexLock held(lock());
    progress_.share_processors(2);
  }
  EXPECT_EQ(yields(100, 0us), 100);
  EXPECT_EQ(yields(100, 10ms), 100);
}

TEST_F(ProgressTest, ALookWhoseCallerYieldsDoesNotAndTheNextOneDoes) {
  const MutexLock held(lock());
  progress_.share_processors(2);
  progress_.advance([] {}, Yielding::kByCaller);
  EXPECT_EQ(work_.yields, 0);
  progress_.advance([] {});
  EXPECT_EQ(work_.yields, 1);
}

TEST_F(ProgressTest, InACrowdWhoLooksInVainYieldsEveryTime) {
  yields(Oversubscription::kTurnsBetweenYields, 10us);  // the first reading of the clock
  EXPECT_EQ(yields(1000, 10us), 1000);
}

TEST_F(ProgressTest, InACrowdWhoWaitsYieldsAfterEveryTurn) {
  yields(Oversubscription::kTurnsBetweenYields, 10us);
  work_.yields = 0;
  const std::vector<int> before = polls(50us, 500us);
  ASSERT_GE(before.size(), 1u);
  const int all = std::accumulate(before.begin(), before.end(), 0) + work_.polls_since_sleep();
  EXPECT_EQ(work_.yields, all - static_cast<int>(Oversubscription::kTurnsBetweenYields));
}

TEST_F(ProgressTest, ACrowdThatIsGoneIsForgotten) {
  yields(Oversubscription::kTurnsBetweenYields, 10us);
  EXPECT_EQ(yields(Oversubscription::kPromptYieldsToEnd, 0us),
            static_cast<int>(Oversubscription::kPromptYieldsToEnd));
  EXPECT_EQ(yields(10 * Oversubscription::kTurnsBetweenYields, 0us), 10);
}

TEST_F(ProgressTest, WhereAYieldTakesVeryLongItIsTriedEverMoreRarely) {
  EXPECT_EQ(yields(Oversubscription::kTurnsBetweenYields, 400us), 1);
  EXPECT_EQ(yields(2 * Oversubscription::kTurnsBetweenYields, 400us), 1);
  EXPECT_EQ(yields(4 * Oversubscription::kTurnsBetweenYields, 400us), 1);
  for (int i = 0; i < 10; ++i)
    yields((Oversubscription::kMostSkipped + 1) * Oversubscription::kTurnsBetweenYields, 400us);
  EXPECT_EQ(
      yields(10 * (Oversubscription::kMostSkipped + 1) * Oversubscription::kTurnsBetweenYields,
             400us),
      10);
}

}  // namespace
}  // namespace lintel::portals
