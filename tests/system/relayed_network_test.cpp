// Two processes on direct whose packets pass a network that delays and reorders them, resets their
// connections, and delivers what is said on a connection after what is said on a newer one: each
// message arrives once and in order.

#include <cerrno>
#include <string>

#include "tests/system/job/exchange.h"
#include "tests/system/job/lost_connections.h"
#include "tests/system/job/packet_relay.h"
#include "tests/system/job/separate_hosts.h"

namespace lintel::testing {
namespace {

using namespace std::chrono_literals;

class RelayedNetwork : public SeparateHosts {
 protected:
  std::vector<std::string> cable(const ProcessGroup& job) override {
    std::vector<std::string> commands;
    for (const std::size_t rank : {0U, 1U})
      commands.push_back("ip link set " + device(rank) + " netns " +
                         std::to_string(job.os_pid(rank)));
    return commands;
  }
  std::string device(std::size_t rank) const override { return relay_->device(rank); }

  // All messages of both sides arrive once, in order and with the right bytes.
  void exchange_over(const RelayFaults& faults, std::size_t messages) {
    PacketRelay relay(faults);
    if (relay.error() == EPERM || relay.error() == EACCES || relay.error() == ENOENT)
      GTEST_SKIP() << relay.obstacle();
    ASSERT_EQ(relay.obstacle(), "");
    relay_ = &relay;
    constexpr std::size_t kEnded = 8;  // board word, plus the rank
    ProcessGroup job(2, counters_.counting());
    start(job, [messages](Rank& rank) {
      exchange_with_all(rank, messages);
      rank.board.set(kEnded + rank.number, 1);
    });
    if (cannot_start()) return;
    const auto limit = std::chrono::steady_clock::now() + 80s;
    const auto both_have_ended = [&job] {
      return job.board().get(kEnded) != 0 && job.board().get(kEnded + 1) != 0;
    };
    relay.run_until([&] { return both_have_ended() || std::chrono::steady_clock::now() > limit; });
    if (both_have_ended()) {
      job.join_all();
    } else {
      job.join_all(1s);  // none ends without the relay
    }
    resets = relay.resets();
    overtaken = relay.overtaken();
  }
  // The test saw what it is about. How many they are is random.
  void expect_losses() const {
    EXPECT_GT(resets, 3U);
    EXPECT_GT(counters_.resumed(), 1U);
  }

  std::size_t resets = 0;
  std::size_t overtaken = 0;

 private:
  LostConnections counters_;
  PacketRelay* relay_ = nullptr;
};

TEST_F(RelayedNetwork, PacketsThatAreDelayedAndOvertakeEachOther) {
  exchange_over({.longest_delay = {2ms, 2ms}, .reset = 0.02}, 100);
  if (cannot_start()) return;
  expect_losses();
}

TEST_F(RelayedNetwork, PacketsOfOneDirectionThatAreDelayed) {
  exchange_over({.longest_delay = {30ms, 0ms}, .reset = 0.02}, 60);
  if (cannot_start()) return;
  expect_losses();
}

TEST_F(RelayedNetwork, ConnectionsThatAreDeliveredAfterNewerOnes) {
  exchange_over({.reset = 0.02, .kept_connections = 12}, 100);
  if (cannot_start()) return;
  expect_losses();
  EXPECT_GT(overtaken, 0U);
}

}  // namespace
}  // namespace lintel::testing
