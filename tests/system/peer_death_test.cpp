// A peer dies, freezes, ends, or never existed: every operation with it ends in time with an event
// that says so, and others continue.

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPeerTimeout{2000};
// a process under a sanitizer may need seconds to start
constexpr milliseconds kConnectTimeout{kSanitized ? 8000 : 3000};
constexpr milliseconds kSlack{1500};
constexpr milliseconds kPromptly = kPeerTimeout - milliseconds(500);
// An operation that starts while a peer is being found dead may have to try to connect again.
constexpr milliseconds kVainLimit = std::max(kPeerTimeout, kConnectTimeout) + kSlack;

constexpr std::size_t kBusy = 0;  // board word: operations are in flight
constexpr std::size_t kGone = 1;  // board word: the peer has been killed, stopped or has ended
constexpr std::size_t kDone = 2;  // board word: the target is no longer needed
// board word: the target has exposed its memory: 1 + how many messages it had dropped by then
constexpr std::size_t kExposed = 3;
constexpr std::size_t kStop = 4;  // board word: 1 the peer is to be stopped, 2 it is

constexpr ptl_match_bits_t kSmall = 1;
constexpr ptl_match_bits_t kLarge = 2;
constexpr std::size_t kLargeLength = std::size_t{256} << 20;
constexpr std::size_t kSmallOperations = 200;

class PeerDeath : public OnEveryProvider {
 protected:
  Environment environment() const {
    Environment all = OnEveryProvider::environment();
    all["LINTEL_PEER_TIMEOUT"] = std::to_string(kPeerTimeout.count()) + "ms";
    all["LINTEL_CONNECT_TIMEOUT"] = std::to_string(kConnectTimeout.count()) + "ms";
    return all;
  }
};
LINTEL_ON_EVERY_PROVIDER(PeerDeath);

// A pid that one process can leave and another take. The system never assigns ports of this kind
// itself, so no other process gets it by chance.
ptl_pid_t well_known_pid(ptl_pid_t first, const std::string& provider) {
  return first + (provider == "shm" ? 2 : provider == "net" ? 0 : provider == "direct" ? 3 : 1);
}

milliseconds since(Clock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - start);
}

// The memory of a target.
class Offer {
 public:
  explicit Offer(ptl_handle_ni_t ni) : small_(4096), large_(kLargeLength) {
    expose(ni, kSmall, describe(small_, PTL_EQ_NONE, kOpen));
    expose(ni, kLarge, describe(large_, PTL_EQ_NONE, kOpen));
  }

 private:
  std::vector<std::byte> small_;
  std::vector<std::byte> large_;
};

void serve(Rank& rank, ptl_pid_t pid) {
  const ptl_handle_ni_t ni = open_interface(pid);
  const Offer offer(ni);
  rank.board.publish(rank.number, own_id(ni));  // only now: earlier messages would be dropped
  rank.board.await(kDone, 1);
  PtlFini();
}
void serve_anywhere(Rank& rank) { serve(rank, PTL_PID_ANY); }

// Small and large puts and gets, all started and none awaited. Events are counted by kind.
class Flight {
 public:
  Flight(ptl_handle_ni_t ni, ptl_process_id_t target)
      : queue_(make_queue(ni, 8 * kSmallOperations)),
        target_(target),
        small_(4096),
        large_(kLargeLength),
        landing_(kLargeLength) {
    small_md_ = bind(ni, describe(small_, queue_));
    large_md_ = bind(ni, describe(large_, queue_));
    landing_md_ = bind(ni, describe(landing_, queue_));
  }

  // One put and its ack, so that both sides are connected.
  void connect() {
    LINTEL_MUST(PtlPut(small_md_, PTL_ACK_REQ, target_, kPortal, 0, kSmall, 0, 0));
    expect_sent_and_acked(queue_);
  }
  void start() {
    LINTEL_MUST(PtlPut(large_md_, PTL_ACK_REQ, target_, kPortal, 0, kLarge, 0, 0));
    LINTEL_MUST(PtlGet(landing_md_, target_, kPortal, 0, kLarge, 0));
    start_small();
  }
  void start_small() {
    for (std::size_t i = 0; i < kSmallOperations; ++i) {
      LINTEL_MUST(PtlPut(small_md_, PTL_ACK_REQ, target_, kPortal, 0, kSmall, 0, 0));
      LINTEL_MUST(PtlGet(small_md_, target_, kPortal, 0, kSmall, 0));
    }
  }

