// Two processes: every operation in every class of size, every byte checked.

#include <algorithm>
#include <vector>

#include "tests/system/job/on_every_provider.h"
#include "tests/system/job/pattern.h"
#include "tests/system/job/portals_calls.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kEagerLimit = 65536;  // the default of LINTEL_EAGER_LIMIT
constexpr std::size_t kLargest = std::size_t{16} << 20;
constexpr std::size_t kSizes[] = {
    0, 1, 8, 1024, 16384, 16385, kEagerLimit, kEagerLimit + 1, std::size_t{1} << 20, kLargest};
constexpr std::size_t kSkew = 3;    // unaligned offsets
constexpr std::size_t kFence = 64;  // bytes around the destination that must not change

std::span<std::byte> part(std::vector<std::byte>& memory, std::size_t offset, std::size_t length) {
  return std::span<std::byte>(memory).subspan(offset, length);
}

// `memory` cut into non-empty pieces of growing length, in memory order except for the first two.
std::vector<ptl_md_iovec_t> cut(std::span<std::byte> memory, std::size_t pieces) {
  std::vector<ptl_md_iovec_t> vector;
  std::size_t place = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t left = memory.size() - place;
    const std::size_t length = i + 1 == pieces ? left : left * (i + 1) / (pieces * 2);
    if (length > 0) vector.push_back({memory.data() + place, length});
    place += length;
  }
  if (vector.empty()) vector.push_back({memory.data(), 0});
  if (vector.size() > 1) std::swap(vector[0], vector[1]);
  return vector;
}

std::vector<std::byte> gathered(const std::vector<ptl_md_iovec_t>& pieces) {
  std::vector<std::byte> all;
  for (const ptl_md_iovec_t& piece : pieces) {
    const auto* bytes = static_cast<const std::byte*>(piece.iov_base);
    all.insert(all.end(), bytes, bytes + piece.iov_len);
  }
  return all;
}

void scatter(const std::vector<ptl_md_iovec_t>& pieces, const std::vector<std::byte>& from) {
  std::size_t place = 0;
  for (const ptl_md_iovec_t& piece : pieces) {
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(place), piece.iov_len,
                static_cast<std::byte*>(piece.iov_base));
    place += piece.iov_len;
  }
}

class DataMovement : public OnEveryProvider {};
LINTEL_ON_EVERY_PROVIDER(DataMovement);

TEST_P(DataMovement, APutOfAnySizeArrivesByteForByteAndIsAcknowledged) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(kLargest + kSkew + 2 * kFence, kUntouched);
    if (rank.number == 1) expose(ni, 7, describe(memory, queue, kOpen));
    rank.barrier();
    for (const std::size_t size : kSizes) {
      SCOPED_TRACE(std::to_string(size) + " bytes");
      if (rank.number == 0) {
        std::vector<std::byte> source = patterned(size, size + 1);
        const ptl_handle_md_t md = bind(ni, describe(source, queue));
        LINTEL_MUST(
            PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 7, kFence + kSkew, size + 99));
        const ptl_event_t ack = expect_sent_and_acked(queue);
        EXPECT_EQ(ack.rlength, size);
        EXPECT_EQ(ack.mlength, size);
        LINTEL_MUST(PtlMDUnlink(md));
      } else {
        const ptl_event_t put = expect_event(queue, PTL_EVENT_PUT_END);
        EXPECT_EQ(put.rlength, size);
        EXPECT_EQ(put.mlength, size);
        EXPECT_EQ(put.offset, kFence + kSkew);
        EXPECT_EQ(put.hdr_data, size + 99);
        EXPECT_TRUE(holds_pattern(part(memory, kFence + kSkew, size), size + 1));
        EXPECT_TRUE(untouched(part(memory, 0, kFence + kSkew)));
        EXPECT_TRUE(untouched(part(memory, kFence + kSkew + size, kFence)));
        std::fill(memory.begin(), memory.end(), kUntouched);
        // takes the library's lock, because the thread sanitizer does not see that the next put
        // comes after the other process's barrier
        own_id(ni);
      }
      rank.barrier();
    }
    PtlFini();
  });
  job.join_all();
}

