// Many messages under way at once between all processes of a job: none lost, none repeated, in
// order per pair, every byte right.

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "tests/sanitized.h"
#include "tests/system/job/exchange.h"
#include "tests/system/job/lost_connections.h"
#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"
#include "tests/system/job/takeover_stranger.h"

namespace lintel::testing {
namespace {

class Traffic : public OnEveryProvider {};
LINTEL_ON_EVERY_PROVIDER(Traffic);

TEST_P(Traffic, TwoProcessesExchangeMessagesOfAllSizesInOrder) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) { exchange_with_all(rank); });
  job.join_all();
}

TEST_P(Traffic, FourProcessesExchangeMessagesOfAllSizesInOrder) {
  ProcessGroup job(4, environment());
  job.start_all([](Rank& rank) { exchange_with_all(rank); });
  job.join_all(std::chrono::seconds(100));
}

void exchange_large_puts(Rank& rank) {
  constexpr std::size_t kLength = std::size_t{8} << 20;
  constexpr std::size_t kPuts = 8;
  const ptl_handle_ni_t ni = open_interface(rank);
  const ptl_handle_eq_t arrivals = make_queue(ni);
  const ptl_handle_eq_t sent = make_queue(ni);
  std::vector<std::byte> landing(kLength * kPuts);
  std::vector<std::byte> source = patterned(kLength * kPuts, rank.number + 1);
  expose(ni, 1, describe(landing, arrivals, kOpen));
  const ptl_handle_md_t md = bind(ni, describe(source, sent));
  rank.barrier();
  for (std::size_t i = 0; i < kPuts; ++i) {
    LINTEL_MUST(PtlPutRegion(md, i * kLength, kLength, PTL_ACK_REQ, rank.board.id(rank.other()),
                             kPortal, 0, 1, i * kLength, i));
  }
  for (const ptl_event_t& event : next_events(sent, 2 * kPuts))
    EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
  for (const ptl_event_t& event : next_events(arrivals, kPuts)) EXPECT_EQ(event.mlength, kLength);
  EXPECT_TRUE(holds_pattern(landing, rank.other() + 1));
  rank.barrier();
  PtlFini();
}

TEST_P(Traffic, TwoProcessesThatSendEachOtherLargePutsAtOnceBothFinish) {
  ProcessGroup job(2, environment());
  job.start_all(exchange_large_puts);
  job.join_all();
}

void cross_gets_and_puts(Rank& rank) {
  constexpr std::size_t kRounds = 200;
  constexpr std::size_t kLongest = 200'000;
  const ptl_handle_ni_t ni = open_interface(rank);
  const ptl_process_id_t peer = rank.board.id(rank.other());
  std::vector<std::byte> offered = patterned(kLongest, rank.number);
  std::vector<std::byte> landing(kLongest);
  std::vector<std::byte> fetched(kLongest);
  std::vector<std::byte> source = patterned(kLongest, 10 + rank.number);
  const ptl_handle_eq_t arrivals = make_queue(ni, 4 * kRounds);
  const ptl_handle_eq_t queue = make_queue(ni, 4 * kRounds);
  expose(ni, 1, describe(offered, PTL_EQ_NONE, kOpen));
  expose(ni, 2, describe(landing, arrivals, kOpen));
  const ptl_handle_md_t get_md = bind(ni, describe(fetched, queue));
  const ptl_handle_md_t put_md = bind(ni, describe(source, queue));
  rank.barrier();
  for (std::size_t i = 0; i < kRounds; ++i) {
    const std::size_t length = (i * 7919) % kLongest;
    LINTEL_MUST(PtlGetRegion(get_md, 0, length, peer, kPortal, 0, 1, 0));
    LINTEL_MUST(PtlPutRegion(put_md, 0, length, PTL_ACK_REQ, peer, kPortal, 0, 2, 0, i));
    for (const ptl_event_t& event : next_events(queue, 3)) {
      EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
      EXPECT_EQ(event.mlength, length);
    }
    EXPECT_TRUE(holds_pattern(std::span<std::byte>(fetched).first(length), rank.other()));
  }
  next_events(arrivals, kRounds);
  EXPECT_TRUE(holds_pattern(std::span<std::byte>(landing).first(((kRounds - 1) * 7919) % kLongest),
                            10 + rank.other()));
  rank.barrier();
  PtlFini();
}

