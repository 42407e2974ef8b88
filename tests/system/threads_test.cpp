// Any call from any thread: several threads of two processes move data, attach and unlink at the
// same time, and share event queues.

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

using std::chrono::milliseconds;

class Threads : public OnEveryProvider {};
LINTEL_ON_EVERY_PROVIDER(Threads);

constexpr std::size_t kThreads = 4;
constexpr std::size_t kRounds = kSanitized ? 150 : 250;
constexpr std::size_t kLongest = 100'000;

// One thread of one process: puts to the same thread of the other process and takes its answers
// with PtlEQWait, PtlEQPoll or PtlEQGet.
void exchange(Rank& rank, ptl_handle_ni_t ni, std::size_t thread) {
  const ptl_process_id_t peer = rank.board.id(rank.other());
  std::vector<std::byte> source = patterned(kLongest, thread);
  std::vector<std::byte> fetched(kLongest);
  ptl_handle_eq_t queue = make_queue(ni);
  const ptl_handle_md_t put_md = bind(ni, describe(source, queue));
  const ptl_handle_md_t get_md = bind(ni, describe(fetched, queue));
  const auto take = [&](std::size_t how) {
    ptl_event_t event;
    int which = 0;
    int code = PTL_EQ_EMPTY;
    if (how % 3 == 0) code = PtlEQWait(queue, &event);
    if (how % 3 == 1) code = PtlEQPoll(&queue, 1, PTL_TIME_FOREVER, &event, &which);
    if (how % 3 == 2) {
      while ((code = PtlEQGet(queue, &event)) == PTL_EQ_EMPTY) {
      }
    }
    EXPECT_EQ(code, PTL_OK);
    EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
    return event.mlength;
  };
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::size_t length = (round * 641) % kLongest;
    LINTEL_MUST(PtlPutRegion(put_md, 0, length, PTL_ACK_REQ, peer, kPortal, 0, thread, 0, round));
    EXPECT_EQ(take(round), length);
    EXPECT_EQ(take(round), length);
    LINTEL_MUST(PtlGetRegion(get_md, 0, length, peer, kPortal, 0, 100 + thread, 0));
    EXPECT_EQ(take(round + 1), length);
    EXPECT_TRUE(holds_pattern(std::span<std::byte>(fetched).first(length), 50 + thread));
  }
}

// Attaches, replaces and unlinks entries all the time, at the head of the list that other threads
// use.
void rearrange(ptl_handle_ni_t ni, const std::atomic<bool>& over) {
  std::vector<std::byte> memory(64);
  const ptl_handle_eq_t queue = make_queue(ni);
  while (!over) {
    ptl_handle_me_t entry = PTL_INVALID_HANDLE;
    ptl_handle_me_t second = PTL_INVALID_HANDLE;
    ptl_handle_md_t md = PTL_INVALID_HANDLE;
    LINTEL_MUST(PtlMEAttach(ni, kPortal, kAnyone, 4711, 0, PTL_RETAIN, PTL_INS_BEFORE, &entry));
    LINTEL_MUST(PtlMEInsert(entry, kAnyone, 4712, 0, PTL_RETAIN, PTL_INS_AFTER, &second));
    LINTEL_MUST(PtlMDAttach(entry, describe(memory, queue, kOpen), PTL_RETAIN, &md));
    ptl_md_t now = describe(memory, queue, kOpen);
    LINTEL_MUST(PtlMDUpdate(md, nullptr, &now, queue));
    LINTEL_MUST(PtlMDUnlink(md));
    LINTEL_MUST(PtlMEUnlink(second));
    LINTEL_MUST(PtlMEUnlink(entry));
  }
}