TEST_P(DataMovement, AGetOfAnySizeFetchesByteForByte) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory = patterned(rank.number == 1 ? kLargest + kSkew : 0, 5);
    if (rank.number == 1) expose(ni, 7, describe(memory, queue, kOpen));
    rank.barrier();
    for (const std::size_t size : kSizes) {
      SCOPED_TRACE(std::to_string(size) + " bytes");
      if (rank.number == 0) {
        std::vector<std::byte> landing(size + 2 * kFence, kUntouched);
        const ptl_handle_md_t md = bind(ni, describe(landing, queue));
        LINTEL_MUST(PtlGetRegion(md, kFence, size, rank.board.id(1), kPortal, 0, 7, kSkew));
        const ptl_event_t reply = expect_event(queue, PTL_EVENT_REPLY_END);
        EXPECT_EQ(reply.rlength, size);
        EXPECT_EQ(reply.mlength, size);
        EXPECT_EQ(reply.offset, kFence);
        EXPECT_TRUE(holds_pattern(part(landing, kFence, size), 5, kSkew));
        EXPECT_TRUE(untouched(part(landing, 0, kFence)));
        EXPECT_TRUE(untouched(part(landing, kFence + size, kFence)));
        LINTEL_MUST(PtlMDUnlink(md));
      } else {
        EXPECT_EQ(expect_event(queue, PTL_EVENT_GET_END).mlength, size);
      }
      rank.barrier();
    }
    PtlFini();
  });
  job.join_all();
}

TEST_P(DataMovement, AGetPutOfAnyAllowedSizeSwapsByteForByte) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    int interfaces = 0;
    ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
    ptl_ni_limits_t limits{};
    LINTEL_MUST(PtlInit(&interfaces));
    LINTEL_MUST(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, &limits, &ni));
    rank.board.publish(rank.number, own_id(ni));
    const ptl_handle_eq_t queue = make_queue(ni);
    const auto largest = static_cast<std::size_t>(limits.max_getput_md);
    std::vector<std::byte> memory = patterned(largest + kSkew, 1);
    if (rank.number == 1) expose(ni, 7, describe(memory, queue, kOpen));
    rank.barrier();
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{8}, largest}) {
      SCOPED_TRACE(std::to_string(size) + " bytes");
      if (rank.number == 0) {
        std::vector<std::byte> in = patterned(size, 2);
        std::vector<std::byte> out(size + kFence, kUntouched);
        const ptl_handle_eq_t replies = make_queue(ni);
        const ptl_handle_md_t put_md = bind(ni, describe(in, queue));
        const ptl_handle_md_t get_md = bind(ni, describe(part(out, 0, size), replies));
        LINTEL_MUST(PtlGetPut(get_md, put_md, rank.board.id(1), kPortal, 0, 7, kSkew, 3));
        expect_event(queue, PTL_EVENT_SEND_END);
        EXPECT_EQ(expect_event(replies, PTL_EVENT_REPLY_END).mlength, size);
        EXPECT_TRUE(holds_pattern(part(out, 0, size), 1, kSkew));
        EXPECT_TRUE(untouched(part(out, size, kFence)));
        LINTEL_MUST(PtlMDUnlink(put_md));
        LINTEL_MUST(PtlMDUnlink(get_md));
      } else {
        EXPECT_EQ(expect_event(queue, PTL_EVENT_GETPUT_END).mlength, size);
        EXPECT_TRUE(holds_pattern(part(memory, kSkew, size), 2));
        EXPECT_TRUE(holds_pattern(part(memory, kSkew + size, largest - size), 1, kSkew + size));
        fill(memory, 1);
        own_id(ni);  // as above
      }
      rank.barrier();
    }
    PtlFini();
  });
  job.join_all();
}