TEST_P(Traffic, GetsAndPutsOfBothSidesCrossWithoutHarm) {
  ProcessGroup job(2, environment());
  job.start_all(cross_gets_and_puts);
  job.join_all();
}

// Only this peer changes the memory, so each swap must fetch what the one before it has put: one
// that is lost, repeated or out of order fetches something else.
void cross_swaps(Rank& rank) {
  constexpr std::size_t kRounds = 100;
  constexpr std::size_t kAtOnce = 16;
  constexpr std::size_t kLength = 1000;
  const ptl_handle_ni_t ni = open_interface(rank);
  const auto seed = [](std::size_t of, std::size_t swap) { return 2 * swap + of; };
  std::vector<std::byte> landing = patterned(kLength, seed(rank.number, 0));
  std::vector<std::byte> sources(kAtOnce * kLength), fetched(kAtOnce * kLength);
  const ptl_handle_eq_t queue = make_queue(ni, 4 * kAtOnce);
  const ptl_handle_eq_t arrivals = make_queue(ni, 2 * kRounds * kAtOnce);
  expose(ni, 1, describe(landing, arrivals, kOpen));
  const auto part = [](std::vector<std::byte>& of, std::size_t i) {
    return std::span<std::byte>(of).subspan(i * kLength, kLength);
  };
  std::vector<ptl_handle_md_t> put_mds, get_mds;
  for (std::size_t i = 0; i < kAtOnce; ++i) {
    put_mds.push_back(bind(ni, describe(part(sources, i), queue)));
    get_mds.push_back(bind(ni, describe(part(fetched, i), queue)));
  }
  rank.barrier();
  std::size_t done = 0;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      fill(part(sources, i), seed(rank.number, done + i + 1));
      LINTEL_MUST(PtlGetPut(get_mds[i], put_mds[i], rank.board.id(rank.other()), kPortal, 0, 1, 0,
                            done + i));
    }
    next_events(queue, 2 * kAtOnce);  // SEND_END and REPLY_END
    for (std::size_t i = 0; i < kAtOnce; ++i, ++done) {
      const std::size_t from = done == 0 ? rank.other() : rank.number;
      ASSERT_TRUE(holds_pattern(part(fetched, i), seed(from, done))) << "swap " << done;
    }
  }
  std::size_t next = 0;
  for (const ptl_event_t& event : next_events(arrivals, done)) {
    EXPECT_EQ(event.type, PTL_EVENT_GETPUT_END);
    ASSERT_EQ(event.hdr_data, next++) << "lost, repeated or out of order";
  }
  EXPECT_TRUE(holds_pattern(landing, seed(rank.other(), done)));
  rank.barrier();
  PtlFini();
}

TEST_P(Traffic, SwapsOfBothSidesEachFetchWhatTheLastOnePut) {
  ProcessGroup job(2, environment());
  job.start_all(cross_swaps);
  job.join_all();
}

// ---- Over connections that are lost again and again (doc/reliability.md)

class TrafficOverLostConnections : public ::testing::Test, protected LostConnections {};

TEST_F(TrafficOverLostConnections, MessagesOfAllSizesArriveOnceAndInOrder) {
  constexpr std::uint64_t kResumed = kSanitized ? 125 : 1000;
  int runs = 0;
  while (resumed() < kResumed && runs++ < 100) {
    ProcessGroup job(4, with_resets(0.5));
    job.start_all([](Rank& rank) { exchange_with_all(rank); });
    job.join_all(std::chrono::seconds(100));
  }
  EXPECT_GE(resumed(), kResumed);
}

TEST_F(TrafficOverLostConnections, LargePutsOfBothSidesArriveWhole) {
  ProcessGroup job(2, with_resets(0.3));
  job.start_all(exchange_large_puts);
  job.join_all();
  EXPECT_GT(resumed(), 5U);
}

