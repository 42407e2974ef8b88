// What takes minutes: 100,000 connections that are lost and resumed, and 64 processes that lose
// theirs. Nothing is lost, repeated or out of order.

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "tests/system/job/exchange.h"
#include "tests/system/job/lost_connections.h"
#include "tests/system/job/on_every_provider.h"

namespace lintel::testing {
namespace {

using namespace std::chrono_literals;

class ManyLostConnections : public ::testing::TestWithParam<const char*>,
                            protected LostConnections {};
// The name of the network says that it runs on no other one.
INSTANTIATE_TEST_SUITE_P(, ManyLostConnections, ::testing::Values("direct"), provider_name);

// By the fault, and from outside by ss -K, which ends both sockets of a connection; also in the
// first contact, while others are resumed, and at the end.
TEST_P(ManyLostConnections, AHundredThousandAreResumed) {
  constexpr std::uint64_t kResumed = 100'000;
  constexpr std::size_t kRanks = 4;
  constexpr std::size_t kEnded = 0;  // board word
  constexpr unsigned kMostRuns = 1000;
  const std::string obstacle = destroying_obstacle();
  if (!obstacle.empty()) std::cout << "by the fault alone: " << obstacle << '\n';
  for (unsigned seed = 1; resumed() < kResumed && seed <= kMostRuns; ++seed) {
    Environment environment = with_resets(0.5);
    environment["LINTEL_FAULTS"] += ",seed=" + std::to_string(seed);
    ProcessGroup job(kRanks, environment);
    job.start_all([](Rank& rank) {
      exchange_with_all(rank);
      rank.board.set(kEnded, 1);
    });
    if (obstacle.empty()) destroy_until(job, kEnded, destroying_command(job, kRanks));
    job.join_all();
    ASSERT_FALSE(HasFailure()) << "seed " << seed << ", " << resumed() << " were resumed";
  }
  EXPECT_GE(resumed(), kResumed);
  EXPECT_EQ(sum_of("messages_unacknowledged"), 0U);
}

TEST_P(ManyLostConnections, SixtyFourProcessesExchangeSmallMessages) {
  Environment environment = with_resets(0.2);
  environment["LINTEL_PEER_TIMEOUT"] = environment["LINTEL_CONNECT_TIMEOUT"] = "60s";
  ProcessGroup job(64, environment);
  job.start_all([](Rank& rank) { exchange_with_all(rank, 100, Sizes::kSmall); });
  job.join_all(300s);
  EXPECT_GT(resumed(), 500U);
  EXPECT_EQ(sum_of("messages_unacknowledged"), 0U);
}

}  // namespace
}  // namespace lintel::testing
