// The epochs and nonces of a process' handshakes.
#include "transport/session/session_numbers.h"

#include <gtest/gtest.h>

#include <set>

namespace lintel::transport {
namespace {

constexpr std::array<std::byte, 32> kRandom{std::byte{7}};

TEST(SessionNumbersTest, EachDrawGivesAnotherEpochAndAnotherNonce) {
  SessionNumbers numbers(kRandom, 1);
  std::set<std::uint32_t> epochs;
  std::set<Nonce> nonces;
  for (int i = 0; i < 100; ++i) {
    const DrawnNumbers drawn = numbers.draw();
    epochs.insert(drawn.epoch);
    nonces.insert(drawn.nonce);
  }
  EXPECT_EQ(epochs.size(), 100U);
  EXPECT_EQ(nonces.size(), 100U);
  EXPECT_FALSE(epochs.contains(0));
}

TEST(SessionNumbersTest, TheSameRandomBitsGiveTheSameNumbers) {
  const DrawnNumbers one = SessionNumbers(kRandom, 1).draw();
  const DrawnNumbers other = SessionNumbers(kRandom, 1).draw();
  EXPECT_EQ(one.epoch, other.epoch);
  EXPECT_EQ(one.nonce, other.nonce);
}

TEST(SessionNumbersTest, AnotherIncarnationWithTheSameRandomBitsDrawsOtherNumbers) {
  EXPECT_NE(SessionNumbers(kRandom, 1).draw().nonce, SessionNumbers(kRandom, 2).draw().nonce);
}

TEST(SessionNumbersTest, OtherRandomBitsGiveOtherNumbers) {
  EXPECT_NE(SessionNumbers(kRandom, 1).draw().nonce, SessionNumbers({}, 1).draw().nonce);
}

}  // namespace
}  // namespace lintel::transport
