// The key that a session gives to the network below, by which that knows a peer again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/transport/two_sessions.h"

namespace lintel::transport {
namespace {

using testing::SizeIs;

// The key of the session that has begun last. Both sides have the same.
ResumptionKey common_key(const TwoSessions& two) {
  for (const std::size_t i : {0U, 1U}) {
    EXPECT_EQ(two.state(i), PeerState::kOpen);
    if (two.sides[i].fake->resumption_keys.empty()) {
      ADD_FAILURE() << "side " << i << " was given no key";
      return {};
    }
  }
  EXPECT_EQ(two.sides[0].fake->resumption_keys.back(), two.sides[1].fake->resumption_keys.back());
  return two.sides[0].fake->resumption_keys.back();
}

class SessionResumption : public testing::TestWithParam<bool> {
 protected:
  static std::string_view secret() { return GetParam() ? "the secret of a job" : ""; }
  // That of the first session, which side 0 has ended then.
  ResumptionKey key_until_a_disconnect() {
    two.send(0, "a");
    two.settle();
    const ResumptionKey key = common_key(two);
    two.sides[0].session->disconnect(two.sides[0].peer);
    return key;
  }
  TwoSessions two{secret()};
};

TEST_P(SessionResumption, BothSidesHaveTheSameKeyWhoeverCalls) {
  for (const std::size_t caller : {0U, 1U}) {
    TwoSessions fresh(secret());
    fresh.send(caller, "a");
    fresh.settle();
    EXPECT_NE(common_key(fresh), ResumptionKey{});
  }
}

TEST_P(SessionResumption, BothSidesHaveTheSameKeyWhenBothCall) {
  two.send(0, "a");
  two.send(1, "b");
  two.settle();
  EXPECT_NE(common_key(two), ResumptionKey{});
  EXPECT_THAT(two.sides[0].fake->resumption_keys, SizeIs(1));
}

TEST_P(SessionResumption, EachSessionHasAnotherKey) {
  const ResumptionKey first = key_until_a_disconnect();
  two.settle();
  two.send(1, "b");
  two.settle();
  EXPECT_NE(common_key(two), first);
  EXPECT_THAT(two.sides[1].fake->resumption_keys, SizeIs(2));
}

TEST_P(SessionResumption, ASessionThatReplacesAnotherHasAnotherKey) {
  const ResumptionKey first = key_until_a_disconnect();
  two.sides[0].fake->sent.clear();  // its goodbye is lost
  two.send(0, "b");
  two.settle();
  EXPECT_NE(common_key(two), first);
  EXPECT_THAT(two.sides[1].fake->resumption_keys, SizeIs(2));
}

INSTANTIATE_TEST_SUITE_P(Secret, SessionResumption, testing::Bool());

TEST(SessionResumptionKey, DependsOnEverythingThatTheTwoContribute) {
  const Digest key{std::byte{1}};
  const KeyShare one{{NodeId{1}, Pid{1}}, 11, {std::byte{1}}, 111};
  const KeyShare other{{NodeId{1}, Pid{2}}, 22, {std::byte{2}}, 222};
  const Digest right = resumption_key(key, one, other);
  EXPECT_EQ(resumption_key(key, other, one), right);
  EXPECT_NE(resumption_key({std::byte{2}}, one, other), right);
  for (const bool first : {true, false}) {
    for (int field = 0; field < 4; ++field) {
      KeyShare changed = first ? one : other;
      if (field == 0) changed.name.nid.value = 7;
      if (field == 1) ++changed.incarnation;
      if (field == 2) changed.nonce.back() = std::byte{9};
      if (field == 3) ++changed.epoch;
      EXPECT_NE(first ? resumption_key(key, changed, other) : resumption_key(key, one, changed),
                right)
          << "field " << field;
    }
  }
}

}  // namespace
}  // namespace lintel::transport
