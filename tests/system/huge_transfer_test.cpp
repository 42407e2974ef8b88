// Lengths over 4 GiB. The mirrored memory has real memory near 0, near 4 GiB and at its end, which
// is checked.

#include <sys/mman.h>

#include <vector>

#include "tests/mirrored_memory.h"
#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr std::size_t kLength = 4 * kGiB + 3 * kMiB;
constexpr std::size_t kIsland = 2 * kMiB;
constexpr std::size_t kIslands[] = {0, 2 * kGiB - kMiB, 4 * kGiB - kMiB, kLength - kIsland};
constexpr std::chrono::milliseconds kLong{120'000};

std::span<std::byte> island(std::byte* memory, std::size_t place) {
  return {memory + place, kIsland};
}

class Islands {
 public:
  Islands() : sea_(kLength) {
    if (sea_.data() == nullptr) std::abort();
    for (const std::size_t place : kIslands) {
      const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
      if (::mmap(sea_.data() + place, kIsland, PROT_READ | PROT_WRITE, flags, -1, 0) == MAP_FAILED)
        std::abort();
    }
  }
  std::span<std::byte> memory() const { return {sea_.data(), kLength}; }

 private:
  MirroredMemory sea_;
};

void expect_islands(std::span<std::byte> memory) {
  for (const std::size_t place : kIslands)
    EXPECT_TRUE(holds_pattern(island(memory.data(), place), place)) << "at " << place;
}

// The same memory as pieces of unequal length.
std::vector<ptl_md_iovec_t> in_pieces(std::span<std::byte> memory) {
  const std::size_t first = kMiB + 17;
  const std::size_t second = 3 * kGiB;
  return {{memory.data(), first},
          {memory.data() + first, second},
          {memory.data() + first + second, memory.size() - first - second}};
}

class HugeTransfer : public OnEveryProvider {};
LINTEL_ON_EVERY_PROVIDER(HugeTransfer);

void put_and_get(Rank& rank, bool pieces) {
  const ptl_handle_ni_t ni = open_interface(rank);
  const ptl_handle_eq_t queue = make_queue(ni);
  const Islands from;
  const Islands to;
  const std::span<std::byte> source = from.memory();
  const std::span<std::byte> target = to.memory();
  for (const std::size_t place : kIslands) fill(island(source.data(), place), place);
  std::vector<ptl_md_iovec_t> source_pieces = in_pieces(source);
  std::vector<ptl_md_iovec_t> target_pieces = in_pieces(target);
  const ptl_handle_md_t md =
      bind(ni, pieces ? describe(source_pieces, queue) : describe(source, queue));
  const ptl_handle_md_t landing =
      bind(ni, pieces ? describe(target_pieces, queue) : describe(target, queue));
  const ptl_handle_eq_t arrivals = make_queue(ni);
  expose(ni, 1,
         pieces ? describe(target_pieces, arrivals, kOpen) : describe(target, arrivals, kOpen));
  expose(ni, 2,
         pieces ? describe(source_pieces, arrivals, kOpen) : describe(source, arrivals, kOpen));
  rank.barrier();
  if (rank.number == 0) {
    LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, 0, 0));
    for (const ptl_event_t& event : next_events(queue, 2, kLong)) EXPECT_EQ(event.mlength, kLength);
    LINTEL_MUST(PtlGet(landing, rank.board.id(1), kPortal, 0, 2, 0));
    EXPECT_EQ(next_events(queue, 1, kLong)[0].mlength, kLength);
    expect_islands(target);
  } else {
    const ptl_event_t put = next_events(arrivals, 1, kLong)[0];
    EXPECT_EQ(put.rlength, kLength);
    EXPECT_EQ(put.mlength, kLength);
    expect_islands(target);
    EXPECT_EQ(next_events(arrivals, 1, kLong)[0].mlength, kLength);
  }
  rank.barrier();
  PtlFini();
}

TEST_P(HugeTransfer, PutAndGetOfMoreThanFourGiBMoveEveryPage) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) { put_and_get(rank, false); });
  job.join_all(2 * kLong);
}

TEST_P(HugeTransfer, PutAndGetOfMoreThanFourGiBInPiecesMoveEveryPage) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) { put_and_get(rank, true); });
  job.join_all(2 * kLong);
}

// A few bytes at an offset beyond 4 GiB.
TEST_P(HugeTransfer, AnOffsetBeyondFourGiBIsMetExactly) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    constexpr std::size_t kPlace = kLength - kMiB;
    const Islands to;
    const std::span<std::byte> target = to.memory();
    std::vector<std::byte> source = patterned(1000, 9);
    expose(ni, 1, describe(target, queue, kOpen));
    const ptl_handle_md_t md = bind(ni, describe(source, queue));
    rank.barrier();
    if (rank.number == 0) {
      LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 1, kPlace, 0));
      EXPECT_EQ(expect_sent_and_acked(queue).offset, kPlace);
    } else {
      EXPECT_EQ(expect_event(queue, PTL_EVENT_PUT_END).offset, kPlace);
      EXPECT_TRUE(holds_pattern(target.subspan(kPlace, source.size()), 9));
    }
    rank.barrier();
    PtlFini();
  });
  job.join_all();
}

}  // namespace
}  // namespace lintel::testing
