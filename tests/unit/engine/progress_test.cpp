// A waiting caller polls as long as its patience lasts, then sleeps. Time stands still but for the questions after it.

#include "portals/engine/progress.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <vector>

namespace lintel::portals {
namespace {

using namespace std::chrono_literals;

// Never finds anything; each look at the clock takes `kLook`, and its file descriptor always has something.
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

  Nanoseconds sleep_takes{};
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
  // How often it polls before each sleep, by the length of its sleeps.
  std::vector<int> polls(Nanoseconds sleep_takes, Nanoseconds limit) {
    work_.sleep_takes = sleep_takes;
    Unmet condition;
    const MutexLock lock(mutex_);
    EXPECT_FALSE(progress_.wait_until(condition, work_.now() + limit));
    return work_.polls_before_sleep;
  }

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

}  // namespace
}  // namespace lintel::portals