TEST_P(DataMovement, APutFromPiecesLandsInOtherPieces) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    for (const std::size_t size : kSizes) {
      SCOPED_TRACE(std::to_string(size) + " bytes");
      std::vector<std::byte> memory(size);
      std::vector<ptl_md_iovec_t> pieces = cut(memory, rank.number == 0 ? 7 : 5);
      if (rank.number == 0) {
        scatter(pieces, patterned(size, 11));
        const ptl_handle_md_t md = bind(ni, describe(pieces, queue));
        rank.barrier();
        LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 7, 0, 0));
        EXPECT_EQ(expect_sent_and_acked(queue).mlength, size);
        LINTEL_MUST(PtlMDUnlink(md));
      } else {
        const ptl_handle_md_t md = expose(ni, 7, describe(pieces, queue, kOpen));
        rank.barrier();
        EXPECT_EQ(expect_event(queue, PTL_EVENT_PUT_END).mlength, size);
        EXPECT_TRUE(holds_pattern(gathered(pieces), 11));
        LINTEL_MUST(PtlMDUnlink(md));
      }
      rank.barrier();
    }
    PtlFini();
  });
  job.join_all();
}

TEST_P(DataMovement, AGetFromPiecesLandsInOtherPieces) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    for (const std::size_t size : kSizes) {
      SCOPED_TRACE(std::to_string(size) + " bytes");
      std::vector<std::byte> memory(size);
      std::vector<ptl_md_iovec_t> pieces = cut(memory, rank.number == 0 ? 4 : 9);
      if (rank.number == 0) {
        const ptl_handle_md_t md = bind(ni, describe(pieces, queue));
        rank.barrier();
        LINTEL_MUST(PtlGet(md, rank.board.id(1), kPortal, 0, 7, 0));
        EXPECT_EQ(expect_event(queue, PTL_EVENT_REPLY_END).mlength, size);
        EXPECT_TRUE(holds_pattern(gathered(pieces), 12));
        LINTEL_MUST(PtlMDUnlink(md));
      } else {
        scatter(pieces, patterned(size, 12));
        const ptl_handle_md_t md = expose(ni, 7, describe(pieces, queue, kOpen));
        rank.barrier();
        EXPECT_EQ(expect_event(queue, PTL_EVENT_GET_END).mlength, size);
        LINTEL_MUST(PtlMDUnlink(md));
      }
      rank.barrier();
    }
    PtlFini();
  });
  job.join_all();
}

// The target has room for only part of it: contiguous, and in pieces.
TEST_P(DataMovement, APutThatIsTooLongIsTruncatedAndNothingBehindChanges) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    for (const std::size_t size : kSizes) {
      for (const bool in_pieces : {false, true}) {
        const std::size_t room = size * 2 / 3;
        SCOPED_TRACE(std::to_string(size) + " bytes into " + std::to_string(room) +
                     (in_pieces ? " in pieces" : ""));
        if (rank.number == 0) {
          std::vector<std::byte> source = patterned(size, 13);
          const ptl_handle_md_t md = bind(ni, describe(source, queue));
          rank.barrier();
          LINTEL_MUST(PtlPut(md, PTL_ACK_REQ, rank.board.id(1), kPortal, 0, 7, 0, 0));
          const ptl_event_t ack = expect_sent_and_acked(queue);
          EXPECT_EQ(ack.rlength, size);
          EXPECT_EQ(ack.mlength, room);
          LINTEL_MUST(PtlMDUnlink(md));
        } else {
          std::vector<std::byte> memory(room + kFence, kUntouched);
          std::vector<ptl_md_iovec_t> pieces = cut(part(memory, 0, room), 3);
          const unsigned options = kOpen | PTL_MD_TRUNCATE;
          const ptl_handle_md_t md =
              expose(ni, 7,
                     in_pieces ? describe(pieces, queue, options)
                               : describe(part(memory, 0, room), queue, options));
          rank.barrier();
          const ptl_event_t put = expect_event(queue, PTL_EVENT_PUT_END);
          EXPECT_EQ(put.rlength, size);
          EXPECT_EQ(put.mlength, room);
          if (in_pieces) {
            EXPECT_TRUE(holds_pattern(gathered(pieces), 13));
          } else {
            EXPECT_TRUE(holds_pattern(part(memory, 0, room), 13));
          }
          EXPECT_TRUE(untouched(part(memory, room, kFence)));
          LINTEL_MUST(PtlMDUnlink(md));
        }
        rank.barrier();
      }
    }
    PtlFini();
  });
  job.join_all();
}

