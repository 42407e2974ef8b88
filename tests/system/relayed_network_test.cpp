// Two processes on direct whose packets pass a network that delays and reorders them, resets their
// connections, forgets them, and delivers what is said on a connection after what is said on a
// newer one: each message arrives once and in order.

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <string>
#include <vector>

#include "tests/system/job/exchange.h"
#include "tests/system/job/lost_connections.h"
#include "tests/system/job/packet_relay.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"
#include "tests/system/job/separate_hosts.h"

namespace lintel::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kIdle = 4;       // board word, plus the rank: nothing is under way
constexpr std::size_t kForgotten = 6;  // board word: the connection is
using Senders = std::array<bool, 2>;   // by rank

// Both put once. When the connection is forgotten, the senders put again; the other rank sleeps in
// PtlEQWait.
void send_before_and_after(Rank& rank, Senders senders) {
  const ptl_handle_ni_t ni = open_interface(rank);
  const ptl_handle_eq_t sent = make_queue(ni), arrivals = make_queue(ni);
  std::vector<std::byte> memory(4096), source = patterned(memory.size(), rank.number);
  expose(ni, 1, describe(memory, arrivals, kOpen));
  const ptl_handle_md_t md = bind(ni, describe(source, sent));
  const auto put = [&](std::uint64_t number) {
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(rank.other()), kPortal, 0, 1, 0, number));
    expect_sent_and_acked(sent);
  };
  const auto expect_put = [&](std::uint64_t number) {
    ptl_event_t event;
    LINTEL_MUST(PtlEQWait(arrivals, &event));
    EXPECT_EQ(event.type, PTL_EVENT_PUT_END);
    EXPECT_EQ(event.hdr_data, number);
    EXPECT_TRUE(holds_pattern(memory, rank.other()));
    std::fill(memory.begin(), memory.end(), std::byte{});
  };
  rank.barrier();
  if (rank.number == 0) put(1);
  expect_put(1);
  if (rank.number == 1) put(1);
  rank.board.set(kIdle + rank.number, 1);
  rank.board.await(kForgotten, 1);
  if (senders[rank.number]) put(2);
  if (senders[rank.other()]) expect_put(2);
  rank.barrier();
  PtlFini();
}

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

  // Runs `body` in two ranks. `meanwhile` is called again and again until both have ended.
  void run_over(
      const RelayFaults& faults, const Environment& environment, const ProcessGroup::Body& body,
      const std::function<void(PacketRelay&, Board&)>& meanwhile = [](PacketRelay&, Board&) {}) {
    PacketRelay relay(faults);
    if (relay.error() == EPERM || relay.error() == EACCES || relay.error() == ENOENT)
      GTEST_SKIP() << relay.obstacle();
    ASSERT_EQ(relay.obstacle(), "");
    relay_ = &relay;
    constexpr std::size_t kEnded = 8;  // board word, plus the rank
    ProcessGroup job(2, environment);
    start(job, [body](Rank& rank) {
      body(rank);
      rank.board.set(kEnded + rank.number, 1);
    });
    if (cannot_start()) return;
    const auto limit = std::chrono::steady_clock::now() + 80s;
    const auto both_have_ended = [&job] {
      return job.board().get(kEnded) != 0 && job.board().get(kEnded + 1) != 0;
    };
    relay.run_until([&] {
      meanwhile(relay, job.board());
      return both_have_ended() || std::chrono::steady_clock::now() > limit;
    });
    if (both_have_ended()) {
      job.join_all();
    } else {
      job.join_all(1s);  // none ends without the relay
    }
    resets = relay.resets();
    overtaken = relay.overtaken();
    swallowed = relay.swallowed();
  }
  // All messages of both sides arrive once, in order and with the right bytes.
  void exchange_over(const RelayFaults& faults, std::size_t messages) {
    run_over(faults, counters_.counting(),
             [messages](Rank& rank) { exchange_with_all(rank, messages); });
  }
  // The connection that rank 0 has made is forgotten while nothing is under way on it.
  void send_over_a_forgotten_connection(Senders senders) {
    Environment environment = counters_.counting();
    environment["LINTEL_PEER_TIMEOUT"] = "3s";  // the connection is replaced after a half of it
    run_over(
        {}, environment, [senders](Rank& rank) { send_before_and_after(rank, senders); },
        [](PacketRelay& relay, Board& board) {
          if (board.get(kIdle) == 0 || board.get(kIdle + 1) == 0 || board.get(kForgotten) != 0)
            return;
          relay.forget_connections();
          board.set(kForgotten, 1);
        });
    if (cannot_start()) return;
    EXPECT_GT(swallowed, 0U) << "the test saw what it is about";
    EXPECT_GT(counters_.resumed(), 0U) << "the test saw what it is about";
    EXPECT_EQ(counters_.sum_of("messages_unacknowledged"), 0U);
  }
  // The test saw what it is about. How many they are is random.
  void expect_losses() const {
    EXPECT_GT(resets, 3U);
    EXPECT_GT(counters_.resumed(), 1U);
  }

  std::size_t resets = 0;
  std::size_t overtaken = 0;
  std::size_t swallowed = 0;

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

// As a firewall does that has dropped its state: nobody is told, and TCP notices nothing for long.
TEST_F(RelayedNetwork, AConnectionThatTheNetworkHasForgottenIsReplacedWhenItsMakerSends) {
  send_over_a_forgotten_connection({true, false});
}

TEST_F(RelayedNetwork, AConnectionThatTheNetworkHasForgottenIsReplacedWhenTheOtherSideSends) {
  send_over_a_forgotten_connection({false, true});
}

TEST_F(RelayedNetwork, AConnectionThatTheNetworkHasForgottenIsReplacedWhenBothSend) {
  send_over_a_forgotten_connection({true, true});
}

}  // namespace
}  // namespace lintel::testing