  // Takes events until each operation has had its last one. Returns how many operations failed.
  std::size_t expect_all_end(Clock::time_point from, milliseconds limit, bool large) {
    const std::size_t each = kSmallOperations + (large ? 1 : 0);
    std::map<ptl_event_kind_t, std::size_t> seen;
    std::size_t failed = 0;
    std::size_t failed_sends = 0;
    // A put ends with its ACK, or with a failed SEND_END, after which no ACK comes.
    while (seen[PTL_EVENT_SEND_END] < each || seen[PTL_EVENT_REPLY_END] < each ||
           seen[PTL_EVENT_ACK] + failed_sends < each) {
      const milliseconds left = limit - since(from);
      ptl_event_t event;
      int which = 0;
      const int code =
          left.count() > 0
              ? PtlEQPoll(&queue_, 1, static_cast<ptl_time_t>(left.count()), &event, &which)
              : PTL_EQ_EMPTY;
      if (code != PTL_OK) {
        ADD_FAILURE() << "after " << since(from).count() << " ms of " << limit.count() << ": "
                      << seen[PTL_EVENT_SEND_END] << " SEND_END (" << failed_sends << " failed), "
                      << seen[PTL_EVENT_ACK] << " ACK, " << seen[PTL_EVENT_REPLY_END]
                      << " REPLY_END of " << each << " each";
        return failed;
      }
      ++seen[event.type];
      if (event.ni_fail_type == PTL_NI_OK) continue;
      ++failed;
      EXPECT_EQ(event.ni_fail_type, PTL_NI_PEER_DEAD) << PtlEventKindStr(event.type);
      if (event.type == PTL_EVENT_SEND_END) ++failed_sends;
    }
    std::printf("all %zu operations ended %lld ms after, %zu with a failure\n", 2 * each,
                static_cast<long long>(since(from).count()), failed);
    rest();  // and no second event
    EXPECT_LE(seen[PTL_EVENT_ACK] + failed_sends, each);
    return failed;
  }
  // Waits until nothing happens any more, on the other side either.
  void rest() {
    ptl_event_t event;
    int which = 0;
    EXPECT_EQ(PtlEQPoll(&queue_, 1, 300, &event, &which), PTL_EQ_EMPTY)
        << PtlEventKindStr(event.type) << " after the end";
  }
  // The program may use the memory again.
  void release() {
    LINTEL_MUST(PtlMDUnlink(small_md_));
    LINTEL_MUST(PtlMDUnlink(large_md_));
    LINTEL_MUST(PtlMDUnlink(landing_md_));
  }

 private:
  ptl_handle_eq_t queue_;
  ptl_process_id_t target_;
  std::vector<std::byte> small_;
  std::vector<std::byte> large_;
  std::vector<std::byte> landing_;
  ptl_handle_md_t small_md_;
  ptl_handle_md_t large_md_;
  ptl_handle_md_t landing_md_;
};

// The shared-memory provider of libfabric 1.17 keeps its locks in shared memory. A process killed
// while it holds one blocks its peers inside libfabric, where Lintel cannot end their operations.
#define LINTEL_SKIP_KILL_ON_SHM()                                                                \
  if (std::string(GetParam()) == "shm")                                                          \
  GTEST_SKIP() << "a process killed inside libfabric 1.17's shared-memory lock stops its peers " \
                  "there"

// Rank 1 is killed while operations with it are in flight. It is stopped before they start, or they
// might end before.
void kill_in_the_middle(ProcessGroup& job) {
  job.board().await(kStop, 1);
  job.signal(1, SIGSTOP);
  job.board().set(kStop, 2);
  job.board().await(kBusy, 1);
  job.signal(1, SIGKILL);
  job.board().set(kGone, 1);
  job.join_all();
}
// By rank 0.
void await_stop(Rank& rank) {
  rank.board.set(kStop, 1);
  rank.board.await(kStop, 2);
}

