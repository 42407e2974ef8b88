#include "portals/engine/protocol/peers.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

#include "base/log.h"
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

class PeersLog : public ::testing::Test {
 protected:
  ~PeersLog() override {
    configure_log(LogLevel::kWarn, "");
    std::remove(file_.c_str());
  }
  // Whether the loss is a warning.
  bool warns(bool ends_operations) {
    kLock.is_held();
    std::remove(file_.c_str());
    configure_log(LogLevel::kWarn, file_);
    peers.log_loss(kPeer, ends_operations);
    configure_log(LogLevel::kWarn, "");
    std::ifstream log(file_);
    std::string line;
    return static_cast<bool>(std::getline(log, line));
  }

  static constexpr transport::PeerId kPeer{3};
  RecordingTransport transport;
  Peers peers{transport};

 private:
  const std::string file_ = ::testing::TempDir() + "peers_log";
};

TEST_F(PeersLog, ALossThatEndsOperationsIsAWarningOnceUntilAMessageArrives) {
  EXPECT_FALSE(warns(false)) << "nothing is lost";
  EXPECT_TRUE(warns(true));
  EXPECT_FALSE(warns(true));
  kLock.is_held();
  peers.note_message(kPeer);
  EXPECT_TRUE(warns(true));
}

TEST_F(PeersLog, EachLossOfMessagesIsAWarning) {
  transport.lost = 2;
  EXPECT_TRUE(warns(false));
  EXPECT_TRUE(warns(false)) << "the peer was started again, and has not answered anything";
  transport.lost = 0;
  EXPECT_FALSE(warns(true)) << "it is not reached any more";
}

}  // namespace
}  // namespace lintel::portals
