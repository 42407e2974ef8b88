// fork() before and after a process has opened its interface.

#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

class Fork : public OnEveryProvider {};
LINTEL_ON_EVERY_PROVIDER(Fork);

// Sends one put that the parent takes.
void put_to(ptl_process_id_t parent, std::uint64_t value) {
  const ptl_handle_ni_t ni = open_interface();
  const ptl_handle_eq_t queue = make_queue(ni);
  std::vector<std::byte> source = patterned(80'000, value);
  const ptl_handle_md_t md = bind(ni, describe(source, queue));
  LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, parent, kPortal, 0, 1, 0, value));
  expect_sent_and_acked(queue);
  PtlFini();
}

void expect_exit(pid_t child) {
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_P(Fork, AChildForkedBeforePtlInitTalksToItsParent) {
  ProcessGroup job(1, environment());
  job.start_all([](Rank& rank) {
    const pid_t child = ::fork();
    if (child == 0) {
      put_to(rank.board.id(0), 5);
      std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    std::vector<std::byte> memory(80'000);
    const ptl_handle_ni_t ni = open_interface();
    const ptl_handle_eq_t queue = make_queue(ni);
    expose(ni, 1, describe(memory, queue, kOpen));
    rank.board.publish(0, own_id(ni));
    EXPECT_EQ(expect_event(queue, PTL_EVENT_PUT_END).hdr_data, 5U);
    EXPECT_TRUE(holds_pattern(memory, 5));
    expect_exit(child);
    PtlFini();
  });
  job.join_all();
}

TEST_P(Fork, AChildForkedFromAnOpenProcessStartsAfreshAndItsParentGoesOn) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    std::vector<std::byte> memory(80'000);
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    expose(ni, 1, describe(memory, queue, kOpen));
    rank.barrier();
    if (rank.number == 0) {
      // Connects, so that the child inherits a connection.
      put_to(rank.board.id(1), 1);
    } else {
      const auto expect_put = [&](std::uint64_t value) {
        EXPECT_EQ(expect_event(queue, PTL_EVENT_PUT_END).hdr_data, value);
        EXPECT_TRUE(holds_pattern(memory, value));
      };
      expect_put(1);
      const ptl_process_id_t self = own_id(ni);
      const pid_t child = ::fork();
      if (child == 0) {
        ptl_handle_eq_t old = PTL_EQ_NONE;
        int interfaces = 0;
        LINTEL_MUST(PtlInit(&interfaces));
        EXPECT_NE(PtlEQAlloc(ni, 8, PTL_EQ_HANDLER_NONE, &old), PTL_OK)
            << "the parent's interface is not the child's";
        put_to(self, 2);
        std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
      }
      expect_put(2);
      expect_exit(child);
      // The parent's connections are still open after the child's end.
      rank.board.set(0, 1);
      expect_put(3);
    }
    if (rank.number == 0) {
      rank.board.await(0, 1);
      put_to(rank.board.id(1), 3);
    }
    rank.barrier();
    PtlFini();
  });
  job.join_all();
}

}  // namespace
}  // namespace lintel::testing
