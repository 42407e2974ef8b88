// Memory of a process: with one interface, per connected peer, and after many interfaces.

#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/portals_calls.h"
#include "tests/system/resident_memory.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

class Memory : public OnEveryProvider {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers have memory of their own";
  }
};
LINTEL_ON_EVERY_PROVIDER(Memory);

TEST_P(Memory, AProcessWithOneInterfaceStaysBelowSixteenMiB) {
  ASSERT_EQ(::setenv("LINTEL_PROVIDER", GetParam(), 1), 0);
  std::FILE* output = ::popen(LINTEL_LONE_PROCESS, "r");
  ASSERT_NE(output, nullptr);
  std::size_t resident = 0;
  EXPECT_EQ(std::fscanf(output, "%zu", &resident), 1);
  EXPECT_EQ(::pclose(output), 0);
  std::printf("%s: %.2f MiB resident\n", GetParam(), static_cast<double>(resident) / kMiB);
  if (preferred()) {
    EXPECT_LT(resident, 16 * kMiB);
  }
}

// One process puts to all others, and they to it; then all are idle.
TEST_P(Memory, AnIdleConnectedPeerCostsLessThanSixtyFourKiB) {
  const bool limited = preferred();
  // on other networks no limit is promised, only that it works
  const std::size_t peers = limited ? 64 : 8;
  ProcessGroup job(peers + 1, environment());
  job.start_all([&](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    std::vector<std::byte> memory(kKiB);
    const ptl_handle_eq_t queue = make_queue(ni);
    expose(ni, 1, describe(memory, PTL_EQ_NONE, kOpen));
    const ptl_handle_md_t md = bind(ni, describe(memory, queue));
    rank.barrier();
    const auto meet = [&](std::size_t peer) {
      for (int i = 0; i < 10; ++i) {
        LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(peer), kPortal, 0, 1, 0, 0));
        expect_sent_and_acked(queue);
      }
    };
    if (rank.number != 0) {
      rank.board.await(0, rank.number);
      meet(0);
      rank.board.set(1, rank.number);
      rank.board.await(2, 1);
      PtlFini();
      return;
    }
    std::size_t before = 0;
    for (std::size_t peer = 1; peer <= peers; ++peer) {
      meet(peer);
      rank.board.set(0, peer);
      rank.board.await(1, peer);
      // what the first peer allocates is not counted per peer
      if (peer == 1) before = resident_bytes();
    }
    const std::size_t each = (resident_bytes() - before) / (peers - 1);
    std::printf("%s: %.1f KiB for each connected peer\n", GetParam(),
                static_cast<double>(each) / kKiB);
    if (limited) {
      EXPECT_LT(each, 64 * kKiB);
    }
    rank.board.set(2, 1);
    PtlFini();
  });
  job.join_all(std::chrono::seconds(90));
}

TEST_P(Memory, InterfacesOneAfterAnotherLeaveNothingBehind) {
  // an endpoint of the heaviest provider takes 69 MiB, and the time to touch them
  const int rounds = preferred() ? 200 : 50;
  ProcessGroup job(1, environment());
  job.start_all([&](Rank&) {
    int interfaces = 0;
    LINTEL_MUST(PtlInit(&interfaces));
    const auto once = [] {
      ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
      LINTEL_MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &ni));
      std::vector<std::byte> memory(80'000);
      const ptl_handle_eq_t queue = make_queue(ni);
      expose(ni, 1, describe(memory, queue, kOpen));
      LINTEL_MUST(
          PtlPut(bind(ni, describe(memory, queue)), PTL_ACK_REQ, own_id(ni), kPortal, 0, 1, 0, 0));
      next_events(queue, 3);
      LINTEL_MUST(PtlNIFini(ni));
    };
    for (int i = 0; i < 20; ++i) once();
    ::malloc_trim(0);
    const std::size_t descriptors = open_descriptors();
    const std::size_t memory = resident_bytes();
    for (int i = 0; i < rounds; ++i) once();
    ::malloc_trim(0);
    const auto growth = static_cast<double>(resident_bytes()) - static_cast<double>(memory);
    std::printf("%s: %zu descriptors before and %zu after, memory grew by %.0f KiB\n", GetParam(),
                descriptors, open_descriptors(), growth / kKiB);
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_LT(growth, 3.0 * kKiB * rounds)
        << "less than 3 KiB per interface is what fragmentation explains";
    PtlFini();
  });
  job.join_all(std::chrono::seconds(110));
}

}  // namespace
}  // namespace lintel::testing