TEST_P(PeerDeath, AKilledTargetEndsEveryOperationInFlight) {
  LINTEL_SKIP_KILL_ON_SHM();
  ProcessGroup job(2, environment());
  job.start(1, serve_anywhere);
  job.start(0, [](Rank& rank) {
    Flight flight(open_interface(rank), rank.board.id(1));
    flight.connect();
    await_stop(rank);
    flight.start();
    rank.board.set(kBusy, 1);
    rank.board.await(kGone, 1);
    EXPECT_GT(flight.expect_all_end(Clock::now(), kPeerTimeout + kSlack, true), 0U);
    flight.release();
    PtlFini();
  });
  kill_in_the_middle(job);
}

TEST_P(PeerDeath, AFrozenTargetEndsEveryOperationByTheDeadline) {
  ProcessGroup job(2, environment());
  job.disregard(1);
  job.start(1, serve_anywhere);
  job.start(0, [](Rank& rank) {
    Flight flight(open_interface(rank), rank.board.id(1));
    flight.connect();
    flight.rest();  // so that it is not stopped inside the shared-memory provider's lock, see above
    rank.board.set(kBusy, 1);
    rank.board.await(kGone, 1);
    const Clock::time_point start = Clock::now();
    flight.start();
    EXPECT_GT(flight.expect_all_end(start, kPeerTimeout + kSlack, true), 0U);
    EXPECT_GE(since(start), kPeerTimeout - milliseconds(200)) << "given up too early";
    PtlFini();
  });
  job.board().await(kBusy, 1);
  job.signal(1, SIGSTOP);
  job.board().set(kGone, 1);
  job.join_all();
}

// The program does other work when its peer dies. The events are there when it returns.
TEST_P(PeerDeath, OperationsEndAlsoWhileTheInitiatorCallsNothing) {
  LINTEL_SKIP_KILL_ON_SHM();
  ProcessGroup job(2, environment());
  job.start(1, serve_anywhere);
  job.start(0, [](Rank& rank) {
    Flight flight(open_interface(rank), rank.board.id(1));
    flight.connect();
    await_stop(rank);
    flight.start();
    rank.board.set(kBusy, 1);
    rank.board.await(kGone, 1);
    ::usleep(static_cast<useconds_t>((kPeerTimeout + kSlack).count()) * 1000);
    EXPECT_GT(flight.expect_all_end(Clock::now(), milliseconds(100), true), 0U);
    PtlFini();
  });
  kill_in_the_middle(job);
}

TEST_P(PeerDeath, APeerThatWasNeverThereFailsPutsAndGetsAfterTheConnectTimeout) {
  ProcessGroup job(1, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(64);
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    const ptl_process_id_t nobody{own_id(ni).nid, 999};
    const Clock::time_point start = Clock::now();
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, nobody, kPortal, 0, kSmall, 0, 0));
    LINTEL_MUST(PtlGet(md, nobody, kPortal, 0, kSmall, 0));
    std::size_t sends = 0;
    std::size_t replies = 0;
    while (sends == 0 || replies == 0) {
      const ptl_event_t event = next_event(queue, kConnectTimeout + kSlack);
      sends += event.type == PTL_EVENT_SEND_END ? 1 : 0;
      replies += event.type == PTL_EVENT_REPLY_END ? 1 : 0;
      EXPECT_EQ(event.ni_fail_type, PTL_NI_PEER_DEAD) << PtlEventKindStr(event.type);
    }
    std::printf("failed after %lld ms\n", static_cast<long long>(since(start).count()));
    EXPECT_LE(since(start), kConnectTimeout + kSlack);
    EXPECT_GE(since(start), kConnectTimeout - milliseconds(200))
        << "a peer that starts late would have been missed";
    EXPECT_EQ(sends, 1U);
    EXPECT_EQ(replies, 1U);
    PtlFini();
  });
  job.join_all();
}

