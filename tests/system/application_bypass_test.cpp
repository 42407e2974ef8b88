// The target's only thread computes or sleeps and calls nothing. Its process still serves puts and
// gets.

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kPassive = 0;  // board word: the target calls nothing from now on
constexpr std::size_t kOver = 1;     // board word: it may call again
constexpr std::size_t kExposed = 2;  // board word: puts and gets may come
// Of the fastest tenth, because a loaded machine delays the others. Where a target is served when a
// timer of more than ten times as long runs out, fewer are so fast.
constexpr double kLimitUs = 500;
constexpr std::size_t kLength = 64;

class ApplicationBypass : public OnEveryProvider {
 protected:
  // The target runs `before` while it still calls Portals, and then `absent` until the board says
  // that the test is over.
  void measure(const char* what, const std::function<void(Rank&, ptl_handle_eq_t)>& before,
               const std::function<void(Rank&)>& absent);
};
LINTEL_ON_EVERY_PROVIDER(ApplicationBypass);

double quantile(double part, std::vector<double> values) {
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size()));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void compute(Rank& rank) {
  volatile double sum = 0;
  while (rank.board.get(kOver) == 0) {
    for (int i = 1; i < 1000; ++i) sum = sum + std::sqrt(static_cast<double>(i));
  }
}

void sleep_on(Rank& rank) {
  while (rank.board.get(kOver) == 0) ::usleep(20'000);
}

void ApplicationBypass::measure(const char* what,
                                const std::function<void(Rank&, ptl_handle_eq_t)>& before,
                                const std::function<void(Rank&)>& absent) {
  ProcessGroup job(2, environment());
  const bool limited = preferred() && !kSanitized;
  job.start(1, [&](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni, 16384);
    std::vector<std::byte> landing(1 << 20);
    std::vector<std::byte> offered = patterned(1 << 20, 2);
    expose(ni, 1, describe(landing, queue, kOpen));
    expose(ni, 2, describe(offered, PTL_EQ_NONE, kOpen));
    rank.board.set(kExposed, 1);
    if (before) before(rank, queue);
    rank.board.set(kPassive, 1);
    absent(rank);
    PtlFini();
  });
  job.start(0, [&](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_process_id_t target = rank.board.id(1);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> source = patterned(1 << 20, 1);
    std::vector<std::byte> fetched(1 << 20);
    const ptl_handle_md_t put_md = bind(ni, describe(source, queue));
    const ptl_handle_md_t get_md = bind(ni, describe(fetched, queue));
    const auto put = [&](std::size_t length) {
      const Clock::time_point start = Clock::now();
      LINTEL_MUST(PtlPutRegion(put_md, 0, length, PTL_ACK_REQ, target, kPortal, 0, 1, 0, 0));
      EXPECT_EQ(expect_sent_and_acked(queue).mlength, length);
      return microseconds_since(start);
    };
    const auto get = [&](std::size_t length) {
      const Clock::time_point start = Clock::now();
      LINTEL_MUST(PtlGetRegion(get_md, 0, length, target, kPortal, 0, 2, 0));
      EXPECT_EQ(expect_event(queue, PTL_EVENT_REPLY_END).mlength, length);
      return microseconds_since(start);
    };
    rank.board.await(kExposed, 1);
    put(kLength);  // connects
    rank.board.await(kPassive, 1);
    const double first = put(kLength);
    std::vector<double> puts;
    std::vector<double> gets;
    const Clock::time_point end = Clock::now() + std::chrono::seconds(2);
    while (Clock::now() < end) {
      puts.push_back(put(kLength));
      gets.push_back(get(kLength));
    }
    put(1 << 20);
    get(1 << 20);
    EXPECT_TRUE(holds_pattern(fetched, 2));
    std::printf(
        "%s, target %s: put to ack median %.1f us, get to reply median %.1f us, of %zu each; first "
        "put %.1f us\n",
        GetParam(), what, quantile(0.5, puts), quantile(0.5, gets), puts.size(), first);
    if (limited) {
      EXPECT_LT(quantile(0.1, puts), kLimitUs);
    }
    // Part of the time passes between operations, so that the target would have gone to sleep.
    ::usleep(300'000);
    put(kLength);
    rank.board.set(kOver, 1);
    PtlFini();
  });
  job.join_all();
}

TEST_P(ApplicationBypass, AComputingTargetIsServed) { measure("computing", nullptr, compute); }

TEST_P(ApplicationBypass, ASleepingTargetIsServed) { measure("sleeping", nullptr, sleep_on); }

TEST_P(ApplicationBypass, ATargetThatPolledUntilJustBeforeIsServed) {
  measure(
      "computing after polling",
      [](Rank&, ptl_handle_eq_t queue) {
        const Clock::time_point end = Clock::now() + std::chrono::milliseconds(500);
        ptl_event_t event;
        while (Clock::now() < end) PtlEQGet(queue, &event);
      },
      compute);
}

TEST_P(ApplicationBypass, ATargetThatWaitedUntilJustBeforeIsServed) {
  measure(
      "computing after waiting",
      [](Rank&, ptl_handle_eq_t queue) {
        ptl_event_t event;
        int which = 0;
        while (PtlEQPoll(&queue, 1, 500, &event, &which) == PTL_OK) {
        }
      },
      compute);
}

}  // namespace
}  // namespace lintel::testing
