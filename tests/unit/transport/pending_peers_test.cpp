// The peers to which something is to be sent. The test acts as the session: it serves them.
#include "transport/session/pending_peers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <vector>

namespace lintel::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PendingPeersTest : public ::testing::Test {
 protected:
  PendingPeersTest() {
    first.id = PeerId(1);
    second.id = PeerId(2);
  }
  // Returns the ids of the peers that were served.
  std::vector<std::uint32_t> serve(bool remains = false) {
    std::vector<std::uint32_t> served;
    pending.serve([&](PeerSession& peer) {
      served.push_back(peer.id.value);
      return remains;
    });
    return served;
  }

  PeerSession first;
  PeerSession second;
  PendingPeers pending;
  TimePoint now{1'000'000'000};
};

TEST_F(PendingPeersTest, WithoutPeersNothingIsDue) {
  EXPECT_FALSE(pending.work_waits());
  EXPECT_FALSE(pending.is_due());
  EXPECT_EQ(pending.next_deadline(now), kNever);
}

TEST_F(PendingPeersTest, EachPeerIsServedOnceInTheOrderOfTheirFirstNeed) {
  pending.add(second);
  pending.add(first);
  pending.add(second);
  EXPECT_TRUE(pending.work_waits());
  EXPECT_THAT(serve(), ElementsAre(2, 1));
  EXPECT_FALSE(pending.is_due());
}

TEST_F(PendingPeersTest, WhatRemainsIsServedAgainButIsNoNewWork) {
  pending.add(first);
  serve(true);
  EXPECT_FALSE(pending.work_waits()) << "it waits for the peer or the lower transport";
  EXPECT_TRUE(pending.is_due());
  EXPECT_THAT(serve(), ElementsAre(1));
}

TEST_F(PendingPeersTest, RoomIsAwaitedForAWhileUntilTheNextTurn) {
  pending.await_room();
  EXPECT_TRUE(pending.is_due());
  EXPECT_EQ(pending.next_deadline(now), now + std::chrono::milliseconds(1));
  serve();
  EXPECT_EQ(pending.next_deadline(now), kNever);
}

TEST_F(PendingPeersTest, APeerThatIsAddedWhileItIsServedIsServedInTheNextTurn) {
  pending.add(first);
  int turns = 0;
  pending.serve([&](PeerSession& peer) {
    ++turns;
    pending.add(peer);
    return true;
  });
  EXPECT_EQ(turns, 1);
  EXPECT_TRUE(pending.work_waits());
  EXPECT_THAT(serve(), ElementsAre(1));
}

TEST_F(PendingPeersTest, APeerWhoseSessionEndsMeanwhileIsNotServed) {
  pending.add(first);
  pending.add(second);
  std::vector<std::uint32_t> served;
  pending.serve([&](PeerSession& peer) {
    served.push_back(peer.id.value);
    second.pending_hook.unlink();
    return false;
  });
  EXPECT_THAT(served, ElementsAre(1));
}

TEST_F(PendingPeersTest, WithoutMemoryTheNextTurnContinuesWithThePeerAndTheOthers) {
  pending.add(first);
  pending.add(second);
  const auto fail = [](PeerSession&) -> bool { throw std::bad_alloc(); };
  EXPECT_THROW(pending.serve(fail), std::bad_alloc);
  EXPECT_TRUE(pending.work_waits());
  EXPECT_THAT(serve(), ElementsAre(1, 2));
  EXPECT_THAT(serve(), IsEmpty());
}

}  // namespace
}  // namespace lintel::transport
