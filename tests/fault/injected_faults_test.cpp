// Traffic between real processes while LINTEL_FAULTS makes the network below the engine misbehave.
//
// In every case each operation ends, an operation that succeeds has moved exactly its bytes,
// nothing arrives twice or out of order, and what was not delivered is reported. A fault may end
// the session and the operations under way with it. These end with PTL_NI_PEER_DEAD or PTL_NI_FAIL,
// and later ones succeed. The target may have accepted an operation that the initiator saw fail.
// The reverse is an error.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/system/job/counters_file.h"
#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kRounds = 60;
constexpr std::size_t kBatch = 8;  // puts under way at the same time
constexpr std::size_t kSlot = 80'000;
constexpr ptl_match_bits_t kPuts = 1;
constexpr ptl_match_bits_t kGets = 2;
constexpr std::size_t kOver = 0;    // board word: the initiator has finished
constexpr std::size_t kAcked = 1;   // board word: puts that ended with an ACK
constexpr std::size_t kTaken = 2;   // board word: puts that the target saw
constexpr std::size_t kFailed = 3;  // board word: operations that ended with a failure
// board words from 8 on: bit i says that put number i was acknowledged
constexpr std::size_t kPutNumber = 8;
constexpr milliseconds kPeerTimeout{1500};

std::size_t length_of(std::size_t put) {
  constexpr std::size_t kCycle[] = {8, 0, 1024, 16384, 65537, 79'999, 100, 1};
  return kCycle[put % std::size(kCycle)];
}

// The results of one initiator's puts and gets.
struct Tally {
  std::size_t acked = 0;
  std::size_t replied = 0;
  std::size_t failed = 0;
};

// The results of all processes.
struct FaultOutcome {
  std::size_t acked = 0;
  std::size_t failed = 0;                // operations
  std::uint64_t duplicates[2] = {0, 0};  // messages that each rank received a second time
};

class InjectedFaults : public OnEveryProvider {
 protected:
  ProcessGroup job(const std::string& plan) const {
    Environment all = environment();
    all["LINTEL_FAULTS"] = plan;
    all["LINTEL_PEER_TIMEOUT"] = std::to_string(kPeerTimeout.count()) + "ms";
    all["LINTEL_CONNECT_TIMEOUT"] = "3s";
    return ProcessGroup(2, all);
  }
  // Runs the traffic under the plan.
  FaultOutcome run(const std::string& plan) const;
};
LINTEL_ON_EVERY_PROVIDER(InjectedFaults);

// Each put has its own place at the target. A second delivery, or one of a put that failed, is then
// seen by its event and changes no other put's bytes.
void initiate(Rank& rank) {
  const ptl_handle_ni_t ni = open_interface(rank);
  const ptl_process_id_t target = rank.board.id(1);
  const ptl_handle_eq_t queue = make_queue(ni, 64 * kBatch);
  std::vector<std::byte> source = patterned(kRounds * kBatch * kSlot, 1);
  std::vector<std::byte> fetched(kSlot);
  const ptl_handle_md_t put_md = bind(ni, describe(source, queue));
  const ptl_handle_md_t get_md = bind(ni, describe(fetched, queue));
  Tally tally;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      const std::size_t put = round * kBatch + i;
      LINTEL_MUST(PtlPutRegion(put_md, put * kSlot, length_of(put), PTL_ACK_REQ, target, kPortal, 0,
                               kPuts, put * kSlot, put));
    }
    const std::size_t get_length = length_of(round);
    LINTEL_MUST(PtlGetRegion(get_md, 0, get_length, target, kPortal, 0, kGets, 0));
    // Runs until each operation has had its last event: a put its ACK or a failed SEND_END, the get
    // its REPLY_END.
    std::size_t puts_ended = 0;
    std::size_t sends = 0;
    std::size_t replies = 0;
    while (puts_ended < kBatch || sends < kBatch || replies < 1) {
      const ptl_event_t event = next_event(queue, 10 * kPeerTimeout);
      const bool good = event.ni_fail_type == PTL_NI_OK;
      if (!good) ++tally.failed;
      if (event.type == PTL_EVENT_SEND_END) {
        ++sends;
        puts_ended += good ? 0 : 1;
      } else if (event.type == PTL_EVENT_ACK) {
        ++puts_ended;
        tally.acked += good ? 1 : 0;
        if (good) {
          const std::size_t put = event.offset / kSlot;
          EXPECT_EQ(event.mlength, length_of(put));
          rank.board.set(kPutNumber + put / 60,
                         rank.board.get(kPutNumber + put / 60) | (std::uint64_t{1} << (put % 60)));
        }
      } else {
        ASSERT_EQ(event.type, PTL_EVENT_REPLY_END);
        ++replies;
        if (!good) continue;
        ++tally.replied;
        EXPECT_EQ(event.mlength, get_length);
        EXPECT_TRUE(holds_pattern(std::span<std::byte>(fetched).first(get_length), 2));
      }
    }
    EXPECT_EQ(puts_ended, kBatch);
    EXPECT_EQ(sends, kBatch);
    EXPECT_EQ(replies, 1U);
  }
  ptl_event_t event;
  EXPECT_EQ(PtlEQGet(queue, &event), PTL_EQ_EMPTY) << "an operation ended twice";
  rank.board.set(kAcked, tally.acked);
  rank.board.set(kFailed, tally.failed);
  std::printf("%zu of %zu puts and %zu of %zu gets done, %zu events with a failure\n", tally.acked,
              kRounds * kBatch, tally.replied, kRounds, tally.failed);
  rank.board.set(kOver, 1);
  PtlFini();
}

