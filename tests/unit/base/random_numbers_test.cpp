#include "base/random_numbers.h"

#include <gtest/gtest.h>

#include <set>

namespace lintel {
namespace {

TEST(RandomNumbersTest, NoNumberComesAgain) {
  RandomNumbers one;
  RandomNumbers other;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert({one.next(), other.next()});
  EXPECT_EQ(seen.size(), 200U);
  EXPECT_FALSE(seen.contains(0)) << "a number that was given out is not given again";
}

TEST(RandomNumbersTest, NumbersOfOneSeedAreRepeated) {
  RandomNumbers one(7);
  RandomNumbers again(7);
  RandomNumbers other(8);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t number = one.next();
    EXPECT_EQ(again.next(), number);
    seen.insert({number, other.next()});
  }
  EXPECT_EQ(seen.size(), 200U);
}

}  // namespace
}  // namespace lintel