TEST_P(Threads, SeveralThreadsOfTwoProcessesUseEverythingAtOnce) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    std::vector<std::vector<std::byte>> landings(kThreads, std::vector<std::byte>(kLongest));
    std::vector<std::vector<std::byte>> offers;
    for (std::size_t i = 0; i < kThreads; ++i) offers.push_back(patterned(kLongest, 50 + i));
    const ptl_handle_eq_t arrivals = make_queue(ni, 4 * kThreads * kRounds);
    for (std::size_t i = 0; i < kThreads; ++i) {
      expose(ni, i, describe(landings[i], arrivals, kOpen));
      expose(ni, 100 + i, describe(offers[i], PTL_EQ_NONE, kOpen));
    }
    rank.barrier();
    std::atomic<bool> over{false};
    std::thread rearranger([&] { rearrange(ni, over); });
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] { exchange(rank, ni, i); });
    for (std::thread& thread : threads) thread.join();
    over = true;
    rearranger.join();
    std::vector<std::uint64_t> next(kThreads);
    for (const ptl_event_t& event : next_events(arrivals, kThreads * kRounds)) {
      ASSERT_LT(event.match_bits, kThreads);
      EXPECT_EQ(event.hdr_data, next[event.match_bits]++) << "of thread " << event.match_bits;
    }
    rank.barrier();
    for (std::size_t i = 0; i < kThreads; ++i) {
      EXPECT_TRUE(holds_pattern(
          std::span<std::byte>(landings[i]).first(((kRounds - 1) * 641) % kLongest), i));
    }
    PtlFini();
  });
  job.join_all(std::chrono::seconds(100));
}

// The reader calls PtlEQGet, PtlEQWait and PtlEQPoll in turn, and checks the data of an event as
// soon as it has it.
class Publication {
 public:
  static constexpr std::size_t kMessages = kSanitized ? 400 : 2000;
  // in the target's memory; a message reuses the place of the one eight before it
  static constexpr std::size_t kPlaces = 8;
  static constexpr std::size_t kRoom = 70'000;

  static std::size_t length_of(std::uint64_t message) {
    constexpr std::size_t kCycle[] = {8, 1000, 16'384, 16'385, 1, 69'999, 64};
    return kCycle[message % std::size(kCycle)];
  }

  static void read(ptl_handle_ni_t ni, ptl_handle_eq_t queue, ptl_handle_md_t md,
                   std::span<std::byte> memory, ptl_process_id_t from, Board& board,
                   std::size_t seen) {
    ptl_seq_t last = 0;
    for (std::uint64_t message = 0; message < kMessages; ++message) {
      ptl_event_t event;
      std::memset(&event, 0xee, sizeof event);
      int which = 0;
      int code = PTL_EQ_EMPTY;
      if (message % 3 == 0) code = PtlEQWait(queue, &event);
      if (message % 3 == 1) code = PtlEQPoll(&queue, 1, PTL_TIME_FOREVER, &event, &which);
      while (code == PTL_EQ_EMPTY) code = PtlEQGet(queue, &event);
      ASSERT_EQ(code, PTL_OK);
      const std::size_t place = message % kPlaces * kRoom;
      const std::size_t length = length_of(message);
      ASSERT_TRUE(holds_pattern(memory.subspan(place, length), message))
          << "data of message " << message;
      ASSERT_EQ(event.type, PTL_EVENT_PUT_END);
      ASSERT_EQ(event.ni_fail_type, PTL_NI_OK);
      ASSERT_EQ(event.hdr_data, message);
      ASSERT_EQ(event.rlength, length);
      ASSERT_EQ(event.mlength, length);
      ASSERT_EQ(event.offset, place);
      ASSERT_EQ(event.match_bits, 1U);
      ASSERT_EQ(event.pt_index, kPortal);
      ASSERT_EQ(event.initiator.nid, from.nid);
      ASSERT_EQ(event.initiator.pid, from.pid);
      ASSERT_EQ(event.md_handle, md);
      ASSERT_EQ(event.md.start, memory.data());
      ASSERT_EQ(event.md.length, memory.size());
      ASSERT_EQ(event.md.user_ptr, &board);
      ASSERT_EQ(event.md.eq_handle, queue);
      if (message > 0) {
        ASSERT_EQ(event.sequence, last + 1);
      }
      last = event.sequence;
      // The next message for this place comes after this check, by way of the writer's process,
      // which the thread sanitizer does not see. A call that takes the library's lock establishes
      // the order in this process.
      ptl_process_id_t self{};
      LINTEL_MUST(PtlGetId(ni, &self));
      board.set(seen, message + 1);
    }
  }

  static void write(Rank& rank, ptl_handle_ni_t ni, std::size_t seen) {
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> source(kRoom);
    const ptl_handle_md_t md = bind(ni, describe(source, queue));
    for (std::uint64_t message = 0; message < kMessages; ++message) {
      if (message >= kPlaces) rank.board.await(seen, message + 1 - kPlaces);
      fill(std::span(source).first(length_of(message)), message);
      LINTEL_MUST(PtlPutRegion(md, 0, length_of(message), PTL_NO_ACK_REQ, rank.board.id(1), kPortal,
                               0, 1, message % kPlaces * kRoom, message));
      expect_event(queue, PTL_EVENT_SEND_END);
    }
  }
};

TEST_P(Threads, AnEventThatOneThreadTakesIsWholeAndItsDataAreInPlaceThoughAnotherThreadDrives) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    constexpr std::size_t kSeen = 0;  // board word: messages that the reader has finished
    const ptl_handle_ni_t ni = open_interface(rank);
    std::vector<std::byte> memory(Publication::kPlaces * Publication::kRoom);
    const ptl_handle_eq_t queue = make_queue(ni, Publication::kPlaces);
    ptl_md_t target = describe(memory, queue, kOpen);
    target.user_ptr = &rank.board;
    const ptl_handle_md_t md = expose(ni, 1, target);
    rank.barrier();
    if (rank.number == 0) {
      Publication::write(rank, ni, kSeen);
    } else {
      std::atomic<bool> over{false};
      std::thread reader([&] {
        Publication::read(ni, queue, md, memory, rank.board.id(0), rank.board, kSeen);
        over = true;
      });
      while (!over) LINTEL_MUST(PtlProgress(ni, 0));
      reader.join();
      // the writer would wait for a reader that is gone
      if (::testing::Test::HasFailure()) std::_Exit(1);
    }
    rank.barrier();
    PtlFini();
  });
  job.join_all(std::chrono::seconds(100));
}

