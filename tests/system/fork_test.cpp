// fork() before and after a process has opened its interface.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
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

// With handles of its parent, which names what it would wait for.
TEST_P(Fork, AChildThatHasNotCalledPtlInitGetsNoInitFromEveryCallAndWaitsForNothing) {
  ProcessGroup job(1, environment());
  job.start_all([](Rank&) {
    std::vector<std::byte> memory(1000);
    const ptl_handle_ni_t ni = open_interface();
    const ptl_handle_eq_t queue = make_queue(ni);
    expose(ni, 1, describe(memory, queue, kOpen));
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    const ptl_process_id_t parent = own_id(ni);
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ptl_event_t event;
      ptl_handle_ni_t other = PTL_INVALID_HANDLE;
      ptl_handle_md_t more = PTL_INVALID_HANDLE;
      ptl_process_id_t self;
      int which = 0;
      EXPECT_EQ(PtlEQGet(queue, &event), PTL_NO_INIT);
      EXPECT_EQ(PtlEQWait(queue, &event), PTL_NO_INIT);
      ptl_handle_eq_t queues[] = {queue};
      EXPECT_EQ(PtlEQPoll(queues, 1, PTL_TIME_FOREVER, &event, &which), PTL_NO_INIT);
      EXPECT_EQ(PtlPut(md, PTL_ACK_REQ, parent, kPortal, 0, 1, 0, 0), PTL_NO_INIT);
      EXPECT_EQ(PtlGet(md, parent, kPortal, 0, 1, 0), PTL_NO_INIT);
      EXPECT_EQ(PtlMDBind(ni, describe(memory, queue), PTL_RETAIN, &more), PTL_NO_INIT);
      EXPECT_EQ(PtlGetId(ni, &self), PTL_NO_INIT);
      EXPECT_EQ(PtlEQFree(queue), PTL_NO_INIT);
      EXPECT_EQ(PtlNIFini(ni), PTL_NO_INIT);
      EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &other), PTL_NO_INIT);
      PtlFini();
      std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    expect_exit(child);
    PtlFini();
  });
  job.join_all();
}

// On net and tcp;ofi_rxm the sockets are libfabric's, and a child keeps them.
class ForkedParent : public OnEveryProvider {};
INSTANTIATE_TEST_SUITE_P(, ForkedParent, ::testing::Values("direct", "shm"), provider_name);

// Longer than the test: only the end of the connection, or of the name, can report the death.
TEST_P(ForkedParent, ItsPeersSeeItsDeathAlthoughAChildLivesOn) {
  constexpr std::size_t kForked = 0;  // board word
  constexpr std::size_t kDone = 1;    // board word: the child may end
  Environment patient = environment();
  patient["LINTEL_PEER_TIMEOUT"] = "600s";
  patient["LINTEL_CONNECT_TIMEOUT"] = "1s";
  ProcessGroup job(2, patient);
  job.start_all([](Rank& rank) {
    std::vector<std::byte> memory(1000);
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
    rank.barrier();
    if (rank.number == 1) {
      rank.board.await(kForked, 1);  // rank 0 has connected
      if (::fork() == 0) {
        rank.board.set(kForked, 2);
        rank.board.await(kDone, 1);
        std::_Exit(0);
      }
      while (true) ::pause();
    }
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 0));
    expect_sent_and_acked(queue);
    rank.board.set(kForked, 1);
    rank.board.await(kForked, 3);
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 0));
    ptl_event_t event;
    do event = next_event(queue);
    while (event.ni_fail_type == PTL_NI_OK);
    EXPECT_EQ(event.ni_fail_type, PTL_NI_PEER_DEAD);
    rank.board.set(kDone, 1);
    PtlFini();
  });
  job.board().await(kForked, 2);
  job.signal(1, SIGKILL);
  job.join(1);
  job.board().set(kForked, 3);
  job.join(0);
  job.board().set(kDone, 1);
}

}  // namespace
}  // namespace lintel::testing
