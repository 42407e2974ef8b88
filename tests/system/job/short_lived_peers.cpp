#include "tests/system/job/short_lived_peers.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/sanitized.h"
#include "tests/system/job/portals_calls.h"
#include "tests/system/resident_memory.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kServer = 0;  // rank; the others make peers
constexpr std::size_t kMakers = 4;

constexpr std::size_t kPeersWanted = 0;  // board word: so many peers, of all makers together
constexpr std::size_t kPeersMade = 0;  // board word, plus the rank of a maker: likewise, were there

// To fork takes longer than to open an interface: a process is several peers, one after the other.
constexpr std::size_t kPeersOfAProcess = 4;
constexpr std::size_t kPeersOfATurn = kMakers * kPeersOfAProcess;
// At most between two signs of life, for which Board does not wait for ever.
constexpr std::size_t kPeersOfARound = 100 * kPeersOfATurn;

// A process keeps records of the last 256 that have left, of 2.5 KiB each at most
// (doc/security.md). So its memory grows by them at first, and then no more but by some pages of
// the heap. A library that forgot nobody was seen to keep 0.8 KiB for each that had left: for 1,500
// of them nine times kHeap.
constexpr std::size_t kKiB = 1024;
constexpr std::size_t kFewPeers = kPeersOfATurn;
constexpr std::size_t kEnoughPeers = 512;
constexpr std::size_t kRecords = 256 * 5 * kKiB / 2;
constexpr std::size_t kHeap = 128 * kKiB;

void put_once(ptl_handle_ni_t ni, ptl_process_id_t server) {
  std::vector<std::byte> memory(64);
  const ptl_handle_eq_t queue = make_queue(ni, 8);
  LINTEL_MUST(PtlPut(bind(ni, describe(memory, queue)), PTL_ACK_REQ, server, kPortal, 0, 1, 0, 0));
  expect_sent_and_acked(queue);
}

// The last one of them leaves without a goodbye.
void be_peers(ptl_process_id_t server) {
  for (std::size_t left = kPeersOfAProcess; left > 0; --left) {
    const ptl_handle_ni_t ni = open_interface();
    put_once(ni, server);
    if (left > 1) LINTEL_MUST(PtlNIFini(ni));
  }
  std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
}

// 127.1.0.0 and so on, another one for each process: there are more peers than ports.
std::string address_of_process(std::size_t process) {
  return "127." + std::to_string(1 + (process >> 16)) + "." + std::to_string(process >> 8 & 255) +
         "." + std::to_string(process & 255);
}

void make_peers(Rank& rank, std::size_t peers) {
  const ptl_process_id_t server = rank.board.id(kServer);
  std::size_t process = rank.number;
  for (std::size_t made = 0; made < peers;) {
    rank.board.await(kPeersWanted, made + 1);
    for (const std::size_t wanted = rank.board.get(kPeersWanted); made < wanted;
         made += kPeersOfATurn) {
      ProcessGroup visitor(1, {{"LINTEL_INTERFACE", address_of_process(process)}});
      visitor.start(0, [server](Rank&) { be_peers(server); });
      visitor.join(0);
      process += kMakers;
    }
    rank.board.set(kPeersMade + rank.number, made);
  }
}

// Waits until all connections of peers are closed.
void await_descriptors(std::size_t count) {
  const auto limit = std::chrono::steady_clock::now() + kTimeout;
  while (open_descriptors() != count && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void serve(Rank& rank, std::size_t peers) {
  const ptl_handle_ni_t ni = open_interface();
  std::vector<std::byte> memory(64);
  expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
  const std::size_t descriptors = open_descriptors();
  rank.board.publish(kServer, own_id(ni));
  std::size_t met = 0;
  const auto memory_after = [&](std::size_t count) {
    while (met < count) {
      met += std::min(kPeersOfARound, count - met);
      rank.board.set(kPeersWanted, met);
      for (std::size_t maker = 1; maker <= kMakers; ++maker)
        rank.board.await(kPeersMade + maker, met);
    }
    await_descriptors(descriptors);
    EXPECT_EQ(open_descriptors(), descriptors) << "after " << met << " peers";
    ::malloc_trim(0);
    return resident_bytes();
  };
  const std::size_t few = memory_after(kFewPeers);
  const std::size_t enough = memory_after(kEnoughPeers);
  const std::size_t many = memory_after(peers);
  std::printf("%zu descriptors before, %zu after; KiB after %zu peers: %zu, %zu: %zu, %zu: %zu\n",
              descriptors, open_descriptors(), kFewPeers, few / kKiB, kEnoughPeers, enough / kKiB,
              peers, many / kKiB);
  EXPECT_LT(many, few + kRecords + kHeap);
  EXPECT_LT(many, enough + kHeap);
  PtlFini();
}

}  // namespace

void expect_nothing_left_of(std::size_t peers, Environment environment) {
  if (kSanitized) GTEST_SKIP() << "sanitizers have memory of their own";
  ASSERT_EQ(peers % kPeersOfATurn, 0U);
  environment["LINTEL_LOG"] = "error";  // or else a line for each that says no goodbye
  ProcessGroup job(1 + kMakers, std::move(environment));
  job.start_all([peers](Rank& rank) {
    if (rank.number == kServer) {
      serve(rank, peers);
    } else {
      make_peers(rank, peers);
    }
  });
  job.join_all(std::chrono::minutes(20));
}

}  // namespace lintel::testing
