// How long a waiting thread polls before it sleeps, depending on how its earlier sleeps ended.

#include "portals/engine/progress/patience.h"

#include <gtest/gtest.h>

#include <vector>

namespace lintel::portals {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kSpin = 100us;

TEST(Patience, IsTheGivenOneUntilItFails) {
  Patience patience(kSpin);
  EXPECT_EQ(patience.length(), kSpin);
  patience.rewarded(90us);
  EXPECT_EQ(patience.length(), kSpin);
}

TEST(Patience, AfterAShortSleepLastsAsLongAsThatWouldHaveTaken) {
  Patience patience(kSpin);
  patience.slept(300us);
  EXPECT_EQ(patience.length(), 400us);
  patience.rewarded(350us);
  EXPECT_EQ(patience.length(), 400us) << "it pays";
}

TEST(Patience, IsNeverMoreThanTenTimesTheGivenOne) {
  Patience patience(kSpin);
  patience.slept(1000us);
  EXPECT_EQ(patience.length(), 1000us);
}

TEST(Patience, AfterALongSleepIsTheGivenOne) {
  Patience patience(kSpin);
  patience.slept(1001us);
  EXPECT_EQ(patience.length(), kSpin);
  patience.slept(300us);
  patience.slept(1s);
  EXPECT_EQ(patience.length(), kSpin);
}

// As when more threads poll than there are processors.
TEST(Patience, ThatIsInVainIsTriedEverMoreRarely) {
  Patience patience(kSpin);
  std::vector<int> attempts;
  for (int sleep = 0; sleep < 300; ++sleep) {
    if (patience.length() > kSpin) attempts.push_back(sleep);
    patience.slept(50us);
  }
  EXPECT_EQ(attempts, (std::vector<int>{1, 3, 7, 15, 31, 63, 127, 191, 255}));
}

TEST(Patience, ThatPaysOnceIsTriedAtOnceAgain) {
  Patience patience(kSpin);
  for (int sleep = 0; sleep < 16; ++sleep) patience.slept(50us);
  ASSERT_EQ(patience.length(), kSpin);
  while (patience.length() == kSpin) patience.slept(50us);
  patience.rewarded(120us);
  patience.slept(50us);
  EXPECT_EQ(patience.length(), kSpin) << "this one was in vain";
  patience.slept(50us);
  EXPECT_EQ(patience.length(), 150us);
}

TEST(Patience, OfNothingStaysNothing) {
  Patience patience(0us);
  patience.slept(0us);
  patience.slept(50us);
  EXPECT_EQ(patience.length(), 0us);
}

}  // namespace
}  // namespace lintel::portals
