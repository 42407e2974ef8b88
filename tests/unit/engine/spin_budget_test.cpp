// How long a waiting thread polls before it sleeps, depending on how its earlier sleeps ended.

#include "portals/engine/progress/spin_budget.h"

#include <gtest/gtest.h>

#include <vector>

namespace lintel::portals {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kSpin = 100us;

TEST(SpinBudget, IsTheGivenOneUntilItFails) {
  SpinBudget budget(kSpin);
  EXPECT_EQ(budget.duration(), kSpin);
  budget.poll_succeeded(90us);
  EXPECT_EQ(budget.duration(), kSpin);
}

TEST(SpinBudget, AfterAShortSleepLastsAsLongAsThatWouldHaveTaken) {
  SpinBudget budget(kSpin);
  budget.slept(300us);
  EXPECT_EQ(budget.duration(), 400us);
  budget.poll_succeeded(350us);
  EXPECT_EQ(budget.duration(), 400us) << "it pays";
}

TEST(SpinBudget, IsNeverMoreThanTenTimesTheGivenOne) {
  SpinBudget budget(kSpin);
  budget.slept(1000us);
  EXPECT_EQ(budget.duration(), 1000us);
}

TEST(SpinBudget, AfterALongSleepIsTheGivenOne) {
  SpinBudget budget(kSpin);
  budget.slept(1001us);
  EXPECT_EQ(budget.duration(), kSpin);
  budget.slept(300us);
  budget.slept(1s);
  EXPECT_EQ(budget.duration(), kSpin);
}

// As when more threads poll than there are processors.
TEST(SpinBudget, ThatIsInVainIsTriedEverMoreRarely) {
  SpinBudget budget(kSpin);
  std::vector<int> attempts;
  for (int sleep = 0; sleep < 300; ++sleep) {
    if (budget.duration() > kSpin) attempts.push_back(sleep);
    budget.slept(50us);
  }
  EXPECT_EQ(attempts, (std::vector<int>{1, 3, 7, 15, 31, 63, 127, 191, 255}));
}

TEST(SpinBudget, ThatPaysOnceIsTriedAtOnceAgain) {
  SpinBudget budget(kSpin);
  for (int sleep = 0; sleep < 16; ++sleep) budget.slept(50us);
  ASSERT_EQ(budget.duration(), kSpin);
  while (budget.duration() == kSpin) budget.slept(50us);
  budget.poll_succeeded(120us);
  budget.slept(50us);
  EXPECT_EQ(budget.duration(), kSpin) << "this one was in vain";
  budget.slept(50us);
  EXPECT_EQ(budget.duration(), 150us);
}

TEST(SpinBudget, OfNothingStaysNothing) {
  SpinBudget budget(0us);
  budget.slept(0us);
  budget.slept(50us);
  EXPECT_EQ(budget.duration(), 0us);
}

}  // namespace
}  // namespace lintel::portals