TEST_F(TrafficOverLostConnections, GetsAndPutsOfBothSidesCrossWithoutHarm) {
  ProcessGroup job(2, with_resets(0.2));
  job.start_all(cross_gets_and_puts);
  job.join_all();
  EXPECT_GT(resumed(), 25U);
}

TEST_F(TrafficOverLostConnections, SwapsOfBothSidesEachFetchWhatTheLastOnePut) {
  ProcessGroup job(2, with_resets(0.2));
  job.start_all(cross_swaps);
  job.join_all();
  EXPECT_GT(resumed(), 25U);
}

TEST_F(TrafficOverLostConnections, SmallMessagesOfSixteenProcessesArriveOnceAndInOrder) {
  Environment environment = with_resets(0.2);
  environment["LINTEL_PEER_TIMEOUT"] = environment["LINTEL_CONNECT_TIMEOUT"] = "60s";
  ProcessGroup job(16, environment);
  job.start_all([](Rank& rank) { exchange_with_all(rank, 100, Sizes::kSmall); });
  job.join_all(std::chrono::seconds(100));
  EXPECT_GT(resumed(), 50U);
}

void put_without_acknowledgement(Rank& rank) {
  constexpr std::size_t kPuts = 5000;
  const ptl_handle_ni_t ni = open_interface(rank);
  const ptl_handle_eq_t queue = make_queue(ni, kPuts + 8);
  std::vector<std::byte> memory = patterned(64, 1);
  if (rank.number == 1) expose(ni, 1, describe(memory, queue, kOpen));
  rank.barrier();
  if (rank.number == 0) {
    const ptl_handle_md_t md = bind(ni, describe(memory, PTL_EQ_NONE));
    for (std::size_t i = 0; i < kPuts; ++i)
      LINTEL_MUST(PtlPut(md, PTL_NOACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, i));
  } else {
    std::size_t next = 0;
    for (const ptl_event_t& event : next_events(queue, kPuts))
      ASSERT_EQ(event.hdr_data, next++) << "lost, repeated or out of order";
  }
  rank.barrier();
  PtlFini();
}

// Nobody waits for an answer to these puts: what is lost would never be missed.
TEST_F(TrafficOverLostConnections, PutsWithoutAcknowledgementArriveOnceAndInOrder) {
  int runs = 0;
  while (resumed() < 20 && runs++ < 50) {
    ProcessGroup job(2, with_resets(0.5));
    job.start_all(put_without_acknowledgement);
    job.join_all();
  }
  EXPECT_GE(resumed(), 20U);
}

TEST_F(TrafficOverLostConnections, ConnectionsMayBeDestroyedFromOutside) {
  constexpr std::size_t kEnded = 0;  // board word
  if (const std::string obstacle = destroying_obstacle(); !obstacle.empty())
    GTEST_SKIP() << obstacle;
  int runs = 0;
  while (resumed() < 20 && runs++ < 200) {
    ProcessGroup job(2, counting());
    job.start_all([](Rank& rank) {
      exchange_with_all(rank);
      rank.board.set(kEnded, 1);
    });
    destroy_until(job, kEnded, destroying_command(job, 2));
    job.join_all();
  }
  EXPECT_GE(resumed(), 20U);
}

// ---- While strangers ask for the same connections

constexpr std::size_t kMet = 0;    // board word, plus the rank: it has a session with the other
constexpr std::size_t kTried = 2;  // board word: the strangers have ended
// Board words: how the strangers were answered.
constexpr std::size_t kChallenged = 3;
constexpr std::size_t kRefused = 4;
constexpr std::size_t kTaken = 5;
constexpr std::size_t kTurns = 6;  // board word: so many of rank 0 have ended