TEST_P(PeerDeath, APeerThatStartsASecondLaterGetsTheFirstMessage) {
  ProcessGroup job(2, environment());
  const auto receive = [](Rank& rank, ptl_pid_t pid) {
    const ptl_handle_ni_t ni = open_interface(pid);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(4096);
    expose(ni, kSmall, describe(memory, queue, kOpen));
    ptl_sr_value_t dropped = 0;
    LINTEL_MUST(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &dropped));
    rank.board.set(kExposed, 1 + static_cast<std::uint64_t>(dropped));
    EXPECT_EQ(expect_event(queue, PTL_EVENT_PUT_END).hdr_data, 77U);
    EXPECT_TRUE(holds_pattern(std::span<std::byte>(memory).first(100), 3));
    PtlFini();
  };
  // An address that no process has any more.
  job.start(1, [pid = well_known_pid(731, GetParam())](Rank& rank) {
    open_interface(rank, pid);
    PtlFini();
  });
  job.join(1);
  const ptl_process_id_t late = job.board().id(1);
  job.start(0, [late](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> source = patterned(100, 3);
    const ptl_handle_md_t md = bind(ni, describe(source, queue));
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, late, kPortal, 0, kSmall, 0, 77));
    rank.board.set(kBusy, 1);
    rank.board.await(kExposed, 1);
    if (rank.board.get(kExposed) > 1) {
      // Its message reached an interface that had no entry yet and was dropped without a report.
      // When the target has exposed its memory it accepts the next one.
      expect_event(queue, PTL_EVENT_SEND_END);
      LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, late, kPortal, 0, kSmall, 0, 77));
    }
    EXPECT_EQ(expect_sent_and_acked(queue).mlength, 100U);
    PtlFini();
  });
  job.board().await(kBusy, 1);
  ::sleep(1);
  job.start(1, [&](Rank& rank) { receive(rank, late.pid); });
  job.join_all();
}

TEST_P(PeerDeath, APeerThatIsStartedAgainUnderTheSameNameWorksWithNewOperations) {
  // On shared memory the process is idle when it dies, for the reason above.
  const bool dies_idle = std::string(GetParam()) == "shm";
  ProcessGroup job(2, environment());
  constexpr std::size_t kRestarted = 3;
  const ptl_pid_t pid = well_known_pid(741, GetParam());
  job.start(1, [pid](Rank& rank) { serve(rank, pid); });
  job.start(0, [dies_idle](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_process_id_t target = rank.board.id(1);
    Flight flight(ni, target);
    flight.connect();
    flight.start_small();
    if (dies_idle) flight.expect_all_end(Clock::now(), kTimeout, false);
    rank.board.set(kBusy, 1);
    rank.board.await(kGone, 1);
    if (dies_idle || flight.expect_all_end(Clock::now(), kVainLimit, false) == 0) {
      // All operations had ended before the kill. Nothing has told this process yet, so its next
      // operation finds out.
      flight.start_small();
      EXPECT_GT(flight.expect_all_end(Clock::now(), kVainLimit, false), 0U);
    }
    rank.board.set(kGone, 2);
    rank.board.await(kRestarted, 1);
    const Clock::time_point start = Clock::now();
    flight.start();
    EXPECT_EQ(flight.expect_all_end(start, kTimeout, true), 0U);
    rank.board.set(kDone, 1);
    PtlFini();
  });
  job.board().await(kBusy, 1);
  job.signal(1, SIGKILL);
  job.board().set(kGone, 1);
  job.board().await(kGone, 2);
  job.start(1, [pid](Rank& rank) {
    const Offer offer(open_interface(pid));
    rank.board.set(kRestarted, 1);
    rank.board.await(kDone, 1);
    PtlFini();
  });
  job.join_all();
}

// The target cannot answer: its process ends in order while a large get waits behind a stopped one.
TEST_P(PeerDeath, AnOrderlyEndOfThePeerFailsOutstandingOperationsPromptly) {
  if (kSanitized && std::string(GetParam()) == "shm")
    GTEST_SKIP() << "too slow with sanitizers for what counts as promptly";
  ProcessGroup job(2, environment());
  job.start(1, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface();
    const Offer offer(ni);
    rank.board.publish(rank.number, own_id(ni));
    rank.board.await(kBusy, 1);
    LINTEL_MUST(PtlNIFini(ni));
    rank.board.set(kGone, 1);
    rank.board.await(kDone, 1);  // alive all the time
  });
  job.start(0, [](Rank& rank) {
    Flight flight(open_interface(rank), rank.board.id(1));
    flight.connect();
    flight.start();
    // all operations are started; a later one would have to connect again
    rank.board.set(kBusy, 1);
    rank.board.await(kGone, 1);
    flight.expect_all_end(Clock::now(), kPromptly, true);
    rank.board.set(kDone, 1);
    PtlFini();
  });
  job.join_all();
}

