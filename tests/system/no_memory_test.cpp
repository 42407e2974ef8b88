// A process whose allocations fail while messages arrive, one after the other: it lives on, every
// operation of its peer ends, and the next ones succeed.

#include <gtest/gtest.h>

#include <vector>

#include "tests/failing_allocation.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kArmed = 0;   // board word: an allocation of rank 1 will fail
constexpr std::size_t kDone = 1;    // board word: rank 0 needs rank 1 no more
constexpr std::size_t kFailed = 2;  // board word: an allocation has failed
constexpr std::size_t kLength = std::size_t{1} << 20;
constexpr long kMostAllocations = 200;

// Answers puts and gets without a call, while its nth allocation fails.
void serve(Rank& rank, long nth) {
  const ptl_handle_ni_t ni = open_interface();
  std::vector<std::byte> memory(kLength);
  expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
  rank.board.publish(1, own_id(ni));
  allocations_until_failure = nth;
  rank.board.set(kArmed, 1);
  rank.board.await(kDone, 1);
  rank.board.set(kFailed, allocations_until_failure < 0 ? 1 : 0);
  allocations_until_failure = kNoFailure;
  PtlFini();
}

// Takes the events of an operation until its end. Returns whether it succeeded.
bool succeeds(ptl_handle_eq_t queue, ptl_event_kind_t end) {
  for (;;) {
    const ptl_event_t event = next_event(queue);
    if (event.ni_fail_type != PTL_NI_OK) return false;
    if (event.type == end) return true;
  }
}

void use(Rank& rank) {
  const ptl_handle_ni_t ni = open_interface();
  const ptl_handle_eq_t queue = make_queue(ni);
  std::vector<std::byte> large(kLength);
  std::vector<std::byte> small(100);
  const ptl_handle_md_t both[] = {bind(ni, describe(small, queue)),
                                  bind(ni, describe(large, queue))};
  rank.board.await(kArmed, 1);
  const ptl_process_id_t peer = rank.board.id(1);
  const auto all_succeed = [&] {
    bool all = true;
    for (const ptl_handle_md_t md : both) {
      // Without an ACK, which a put that its target has dropped never gets.
      LINTEL_MUST(PtlPut(md, PTL_NO_ACK_REQ, peer, kPortal, 0, 1, 0, 0));
      all = succeeds(queue, PTL_EVENT_SEND_END) && all;
      LINTEL_MUST(PtlGet(md, peer, kPortal, 0, 1, 0));
      all = succeeds(queue, PTL_EVENT_REPLY_END) && all;
    }
    return all;
  };
  // One allocation fails, so one peer at most is given up, once.
  EXPECT_TRUE(all_succeed() || all_succeed());
  rank.board.set(kDone, 1);
  PtlFini();
}

TEST(NoMemory, AnAllocationThatFailsWhileMessagesArriveEndsOnlyWhatNeedsTheMemory) {
  LINTEL_NEEDS_FAILING_ALLOCATIONS();
  long nth = 0;
  for (bool failed = true; failed && nth < kMostAllocations; ++nth) {
    ProcessGroup job(2);
    job.start(1, [nth](Rank& rank) { serve(rank, nth); });
    job.start(0, use);
    job.join_all();
    ASSERT_FALSE(HasFailure()) << "allocation " << nth;
    failed = job.board().get(kFailed) == 1;
  }
  EXPECT_GT(nth, 1) << "no allocation failed";
  EXPECT_LT(nth, kMostAllocations);
}

}  // namespace
}  // namespace lintel::testing
