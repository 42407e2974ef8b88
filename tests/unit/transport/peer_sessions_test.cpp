// The records of the peers of a session: who is known, and who is forgotten. The test acts as the
// session: it says when a session begins and ends. Allocations fail at will.
#include "transport/session/peer_sessions.h"

#include <gtest/gtest.h>

#include <new>

#include "tests/failing_allocation.h"

namespace lintel::transport {
namespace {

using ::lintel::testing::allocations_until_failure;
using ::lintel::testing::kNoFailure;

class PeerSessionsTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kMostPeers = 4;
  static constexpr std::size_t kMostClosed = 2;
  // The lower transport has other ids than the session.
  static constexpr std::uint32_t kFirstLower = 10;

  static ProcessId name_of(std::uint32_t pid) { return {NodeId{1}, Pid{pid}}; }
  static PeerId lower_of(std::uint32_t pid) { return PeerId(kFirstLower + pid); }
  PeerSession& add(std::uint32_t pid) { return peers.add(name_of(pid), lower_of(pid)); }
  void begin(PeerSession& peer) {
    peers.in_use(peer);
    peer.state = PeerState::kOpen;
  }
  void end(PeerSession& peer) {
    peers.closed(peer);
    peer.state = PeerState::kClosed;
  }

  PeerSessions peers{kMostPeers, kMostClosed};
};

TEST_F(PeerSessionsTest, APeerIsFoundByItsIdItsNameAndItsIdInTheLowerTransport) {
  add(1);
  PeerSession& second = add(2);
  EXPECT_EQ(&peers.at(second.id), &second);
  EXPECT_EQ(peers.find(name_of(2)), second.id);
  EXPECT_EQ(peers.find_by_lower(lower_of(2)), &second);
  EXPECT_EQ(second.name, name_of(2));
  EXPECT_EQ(second.lower, lower_of(2));
}

TEST_F(PeerSessionsTest, ANameAndALowerIdThatNobodyHasAreNotFound) {
  add(1);
  EXPECT_EQ(peers.find(name_of(2)), kNoPeer);
  EXPECT_EQ(peers.find_by_lower(lower_of(2)), nullptr);
  EXPECT_EQ(peers.find_by_lower(PeerId(0)), nullptr);
}

TEST_F(PeerSessionsTest, ThisProcessHasNoIdInTheLowerTransport) {
  const PeerSession& self = peers.add(name_of(1), kNoPeer);
  EXPECT_EQ(peers.find(name_of(1)), self.id);
  EXPECT_EQ(self.lower, kNoPeer);
}

TEST_F(PeerSessionsTest, TheNumberOfNamesHasALimit) {
  for (std::uint32_t pid = 1; pid <= kMostPeers; ++pid) {
    EXPECT_FALSE(peers.is_full());
    add(pid);
  }
  EXPECT_TRUE(peers.is_full());
}

TEST_F(PeerSessionsTest, ThePeerWhoseSessionEndedFirstIsForgottenFirst) {
  PeerSession& first = add(1);
  PeerSession& second = add(2);
  const PeerId id = second.id;
  add(3);
  begin(first);
  end(first);
  ASSERT_EQ(peers.surplus(), 1U);
  const auto forgotten = peers.forget_oldest();
  ASSERT_TRUE(forgotten.has_value());
  EXPECT_EQ(forgotten->id, id);
  EXPECT_EQ(forgotten->lower, lower_of(2));
  EXPECT_EQ(peers.surplus(), 0U);
  EXPECT_EQ(peers.find(name_of(2)), kNoPeer);
  EXPECT_EQ(peers.find_by_lower(lower_of(2)), nullptr);
}

TEST_F(PeerSessionsTest, PeersWithASessionAreNoSurplus) {
  PeerSession& first = add(1);
  add(2);
  add(3);
  begin(first);
  EXPECT_EQ(peers.surplus(), 0U);
}

TEST_F(PeerSessionsTest, APeerThatSomethingRefersToIsNotForgottenAndAnotherIsNext) {
  PeerSession& first = add(1);
  add(2);
  add(3);
  first.watchers = 1;
  EXPECT_FALSE(peers.forget_oldest().has_value());
  EXPECT_EQ(peers.find(name_of(1)), first.id);
  EXPECT_EQ(peers.forget_oldest()->lower, lower_of(2));
}

TEST_F(PeerSessionsTest, TheSlotOfAForgottenPeerHasAClosedRecordUntilItIsGivenAgain) {
  PeerSession& first = add(1);
  first.local_epoch = 77;
  add(2);
  add(3);
  const PeerId id = peers.forget_oldest()->id;
  EXPECT_EQ(peers.size(), 3U);
  EXPECT_EQ(peers.at(id).state, PeerState::kClosed);
  EXPECT_EQ(peers.at(id).local_epoch, 0U);
  EXPECT_EQ(add(4).id, id);
  EXPECT_EQ(peers.size(), 3U);
}

TEST_F(PeerSessionsTest, WithoutMemoryForAPeerNothingChanges) {
  LINTEL_NEEDS_FAILING_ALLOCATIONS();
  int failures = 0;
  for (long which = 0; peers.find(name_of(1)) == kNoPeer; ++which) {
    allocations_until_failure = which;
    try {
      add(1);
    } catch (const std::bad_alloc&) {
      ++failures;
      EXPECT_EQ(peers.find(name_of(1)), kNoPeer);
      EXPECT_EQ(peers.find_by_lower(lower_of(1)), nullptr);
    }
    allocations_until_failure = kNoFailure;
  }
  EXPECT_GT(failures, 0);
  EXPECT_EQ(peers.find(name_of(1)), PeerId(0)) << "no id was used up";
}

TEST_F(PeerSessionsTest, WithoutMemoryNobodyIsForgotten) {
  LINTEL_NEEDS_FAILING_ALLOCATIONS();
  for (std::uint32_t pid = 1; pid <= 3; ++pid) add(pid);
  allocations_until_failure = 0;
  EXPECT_THROW(peers.forget_oldest(), std::bad_alloc);
  allocations_until_failure = kNoFailure;
  for (std::uint32_t pid = 1; pid <= 3; ++pid) EXPECT_NE(peers.find(name_of(pid)), kNoPeer);
  EXPECT_EQ(peers.surplus(), 1U);
}

}  // namespace
}  // namespace lintel::transport