TEST_P(Threads, EachEventOfAQueueGoesToExactlyOneOfItsWaiters) {
  static constexpr std::size_t kEvents = 2000;
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    std::vector<std::byte> memory(64);
    if (rank.number == 0) {
      const ptl_handle_eq_t queue = make_queue(ni);
      const ptl_handle_md_t md = bind(ni, describe(memory, queue));
      rank.barrier();
      for (std::size_t i = 0; i < kEvents; ++i) {
        LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, i));
        expect_sent_and_acked(queue);
        if (i % 100 == 0) ::usleep(2000);  // lets the waiters go to sleep
      }
    } else {
      const ptl_handle_eq_t queue = make_queue(ni, kEvents);
      expose(ni, 1, describe(memory, queue, kOpen));
      rank.barrier();
      std::mutex mutex;
      std::multiset<std::uint64_t> seen;
      std::vector<std::thread> waiters;
      for (std::size_t i = 0; i < kThreads; ++i) {
        waiters.emplace_back([&] {
          ptl_event_t event;
          while (PtlEQWait(queue, &event) == PTL_OK) {
            const std::lock_guard<std::mutex> lock(mutex);
            seen.insert(event.hdr_data);
          }
        });
      }
      const auto count = [&] {
        const std::lock_guard<std::mutex> lock(mutex);
        return seen.size();
      };
      const auto end = std::chrono::steady_clock::now() + kTimeout;
      while (count() < kEvents && std::chrono::steady_clock::now() < end) ::usleep(1000);
      LINTEL_MUST(PtlEQFree(queue));  // the waiters return
      for (std::thread& waiter : waiters) waiter.join();
      EXPECT_EQ(seen.size(), kEvents);
      EXPECT_EQ(std::set<std::uint64_t>(seen.begin(), seen.end()).size(), kEvents);
    }
    rank.barrier();
    PtlFini();
  });
  job.join_all();
}