void serve(Rank& rank) {
  const ptl_handle_ni_t ni = open_interface();
  const ptl_handle_eq_t queue = make_queue(ni, 4 * kRounds * kBatch);
  std::vector<std::byte> landing(kRounds * kBatch * kSlot, kUntouched);
  std::vector<std::byte> offered = patterned(kSlot, 2);
  expose(ni, kPuts, describe(landing, queue, kOpen));
  expose(ni, kGets, describe(offered, PTL_EQ_NONE, kOpen));
  rank.board.publish(1, own_id(ni));
  std::set<std::uint64_t> arrived;
  std::uint64_t highest = 0;
  while (true) {
    const bool over = rank.board.get(kOver) != 0;
    ptl_event_t event;
    int which = 0;
    ptl_handle_eq_t queues[] = {queue};
    if (PtlEQPoll(queues, 1, over ? 500 : 50, &event, &which) != PTL_OK) {
      if (over) break;
      continue;
    }
    EXPECT_EQ(event.type, PTL_EVENT_PUT_END);
    if (event.ni_fail_type != PTL_NI_OK) continue;
    EXPECT_TRUE(arrived.insert(event.hdr_data).second)
        << "put " << event.hdr_data << " arrived twice";
    EXPECT_EQ(event.mlength, length_of(event.hdr_data));
    EXPECT_TRUE(
        holds_pattern(std::span<std::byte>(landing).subspan(event.hdr_data * kSlot, event.mlength),
                      1, event.hdr_data * kSlot));
    // Batches follow each other. Within one batch, a large put ends after later small ones.
    EXPECT_GE(event.hdr_data + kBatch, highest) << "of an earlier batch";
    highest = std::max(highest, event.hdr_data);
  }
  for (std::size_t put = 0; put < kRounds * kBatch; ++put) {
    const bool acked = ((rank.board.get(kPutNumber + put / 60) >> (put % 60)) & 1) != 0;
    EXPECT_TRUE(!acked || arrived.contains(put))
        << "put " << put << " was acknowledged and has not arrived";
    // Nothing is written beyond a put's own bytes, nor where no put ended and no failure was
    // reported.
    const std::size_t length = arrived.contains(put) || !acked ? length_of(put) : 0;
    EXPECT_TRUE(
        untouched(std::span<std::byte>(landing).subspan(put * kSlot + length, kSlot - length)))
        << "behind put " << put;
  }
  rank.board.set(kTaken, arrived.size());
  PtlFini();
}

FaultOutcome InjectedFaults::run(const std::string& plan) const {
  ProcessGroup group = job(plan);
  const std::string counters =
      ::testing::TempDir() + "lintel_faults." + std::to_string(::getpid()) + ".";
  for (const std::size_t rank : {1U, 0U}) {
    group.set("LINTEL_COUNTERS_FILE", counters + std::to_string(rank));
    group.start(rank, rank == 0 ? initiate : serve);
  }
  group.join_all(std::chrono::seconds(110));
  EXPECT_GE(group.board().get(kTaken), group.board().get(kAcked));
  FaultOutcome outcome{group.board().get(kAcked), group.board().get(kFailed)};
  for (const std::size_t rank : {0U, 1U}) {
    const std::string file = counters + std::to_string(rank);
    outcome.duplicates[rank] = counters_in(file)["frames_duplicate"];
    std::remove(file.c_str());
  }
  return outcome;
}

TEST_P(InjectedFaults, WithoutFaultsNothingFails) {
  const FaultOutcome outcome = run("seed=1");
  EXPECT_EQ(outcome.failed, 0U);
  EXPECT_EQ(outcome.duplicates[0] + outcome.duplicates[1], 0U);
}