TEST_P(DataMovement, AGetThatIsTooLongIsTruncatedAndTheRestOfItsMemoryDoesNotChange) {
  ProcessGroup job(2, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_handle_eq_t queue = make_queue(ni);
    for (const std::size_t size : kSizes) {
      const std::size_t there = size / 2;
      SCOPED_TRACE(std::to_string(size) + " bytes of " + std::to_string(there));
      if (rank.number == 0) {
        std::vector<std::byte> landing(size, kUntouched);
        const ptl_handle_md_t md = bind(ni, describe(landing, queue));
        rank.barrier();
        LINTEL_MUST(PtlGet(md, rank.board.id(1), kPortal, 0, 7, 0));
        const ptl_event_t reply = expect_event(queue, PTL_EVENT_REPLY_END);
        EXPECT_EQ(reply.rlength, size);
        EXPECT_EQ(reply.mlength, there);
        EXPECT_TRUE(holds_pattern(part(landing, 0, there), 14));
        EXPECT_TRUE(untouched(part(landing, there, size - there)));
        LINTEL_MUST(PtlMDUnlink(md));
      } else {
        std::vector<std::byte> memory = patterned(there, 14);
        const ptl_handle_md_t md = expose(ni, 7, describe(memory, queue, kOpen | PTL_MD_TRUNCATE));
        rank.barrier();
        EXPECT_EQ(expect_event(queue, PTL_EVENT_GET_END).mlength, there);
        LINTEL_MUST(PtlMDUnlink(md));
      }
      rank.barrier();
    }
    PtlFini();
  });
  job.join_all();
}

TEST_P(DataMovement, ToItselfAProcessPutsGetsAndSwapsAsToAnyOther) {
  ProcessGroup job(1, environment());
  job.start_all([](Rank& rank) {
    const ptl_handle_ni_t ni = open_interface(rank);
    const ptl_process_id_t self = rank.board.id(0);
    const ptl_handle_eq_t target_queue = make_queue(ni);
    const ptl_handle_eq_t queue = make_queue(ni);
    std::vector<std::byte> memory(kLargest);
    expose(ni, 7, describe(memory, target_queue, kOpen));
    for (const std::size_t size : kSizes) {
      SCOPED_TRACE(std::to_string(size) + " bytes");
      std::vector<std::byte> source = patterned(size, size);
      std::vector<std::byte> landing(size);
      const ptl_handle_md_t put_md = bind(ni, describe(source, queue));
      const ptl_handle_md_t get_md = bind(ni, describe(landing, queue));
      LINTEL_MUST(PtlPut(put_md, PTL_ACK_REQ, self, kPortal, 0, 7, 0, 0));
      EXPECT_EQ(expect_sent_and_acked(queue).mlength, size);
      EXPECT_EQ(expect_event(target_queue, PTL_EVENT_PUT_END).mlength, size);
      LINTEL_MUST(PtlGet(get_md, self, kPortal, 0, 7, 0));
      EXPECT_EQ(expect_event(queue, PTL_EVENT_REPLY_END).mlength, size);
      expect_event(target_queue, PTL_EVENT_GET_END);
      EXPECT_TRUE(holds_pattern(landing, size));
      if (size <= 1024) {
        std::vector<std::byte> other = patterned(size, size + 1);
        const ptl_handle_md_t swap_md = bind(ni, describe(other, queue));
        std::fill(landing.begin(), landing.end(), kUntouched);
        LINTEL_MUST(PtlGetPut(get_md, swap_md, self, kPortal, 0, 7, 0, 0));
        next_events(queue, 2);
        expect_event(target_queue, PTL_EVENT_GETPUT_END);
        EXPECT_TRUE(holds_pattern(landing, size));
        EXPECT_TRUE(holds_pattern(part(memory, 0, size), size + 1));
        LINTEL_MUST(PtlMDUnlink(swap_md));
      }
      LINTEL_MUST(PtlMDUnlink(put_md));
      LINTEL_MUST(PtlMDUnlink(get_md));
    }
    PtlFini();
  });
  job.join_all();
}

}  // namespace
}  // namespace lintel::testing