// Ranks 0 and 1 put to each other in turns until the strangers have ended. Each looks at what has
// come before the other may put to the same place again, which is in the turn after the next.
void exchange_until_strangers_end(Rank& rank) {
  constexpr std::size_t kSizes[] = {8, 1024, 16384, 65537, 90000};
  constexpr std::size_t kLongest = 90000;
  const ptl_handle_ni_t ni = open_interface(rank);
  const ptl_handle_eq_t arrivals = make_queue(ni), sent = make_queue(ni);
  std::vector<std::byte> landing(2 * kLongest), source(kLongest);
  expose(ni, 1, describe(landing, arrivals, kOpen));
  const ptl_handle_md_t md = bind(ni, describe(source, sent));
  rank.barrier();
  for (std::size_t turn = 0, is_last = 0; is_last == 0; ++turn) {
    const std::size_t size = kSizes[turn % std::size(kSizes)];
    const std::size_t place = turn % 2 * kLongest;
    const std::vector<std::byte> data = patterned(size, 2 * turn + rank.number);
    std::copy(data.begin(), data.end(), source.begin());
    if (rank.number == 0) is_last = rank.board.get(kTried);
    LINTEL_MUST(PtlPutRegion(md, 0, size, PTL_ACK_REQ, rank.board.id(rank.other()), kPortal, 0, 1,
                             place, 2 * turn + is_last));
    EXPECT_EQ(expect_sent_and_acked(sent).mlength, size);
    const ptl_event_t event = expect_event(arrivals, PTL_EVENT_PUT_END);
    ASSERT_EQ(event.hdr_data / 2, turn) << "lost, repeated or out of order";
    EXPECT_EQ(event.mlength, size);
    EXPECT_TRUE(holds_pattern(std::span(landing).subspan(place, size), 2 * turn + rank.other()));
    if (rank.number == 1) is_last = event.hdr_data % 2;
    rank.board.set(kMet + rank.number, 1);
    if (rank.number == 0) rank.board.set(kTurns, turn);
  }
  ptl_sr_value_t dropped = 1;
  LINTEL_MUST(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &dropped));
  EXPECT_EQ(dropped, 0U);
  rank.barrier();
  PtlFini();
}

// Rank 2, in the names of both.
void try_to_take_over(Rank& rank) {
  constexpr int kTimes = 50;  // at least, and as long as the others make so many turns
  constexpr std::uint64_t kLeastTurns = 300;
  rank.barrier();
  for (const std::size_t other : {0U, 1U}) rank.board.await(kMet + other, 1);
  TakeoverStranger strangers[] = {{rank.board.id(0), rank.board.id(1)},
                                  {rank.board.id(1), rank.board.id(0)}};
  for (int times = 0; times < kTimes || rank.board.get(kTurns) < kLeastTurns; ++times) {
    for (TakeoverStranger& stranger : strangers) stranger.attempt();
  }
  rank.board.set(kTried, 1);
  using transport::GreetingKind;
  std::uint64_t challenged = 0, refused = 0, taken = 0;
  for (const TakeoverStranger& stranger : strangers) {
    EXPECT_TRUE(stranger.has_learned());
    challenged += stranger.answers(GreetingKind::kChallenge);
    refused += stranger.answers(GreetingKind::kNoStream);
    taken += stranger.answers(GreetingKind::kAccept) + stranger.answers(GreetingKind::kResumed);
  }
  rank.board.set(kChallenged, challenged);
  rank.board.set(kRefused, refused);
  rank.board.set(kTaken, taken);
  rank.barrier();
}

// The strangers know what the greetings say. The job has no secret.
TEST_F(TrafficOverLostConnections, StrangersTakeNoSessionOver) {
  ProcessGroup job(3, with_resets(0.3));
  job.start_all([](Rank& rank) {
    rank.number == 2 ? try_to_take_over(rank) : exchange_until_strangers_end(rank);
  });
  job.join_all();
  const Board& board = job.board();
  EXPECT_EQ(board.get(kTaken), 0U);
  EXPECT_GT(board.get(kChallenged), 20U) << "the test saw what it is about";
  EXPECT_GT(board.get(kRefused), 20U) << "the test saw what it is about";
  EXPECT_GT(resumed(), 100U) << "the test saw what it is about";
  EXPECT_LE(sum_of("peer_failures"), 2U) << "those that a rank notices at its end";
  EXPECT_EQ(sum_of("messages_unacknowledged"), 0U);
}

}  // namespace
}  // namespace lintel::testing
