#include "portals/engine/protocol/peers.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/unit/engine/recording_transport.h"

namespace lintel::portals {
namespace {

constexpr ProcessId kProcess{NodeId(1), Pid(3)};

TEST(PeersTest, ANameThatIsAskedForAgainIsNotLookedUp) {
  kLock.is_held();
  RecordingTransport transport;
  Peers peers(transport);
  EXPECT_EQ(*peers.resolve(kProcess), transport::PeerId(3));
  EXPECT_EQ(*peers.resolve(kProcess), transport::PeerId(3));
  EXPECT_EQ(transport.resolved, 1U);
  EXPECT_EQ(*peers.resolve({NodeId(1), Pid(4)}), transport::PeerId(4));
  EXPECT_EQ(transport.resolved, 2U);
}

TEST(PeersTest, AWaiterLearnsOfTheLossOfItsPeer) {
  kLock.is_held();
  RecordingTransport transport;
  Peers peers(transport);
  Peers::Waiter waiter;
  ASSERT_EQ(peers.add_waiter(waiter, kProcess), Status::kOk);
  EXPECT_EQ(transport.watched, 1);
  peers.notify_waiters(transport::PeerId(4));
  EXPECT_FALSE(waiter.peer_lost);
  peers.notify_waiters(transport::PeerId(3));
  EXPECT_TRUE(waiter.peer_lost);
  peers.remove_waiter(waiter);
  EXPECT_EQ(transport.watched, 0);
}

TEST(PeersTest, AWaiterLearnsOfTheEndOfTheEndpoint) {
  kLock.is_held();
  RecordingTransport transport;
  std::optional<Peers> peers;
  peers.emplace(transport);
  Peers::Waiter waiter;
  ASSERT_EQ(peers->add_waiter(waiter, kProcess), Status::kOk);
  peers.reset();
  EXPECT_TRUE(waiter.endpoint_gone);
  EXPECT_FALSE(waiter.is_linked());
}

}  // namespace
}  // namespace lintel::portals