// Checks what a blocked wait returns, and how soon, when `act` happens.
void expect_wakes(Rank& rank, bool poll, int (*act)(ptl_handle_ni_t, ptl_handle_eq_t)) {
  const ptl_handle_ni_t ni = open_interface(rank);
  const ptl_handle_eq_t queue = make_queue(ni);
  std::vector<int> codes(3, -1);
  std::vector<std::thread> waiters;
  for (int& code : codes) {
    waiters.emplace_back([&code, queue, poll] {
      ptl_event_t event;
      int which = 0;
      ptl_handle_eq_t queues[] = {queue};
      code = poll ? PtlEQPoll(queues, 1, 20'000, &event, &which) : PtlEQWait(queue, &event);
    });
  }
  ::usleep(300'000);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(act(ni, queue), PTL_OK);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(4000));
  for (const int code : codes)
    EXPECT_STREQ(PtlErrorStr(static_cast<unsigned>(code)), "PTL_EQ_INVALID");
  PtlFini();
}

int free_queue(ptl_handle_ni_t, ptl_handle_eq_t queue) { return PtlEQFree(queue); }
int shut_interface(ptl_handle_ni_t ni, ptl_handle_eq_t) { return PtlNIFini(ni); }

TEST_P(Threads, FreeingAQueueWakesThreadsInEQWait) {
  ProcessGroup job(1, environment());
  job.start_all([](Rank& rank) { expect_wakes(rank, false, free_queue); });
  job.join_all(std::chrono::seconds(30));
}

TEST_P(Threads, FreeingAQueueWakesThreadsInEQPoll) {
  ProcessGroup job(1, environment());
  job.start_all([](Rank& rank) { expect_wakes(rank, true, free_queue); });
  job.join_all(std::chrono::seconds(30));
}

TEST_P(Threads, ShuttingTheInterfaceWakesThreadsInEQWait) {
  ProcessGroup job(1, environment());
  job.start_all([](Rank& rank) { expect_wakes(rank, false, shut_interface); });
  job.join_all(std::chrono::seconds(30));
}

TEST_P(Threads, ShuttingTheInterfaceWakesThreadsInEQPoll) {
  ProcessGroup job(1, environment());
  job.start_all([](Rank& rank) { expect_wakes(rank, true, shut_interface); });
  job.join_all(std::chrono::seconds(30));
}

// State for the handler, because C passes it only the event.
struct Handled {
  std::size_t calls = 0;
  std::set<std::uint64_t> seen;
  std::thread::id thread;
  ptl_handle_md_t answer = PTL_INVALID_HANDLE;
  ptl_process_id_t peer{};
} handled;

void answer_with_a_put(ptl_event_t* event) {
  ++handled.calls;
  handled.seen.insert(event->hdr_data);
  handled.thread = std::this_thread::get_id();
  LINTEL_MUST(
      PtlPut(handled.answer, PTL_NO_ACK_REQ, handled.peer, kPortal, 0, 2, 0, event->hdr_data));
}

TEST_P(Threads, AHandlerRunsOncePerEventOnTheWaitingThreadAndMayPut) {
  static constexpr std::size_t kPuts = 300;
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    std::vector<std::byte> memory(64);
    if (rank.number == 0) {
      const ptl_handle_eq_t answers = make_queue(ni, 2 * kPuts);
      expose(ni, 2, describe(memory, answers, kOpen));
      const ptl_handle_md_t md = bind(ni, describe(memory, PTL_EQ_NONE));
      rank.barrier();
      for (std::size_t i = 0; i < kPuts; ++i)
        LINTEL_MUST(PtlPut(md, PTL_NO_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, i));
      for (std::size_t i = 0; i < kPuts; ++i)
        EXPECT_EQ(expect_event(answers, PTL_EVENT_PUT_END).hdr_data, i);
    } else {
      ptl_handle_eq_t queue = PTL_EQ_NONE;
      LINTEL_MUST(PtlEQAlloc(ni, 2 * kPuts, answer_with_a_put, &queue));
      expose(ni, 1, describe(memory, queue, kOpen));
      handled.answer = bind(ni, describe(memory, PTL_EQ_NONE));
      handled.peer = rank.board.id(0);
      rank.barrier();
      ptl_event_t event;
      for (std::size_t i = 0; i < kPuts; ++i) {
        EXPECT_EQ(PtlEQWait(queue, &event), PTL_OK);
        EXPECT_EQ(event.hdr_data, i);
        EXPECT_EQ(handled.calls, i + 1);
      }
      EXPECT_EQ(handled.thread, std::this_thread::get_id());
      EXPECT_EQ(handled.seen.size(), kPuts);
    }
    rank.barrier();
    PtlFini();
  });
  job.join_all();
}

}  // namespace
}  // namespace lintel::testing