TEST_P(InjectedFaults, DuplicatesAreSuppressedAndCostNothing) {
  const FaultOutcome outcome = run("seed=2,duplicate=0.2");
  EXPECT_EQ(outcome.failed, 0U);
  EXPECT_GT(outcome.duplicates[0], 0U);
  EXPECT_GT(outcome.duplicates[1], 0U);
}

TEST_P(InjectedFaults, DelaysCostTimeOnly) { EXPECT_EQ(run("seed=3,delay=0.1:3ms").failed, 0U); }

TEST_P(InjectedFaults, StormsOfWouldBlockCostTimeOnly) {
  EXPECT_EQ(run("seed=4,block=0.02:50").failed, 0U);
}

// A process sends at least 120 messages, each with several puts or answers. With this seed the
// 28th, 37th, 47th and 67th message of each process are lost. A rate of losses could by chance lose
// none and test nothing.
TEST_P(InjectedFaults, DroppedMessagesEndTheOperationsUnderWayAndNoOthers) {
  const FaultOutcome outcome = run("seed=35,drop=0.02");
  EXPECT_GT(outcome.failed, 0U);
  EXPECT_GT(outcome.acked, kRounds * kBatch * 3 / 4);
}

TEST_P(InjectedFaults, FailedWritesEndTheirOwnOperations) {
  const FaultOutcome outcome = run("seed=6,write_error=0.2");
  // On direct a write ends when the peer has acknowledged it. Mostly the answer to the operation
  // comes with that, and then nothing is left to fail.
  if (!preferred()) {
    EXPECT_GT(outcome.failed, 0U);
  }
  EXPECT_GT(outcome.acked, 0U);
}

TEST_P(InjectedFaults, FailedPostsEndTheOperationsUnderWayAndNoOthers) {
  EXPECT_GT(run("seed=7,post_failure=0.003").failed, 0U);
}

TEST_P(InjectedFaults, EverythingAtOnceStillEndsEveryOperation) {
  EXPECT_GT(run("seed=8,drop=0.002,duplicate=0.05,delay=0.05:2ms,block=0.01:20,write_error=0.02,"
                "post_failure=0.001")
                .failed,
            0U);
}

// `plan` makes the target dead for the initiator's network in the middle of the traffic.
void initiate_until_death(Rank& rank) {
  const ptl_handle_ni_t ni = open_interface(rank);
  const ptl_process_id_t target = rank.board.id(1);
  const ptl_handle_eq_t queue = make_queue(ni, 4096);
  std::vector<std::byte> source(64);
  const ptl_handle_md_t md = bind(ni, describe(source, queue));
  std::size_t acked = 0;
  std::size_t failed = 0;
  for (int i = 0; i < 400 && failed == 0; ++i) {
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, target, kPortal, 0, kPuts, 0, 0));
    bool ended = false;
    while (!ended) {
      const ptl_event_t event = next_event(queue, 3 * kPeerTimeout);
      ended = event.type == PTL_EVENT_ACK || event.ni_fail_type != PTL_NI_OK;
      if (event.ni_fail_type != PTL_NI_OK) {
        EXPECT_EQ(event.ni_fail_type, PTL_NI_PEER_DEAD);
        ++failed;
      } else if (event.type == PTL_EVENT_ACK) {
        ++acked;
      }
    }
  }
  std::printf("%zu puts acknowledged before the death\n", acked);
  EXPECT_GT(acked, 0U);
  EXPECT_EQ(failed, 1U) << "the death was not noticed";
  rank.board.set(kOver, 1);
  PtlFini();
}

void serve_blindly(Rank& rank) {
  ::unsetenv("LINTEL_FAULTS");
  const ptl_handle_ni_t ni = open_interface();
  std::vector<std::byte> landing(64);
  expose(ni, kPuts, describe(landing, PTL_EQ_NONE, kOpen));
  rank.board.publish(1, own_id(ni));
  rank.board.await(kOver, 1);
  PtlFini();
}

// The plan names the target by its pid, which is known only once it runs.
void start_with_death(ProcessGroup& group, const std::string& kind) {
  group.start(1, serve_blindly);
  group.set("LINTEL_FAULTS",
            "seed=9," + kind + "=" + std::to_string(group.board().id(1).pid) + ":20");
  group.start(0, initiate_until_death);
  group.join_all();
}

TEST_P(InjectedFaults, ADeathThatIsReportedEndsTheOperationUnderWay) {
  ProcessGroup group = job("seed=9");
  start_with_death(group, "death");
}

TEST_P(InjectedFaults, ADeathThatNobodyReportsEndsTheOperationByTheDeadline) {
  ProcessGroup group = job("seed=9");
  start_with_death(group, "silent_death");
}

}  // namespace
}  // namespace lintel::testing
