// An MPI job on direct whose connections the system destroys again and again, for
// LINTEL_DESTROY_SECONDS: all messages of random traffic arrive once, in order and with the right
// bytes, which the program checks.

#include "tests/system/job/lost_connections.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/system/job/process_group.h"

namespace lintel::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kApart = 0;  // board word: kIsApart, or the error of unshare
constexpr std::size_t kEnded = 1;  // board word: the job has ended
constexpr std::size_t kOver = 2;   // board word: the namespace is no longer needed

constexpr std::uint64_t kIsApart = 100'000;

constexpr int kSeconds = LINTEL_DESTROY_SECONDS;
constexpr int kRounds = 120 * kSeconds;  // of the traffic: not many more than there is time for
// At least so many in each second, on a slow machine with much else to do.
constexpr std::uint64_t kResumedEachSecond = 5;

bool succeeds(const std::string& command) { return std::system(command.c_str()) == 0; }

// The job has a network namespace of its own, so that all connections there are its connections.
class MpiOverLostConnections : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, MpiOverLostConnections, ::testing::Values(kSeconds),
                         [](const ::testing::TestParamInfo<int>& seconds) {
                           return "direct_" + std::to_string(seconds.param) + "_seconds";
                         });

TEST_P(MpiOverLostConnections, RandomTrafficArrives) {
  const LostConnections connections;
  if (const std::string obstacle = LostConnections::destroying_obstacle(); !obstacle.empty())
    GTEST_SKIP() << obstacle;
  for (const char* tool : {"ip", "nsenter"}) {
    if (!succeeds(std::string("command -v ") + tool + " > /dev/null"))
      GTEST_SKIP() << "the program '" << tool << "' is not installed";
  }
  ProcessGroup job(1, connections.counting());
  job.start(0, [](Rank& rank) {
    const bool is_apart = ::unshare(CLONE_NEWNET) == 0;
    rank.board.set(kApart, is_apart ? kIsApart : static_cast<std::uint64_t>(errno));
    if (!is_apart) return;
    EXPECT_TRUE(succeeds("ip link set lo up"));
    EXPECT_TRUE(
        succeeds(LINTEL_RUN " -n 4 " MPI_TRAFFIC " 14 " + std::to_string(kRounds) + " 300000"));
    rank.board.set(kEnded, 1);
    rank.board.await(kOver, 1);
  });
  job.board().await(kApart, 1);
  const std::uint64_t result = job.board().get(kApart);
  if (result == EPERM) {
    job.join_all();
    GTEST_SKIP() << "network namespaces are not permitted here: unshare says EPERM";
  }
  ASSERT_EQ(result, kIsApart) << "unshare: " << std::strerror(static_cast<int>(result));
  const auto begun = std::chrono::steady_clock::now();
  LostConnections::destroy_until(
      job, kEnded, "nsenter -n -t " + std::to_string(job.os_pid(0)) + " ss -tK > /dev/null 2>&1",
      std::chrono::seconds(kSeconds));
  const auto destroyed_until = std::chrono::steady_clock::now();
  job.board().await(kEnded, 1);
  job.board().set(kOver, 1);
  job.join_all();
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(destroyed_until - begun);
  EXPECT_GT(connections.resumed(), kResumedEachSecond * static_cast<std::uint64_t>(took.count()))
      << "the test saw what it is about";
}

}  // namespace
}  // namespace lintel::testing