TEST_P(PeerDeath, TheDeathOfOnePeerLeavesOperationsWithAnotherAlone) {
  if (std::string(GetParam()) == "shm")
    GTEST_SKIP() << "libfabric 1.17 ends all large writes of a process when one of them stays "
                    "without an answer";
  ProcessGroup job(3, environment());
  job.start(1, serve_anywhere);
  job.start(2, serve_anywhere);
  job.start(0, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    Flight doomed(ni, rank.board.id(1));
    Flight healthy(ni, rank.board.id(2));
    doomed.connect();
    healthy.connect();
    await_stop(rank);
    doomed.start();
    healthy.start();
    rank.board.set(kBusy, 1);
    rank.board.await(kGone, 1);
    const Clock::time_point start = Clock::now();
    EXPECT_GT(doomed.expect_all_end(start, kPeerTimeout + kSlack, true), 0U);
    EXPECT_EQ(healthy.expect_all_end(start, kTimeout, true), 0U);
    rank.board.set(kDone, 1);
    PtlFini();
  });
  kill_in_the_middle(job);
}

// Read by the kernel: a thread of the library writes there meanwhile.
std::byte first_byte(std::span<std::byte> memory) {
  std::byte first{};
  const iovec to{&first, 1};
  const iovec from{memory.data(), 1};
  EXPECT_EQ(::process_vm_readv(::getpid(), &to, 1, &from, 1, 0), 1);
  return first;
}

// libfabric's networks cannot end one connection, see Transport::disconnect().
TEST(PeerDeathOnDirect, APeerThatWakesAfterItWasReportedLostChangesNoMemory) {
  constexpr std::size_t kToldDead = 4;  // board word: rank 0 knows that rank 1 is dead
  constexpr std::size_t kFailed = 5;    // board word: rank 1 is awake and knows that its put failed
  ProcessGroup job(2, {{"LINTEL_PROVIDER", "direct"},
                       {"LINTEL_PEER_TIMEOUT", std::to_string(kPeerTimeout.count()) + "ms"}});
  job.start(1, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const Offer offer(ni);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> source(kLargeLength, std::byte{1});
    LINTEL_MUST(PtlPut(bind(ni, describe(source, queue)), PTL_ACK_REQ, rank.board.id(0), kPortal, 0,
                       kLarge, 0, 0));
    while (next_event(queue).ni_fail_type == PTL_NI_OK) {
    }
    rank.board.set(kFailed, 1);
    PtlFini();
  });
  job.start(0, [](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface();
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(kLargeLength);
    expose(ni, kLarge, describe(memory, PTL_EQ_NONE, kOpen));
    std::vector<std::byte> small(8);
    const ptl_handle_md_t md = bind(ni, describe(small, queue));
    rank.board.publish(0, own_id(ni));
    while (first_byte(memory) == std::byte{0}) ::usleep(10);
    rank.board.set(kBusy, 1);
    rank.board.await(kGone, 1);
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, kSmall, 0, 0));
    while (next_event(queue).ni_fail_type == PTL_NI_OK) {
    }
    ASSERT_EQ(memory.back(), std::byte{0}) << "the test saw what it is about";
    const std::vector<std::byte> then = memory;
    rank.board.set(kToldDead, 1);
    rank.board.await(kFailed, 1);
    EXPECT_TRUE(memory == then);
    PtlFini();
  });
  job.board().await(kBusy, 1);
  job.signal(1, SIGSTOP);
  job.board().set(kGone, 1);
  job.board().await(kToldDead, 1);
  job.signal(1, SIGCONT);
  job.join_all();
}

}  // namespace
}  // namespace lintel::testing
