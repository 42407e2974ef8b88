// Many messages under way at once between all processes of a job: none lost, none repeated, in
// order per pair, every byte right.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/system/job/counters_file.h"
#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

class Traffic : public OnEveryProvider {};
LINTEL_ON_EVERY_PROVIDER(Traffic);

constexpr std::size_t kMessages = 400;

// Mostly small, some around the eager limit, some far above it.
std::size_t message_size(std::size_t number) {
  constexpr std::size_t kCycle[] = {0, 1, 8, 100, 1024, 4000, 16384, 65537, 7, 90000, 300, 8};
  return kCycle[number % std::size(kCycle)];
}

std::size_t place_of(std::size_t number) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < number; ++i) place += message_size(i);
  return place;
}

std::uint64_t seed_of(std::size_t from, std::size_t to) { return from * 100 + to + 1; }

// Puts of all sizes to every other rank, without waiting in between. The match bits name the
// sender.
void exchange_with_all(Rank& rank) {
  const ptl_handle_ni_t ni = open_interface(rank);
  const std::size_t total = place_of(kMessages);
  std::vector<std::vector<std::byte>> landings(rank.size, std::vector<std::byte>(total));
  std::vector<ptl_handle_eq_t> arrivals(rank.size);
  for (std::size_t from = 0; from < rank.size; ++from) {
    arrivals[from] = make_queue(ni, 2 * kMessages + 8);
    expose(ni, from,
           describe(landings[from], arrivals[from], PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE));
  }
  rank.barrier();
  const ptl_handle_eq_t sent = make_queue(ni, 4 * kMessages * rank.size);
  std::vector<std::vector<std::byte>> sources;
  for (std::size_t to = 0; to < rank.size; ++to)
    sources.push_back(patterned(total, seed_of(rank.number, to)));
  std::vector<ptl_handle_md_t> mds;
  for (std::vector<std::byte>& source : sources) mds.push_back(bind(ni, describe(source, sent)));
  std::size_t place = 0;
  for (std::size_t i = 0; i < kMessages; ++i) {
    for (std::size_t to = 0; to < rank.size; ++to) {
      if (to == rank.number) continue;
      LINTEL_MUST(PtlPutRegion(mds[to], place, message_size(i), PTL_ACK_REQ, rank.board.id(to),
                               kPortal, 0, rank.number, place, i));
    }
    place += message_size(i);
  }
  std::size_t acks = 0;
  for (const ptl_event_t& event : next_events(sent, 2 * kMessages * (rank.size - 1))) {
    EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
    EXPECT_EQ(event.mlength, event.rlength);
    acks += event.type == PTL_EVENT_ACK ? 1 : 0;
  }
  EXPECT_EQ(acks, kMessages * (rank.size - 1));
  for (std::size_t from = 0; from < rank.size; ++from) {
    if (from == rank.number) continue;
    std::uint64_t next_start = 0;
    std::vector<bool> ended(kMessages);
    for (const ptl_event_t& event : next_events(arrivals[from], 2 * kMessages)) {
      EXPECT_EQ(event.initiator.pid, rank.board.id(from).pid);
      EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
      if (event.type == PTL_EVENT_PUT_START) {
        EXPECT_EQ(event.hdr_data, next_start++) << "matched out of order, from rank " << from;
      } else {
        ASSERT_LT(event.hdr_data, kMessages);
        EXPECT_FALSE(ended[event.hdr_data]) << "message " << event.hdr_data << " ended twice";
        ended[event.hdr_data] = true;
      }
    }
    EXPECT_EQ(std::count(ended.begin(), ended.end(), true), static_cast<std::ptrdiff_t>(kMessages));
    EXPECT_TRUE(holds_pattern(landings[from], seed_of(from, rank.number))) << "from rank " << from;
  }
  ptl_sr_value_t dropped = 1;
  LINTEL_MUST(PtlNIStatus(ni, PTL_SR_DROP_COUNT, &dropped));
  EXPECT_EQ(dropped, 0U);
  rank.barrier();
  PtlFini();
}

TEST_P(Traffic, TwoProcessesExchangeMessagesOfAllSizesInOrder) {
  ProcessGroup job(2, environment());
  job.start_all(exchange_with_all);
  job.join_all();
}

TEST_P(Traffic, FourProcessesExchangeMessagesOfAllSizesInOrder) {
  ProcessGroup job(4, environment());
  job.start_all(exchange_with_all);
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

// ---- Over connections that are lost again and again (doc/reliability.md)

class TrafficOverLostConnections : public ::testing::Test {
 protected:
  TrafficOverLostConnections() { std::filesystem::create_directories(folder_); }
  ~TrafficOverLostConnections() override { std::filesystem::remove_all(folder_); }

  // Each message and each write loses its connection with that probability.
  Environment with_resets(double probability) const {
    Environment environment = counting();
    environment["LINTEL_FAULTS"] = "reset=" + std::to_string(probability);
    return environment;
  }
  Environment counting() const {
    return {{"LINTEL_PROVIDER", "direct"}, {"LINTEL_COUNTERS_FILE", folder_ + "/%p"}};
  }
  // Of all processes of the test, each connection counted at both of its ends.
  std::uint64_t resumed() const {
    std::uint64_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      sum += counters_in(entry.path().string())["connections_resumed"];
    return sum;
  }

 private:
  std::string folder_ = ::testing::TempDir() + "lost_connections_" + std::to_string(getpid());
};

TEST_F(TrafficOverLostConnections, MessagesOfAllSizesArriveOnceAndInOrder) {
  int runs = 0;
  while (resumed() < 1000 && runs++ < 50) {
    ProcessGroup job(4, with_resets(0.5));
    job.start_all(exchange_with_all);
    job.join_all(std::chrono::seconds(100));
  }
  EXPECT_GE(resumed(), 1000U);
}

TEST_F(TrafficOverLostConnections, LargePutsOfBothSidesArriveWhole) {
  ProcessGroup job(2, with_resets(0.3));
  job.start_all(exchange_large_puts);
  job.join_all();
  EXPECT_GT(resumed(), 10U);
}

TEST_F(TrafficOverLostConnections, GetsAndPutsOfBothSidesCrossWithoutHarm) {
  ProcessGroup job(2, with_resets(0.2));
  job.start_all(cross_gets_and_puts);
  job.join_all();
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

// By the system, as an administrator may: ss -K ends both sockets of a connection.
TEST_F(TrafficOverLostConnections, ConnectionsMayBeDestroyedFromOutside) {
  constexpr std::size_t kEnded = 0;  // board word
  if (std::system("ss -tK dst 127.0.0.1 dport = :1 > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "ss -K needs root, and a kernel with CONFIG_INET_DIAG_DESTROY";
  int runs = 0;
  while (resumed() < 20 && runs++ < 200) {
    ProcessGroup job(2, counting());
    job.board().set(kEnded, 0);
    job.start_all([](Rank& rank) {
      exchange_with_all(rank);
      rank.board.set(kEnded, 1);
    });
    std::string command = "ss -tK '( ";
    for (std::size_t rank = 0; rank < 2; ++rank)
      command +=
          (rank == 0 ? "dport = :" : " or dport = :") + std::to_string(job.board().id(rank).pid);
    command += " )' > /dev/null 2>&1";
    while (job.board().get(kEnded) == 0) EXPECT_EQ(std::system(command.c_str()), 0);
    job.join_all();
  }
  EXPECT_GE(resumed(), 20U);
}

}  // namespace
}  // namespace lintel::testing
