// Processes with nothing to do use no processor time, whether they wait for an event or call
// nothing.

#include <time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>
#include <vector>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

using Seconds = std::chrono::duration<double>;

// board words, one for each rank: it has connected to the other
constexpr std::size_t kConnected = 0;
constexpr std::size_t kReturned = 2;  // board word: PtlEQWait has returned

Seconds processor_time(pid_t process) {
  clockid_t clock{};
  timespec time{};
  EXPECT_EQ(::clock_getcpuclockid(process, &clock), 0);
  EXPECT_EQ(::clock_gettime(clock, &time), 0);
  return Seconds(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9);
}

class Idle : public OnEveryProvider {};
LINTEL_ON_EVERY_PROVIDER(Idle);

// Rank 0 is blocked in PtlEQWait, rank 1 sleeps outside of Portals.
TEST_P(Idle, ConnectedProcessesUseLessThanOnePercentOfACore) {
  ProcessGroup job(2, environment());
  job.disregard(0);
  job.disregard(1);
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    std::vector<std::byte> memory(4096);
    const ptl_handle_eq_t nothing = make_queue(ni);
    const ptl_handle_eq_t queue = make_queue(ni);
    expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    rank.barrier();
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(rank.other()), kPortal, 0, 1, 0, 0));
    expect_sent_and_acked(queue);
    rank.barrier();
    rank.board.set(kConnected + rank.number, 1);
    ptl_event_t event;
    if (rank.number == 0) PtlEQWait(nothing, &event);
    if (rank.number == 0) rank.board.set(kReturned, 1);
    while (true) ::pause();
  });
  job.board().await(kConnected, 1);
  job.board().await(kConnected + 1, 1);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const Seconds before[2] = {processor_time(job.os_pid(0)), processor_time(job.os_pid(1))};
  constexpr Seconds kTime{10};
  std::this_thread::sleep_for(kTime);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const double percent =
        100 * (processor_time(job.os_pid(rank)) - before[rank]).count() / kTime.count();
    std::printf("%s, %s: %.3f %% of a core\n", GetParam(),
                rank == 0 ? "blocked in PtlEQWait" : "calling nothing", percent);
    EXPECT_LT(percent, 1.0);
    EXPECT_EQ(::kill(job.os_pid(rank), 0), 0) << "rank " << rank << " is gone";
  }
  EXPECT_EQ(job.board().get(kReturned), 0U) << "PtlEQWait returned although nothing came";
  job.join_all();
}

}  // namespace
}  // namespace lintel::testing
