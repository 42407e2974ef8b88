#include "tests/system/job/destroyed_connections.h"

#include <sched.h>

#include <cerrno>
#include <cstring>
#include <iostream>

#include "tests/system/job/process_group.h"
#include "tests/system/job/separate_hosts.h"

namespace lintel::testing {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kUnshared = 0;  // board word: kWasUnshared, or the error of unshare
constexpr std::size_t kEnded = 1;     // board word: the last command has ended
constexpr std::size_t kOver = 2;      // board word: the namespace is no longer needed
constexpr std::size_t kTurns = 3;     // board word: so many commands have succeeded

constexpr std::uint64_t kWasUnshared = 100'000;

// At least so many in each second, on a slow machine with much else to do.
constexpr std::uint64_t kResumedEachSecond = 5;

}  // namespace

void DestroyedConnections::run_for(std::chrono::seconds duration,
                                   const std::function<std::string(unsigned turn)>& command) {
  if (const std::string obstacle = destroying_obstacle(); !obstacle.empty())
    GTEST_SKIP() << obstacle;
  for (const char* tool : {"ip", "nsenter"}) {
    if (!run(std::string("command -v ") + tool + " > /dev/null"))
      GTEST_SKIP() << "the program '" << tool << "' is not installed";
  }
  ProcessGroup job(1, counting());
  job.start(0, [&](Rank& rank) {
    const bool was_unshared = ::unshare(CLONE_NEWNET) == 0;
    rank.board.set(kUnshared, was_unshared ? kWasUnshared : static_cast<std::uint64_t>(errno));
    if (!was_unshared) return;
    EXPECT_TRUE(run("ip link set lo up"));
    const auto end = steady_clock::now() + duration;
    for (unsigned turn = 0; !HasFailure() && steady_clock::now() < end; ++turn) {
      EXPECT_TRUE(run(command(turn))) << "turn " << turn << ": " << command(turn);
      rank.board.set(kTurns, turn + 1);
    }
    rank.board.set(kEnded, 1);
    rank.board.await(kOver, 1);
  });
  job.board().await(kUnshared, 1);
  const std::uint64_t result = job.board().get(kUnshared);
  if (result == EPERM) {
    job.join_all();
    GTEST_SKIP() << "network namespaces are not permitted here: unshare says EPERM";
  }
  ASSERT_EQ(result, kWasUnshared) << "unshare: " << std::strerror(static_cast<int>(result));
  const auto begun = steady_clock::now();
  destroy_until(job, kEnded,
                "nsenter -n -t " + std::to_string(job.os_pid(0)) + " ss -tK > /dev/null 2>&1",
                duration);
  const auto destroyed_until = steady_clock::now();
  job.board().await(kEnded, 1);
  job.board().set(kOver, 1);
  job.join_all();
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(destroyed_until - begun);
  std::cout << resumed() << " connections were destroyed in " << took.count()
            << " s, and resumed; runs of programs: " << job.board().get(kTurns) << '\n';
  EXPECT_GT(resumed(), kResumedEachSecond * static_cast<std::uint64_t>(took.count()))
      << "the test saw what it is about";
  EXPECT_EQ(sum_of("messages_unacknowledged"), 0U);
}

}  // namespace lintel::testing
