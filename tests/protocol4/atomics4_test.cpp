// Section 3.15: atomic, fetch-atomic and swap. Every operation on every datatype; what is refused,
// truncated and counted; many processes at once.

#include <numeric>
#include <set>

#include "tests/protocol4/atomic_numbers.h"
#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kMost = 32;  // bytes of the largest element

class Atomics4 : public Portals4Test {
 protected:
  ptl_handle_me_t target(Bytes& region, unsigned options = kBoth) {
    return append(region, {.options = options | kNoLink});
  }
  template <class T>
  static T number(const Bytes& bytes, std::size_t index = 0) {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
  Bytes data = Bytes(4 * kMost);
  Bytes memory = Bytes(4 * kMost);
  Bytes old = Bytes(4 * kMost);
};

class Atomics4OfType : public Atomics4, public ::testing::WithParamInterface<ptl_datatype_t> {
 protected:
  const ptl_datatype_t type = GetParam();
  const std::size_t size = element_size(type);
  const std::vector<int> before{6, 0, 5, 0};
  const std::vector<int> sent{3, 4, 0, 0};
};

INSTANTIATE_TEST_SUITE_P(All, Atomics4OfType,
                         ::testing::Range(ptl_datatype_t{PTL_INT8_T},
                                          ptl_datatype_t{PTL_DATATYPE_LAST}));

std::vector<int> combined(ptl_op_t op, const std::vector<int>& target,
                          const std::vector<int>& data) {
  std::vector<int> all;
  for (std::size_t i = 0; i < target.size(); ++i)
    all.push_back(testing::combined(op, target[i], data[i]));
  return all;
}

TEST_P(Atomics4OfType, AtomicCombinesEachElementAtTheTarget) {
  target(memory, kPut);
  encode(type, sent, data);
  const Md md = bind(data);
  for (ptl_op_t op = PTL_MIN; op <= PTL_BXOR; ++op) {
    SCOPED_TRACE(int{op});
    encode(type, before, memory);
    const int code = atomic(md, op, type, {.ack = PTL_ACK_REQ, .length = 4 * size, .hdr_data = op});
    if (!combines(op, type)) {
      EXPECT_EQ(code, PTL_ARG_INVALID);
      EXPECT_EQ(kinds(0) + kinds(1), "");
      continue;
    }
    ASSERT_EQ(code, PTL_OK);
    EXPECT_EQ(decode(type, memory, 4), combined(op, before, sent));
    EXPECT_EQ(story(0), "SEND ACK " + std::to_string(4 * size) + "@0");
    const ptl_event_t event = only(take(1), PTL_EVENT_ATOMIC);
    EXPECT_EQ(event.atomic_operation, op);
    EXPECT_EQ(event.atomic_type, type);
    EXPECT_EQ(event.mlength, 4 * size);
    EXPECT_EQ(event.hdr_data, op);
  }
}

TEST_P(Atomics4OfType, FetchAtomicBringsTheOldElementsBack) {
  target(memory);
  encode(type, sent, data);
  const Md put_md = bind(data), get_md = bind(old);
  for (ptl_op_t op = PTL_MIN; op <= PTL_BXOR; ++op) {
    SCOPED_TRACE(int{op});
    encode(type, before, memory);
    std::ranges::fill(old, std::uint8_t{0});
    const int code = fetch_atomic(get_md, put_md, op, type, {.length = 4 * size});
    if (!combines(op, type)) {
      EXPECT_EQ(code, PTL_ARG_INVALID);
      EXPECT_EQ(kinds(0) + kinds(1), "");
      continue;
    }
    ASSERT_EQ(code, PTL_OK);
    EXPECT_EQ(decode(type, memory, 4), combined(op, before, sent));
    EXPECT_EQ(decode(type, old, 4), before);
    EXPECT_EQ(story(0), "SEND REPLY " + std::to_string(4 * size) + "@0");
    const ptl_event_t event = only(take(1), PTL_EVENT_FETCH_ATOMIC);
    EXPECT_EQ(event.atomic_operation, op);
    EXPECT_EQ(event.atomic_type, type);
  }
}

TEST_P(Atomics4OfType, SwapExchangesArrays) {
  target(memory);
  encode(type, sent, data);
  encode(type, before, memory);
  ASSERT_EQ(swap(bind(old), bind(data), nullptr, PTL_SWAP, type, {.length = 4 * size}), PTL_OK);
  EXPECT_EQ(decode(type, memory, 4), sent);
  EXPECT_EQ(decode(type, old, 4), before);
  EXPECT_EQ(kinds(0), "SEND REPLY");
  const ptl_event_t event = only(take(1), PTL_EVENT_FETCH_ATOMIC);
  EXPECT_EQ(event.atomic_operation, PTL_SWAP);
  EXPECT_EQ(event.atomic_type, type);
}

TEST_P(Atomics4OfType, ConditionalSwapTakesPlaceIfOperandComparesToTarget) {
  target(memory);
  encode(type, {9}, data);
  const Md put_md = bind(data), get_md = bind(old);
  for (ptl_op_t op = PTL_CSWAP; op <= PTL_CSWAP_GT; ++op) {
    for (const int operand : {4, 5, 6}) {
      SCOPED_TRACE(std::to_string(op) + " with " + std::to_string(operand));
      encode(type, {5, 7}, memory);
      std::ranges::fill(old, std::uint8_t{0});
      Bytes compared(kMost);
      encode(type, {operand}, compared);
      const int code = swap(get_md, put_md, compared.data(), op, type, {.length = size});
      if (!swaps(op, type)) {
        EXPECT_EQ(code, PTL_ARG_INVALID);
        EXPECT_EQ(kinds(0) + kinds(1), "");
        continue;
      }
      ASSERT_EQ(code, PTL_OK);
      EXPECT_EQ(decode(type, memory, 2), (std::vector<int>{condition(op, operand, 5) ? 9 : 5, 7}));
      EXPECT_EQ(decode(type, old, 1), std::vector<int>{5}) << "the old value comes in any case";
      EXPECT_EQ(kinds(0), "SEND REPLY");
      EXPECT_EQ(kinds(1), "FETCH_ATOMIC");
    }
  }
}

TEST_P(Atomics4OfType, MaskedSwapTakesTheBitsOfTheOperand) {
  target(memory);
  encode(type, {0x35}, data);
  encode(type, {0x4a, 7}, memory);
  Bytes mask(kMost);
  encode(type, {0x0f}, mask);
  const int code = swap(bind(old), bind(data), mask.data(), PTL_MSWAP, type, {.length = size});
  if (!swaps(PTL_MSWAP, type)) {
    EXPECT_EQ(code, PTL_ARG_INVALID);
    return;
  }
  ASSERT_EQ(code, PTL_OK);
  EXPECT_EQ(decode(type, memory, 2), (std::vector<int>{0x45, 7}));
  EXPECT_EQ(decode(type, old, 1), std::vector<int>{0x4a});
}

// ---- What is refused in the call

TEST_F(Atomics4, OperationsOfAnotherCallAreRefused) {
  const Md md = bind(data), to = bind(old);
  for (ptl_op_t op = PTL_SWAP; op <= PTL_MSWAP; ++op) {
    EXPECT_EQ(atomic(md, op, PTL_INT64_T, {.length = 8}), PTL_ARG_INVALID);
    EXPECT_EQ(fetch_atomic(to, md, op, PTL_INT64_T, {.length = 8}), PTL_ARG_INVALID);
  }
  for (ptl_op_t op = PTL_MIN; op <= PTL_BXOR; ++op)
    EXPECT_EQ(swap(to, md, data.data(), op, PTL_INT64_T, {.length = 8}), PTL_ARG_INVALID);
  EXPECT_EQ(kinds(0), "");
}

TEST_F(Atomics4, UnknownOperationsAndTypesAreRefused) {
  const Md md = bind(data), to = bind(old);
  const std::pair<int, int> cases[] = {{PTL_OP_LAST, PTL_INT64_T},
                                       {255, PTL_INT64_T},
                                       {PTL_SUM, PTL_DATATYPE_LAST},
                                       {PTL_SWAP, 255},
                                       {255, 255}};
  for (const auto& [op, type] : cases) {
    const auto o = static_cast<ptl_op_t>(op);
    const auto t = static_cast<ptl_datatype_t>(type);
    EXPECT_EQ(atomic(md, o, t, {.length = 8}), PTL_ARG_INVALID);
    EXPECT_EQ(fetch_atomic(to, md, o, t, {.length = 8}), PTL_ARG_INVALID);
    EXPECT_EQ(swap(to, md, data.data(), o, t, {.length = 8}), PTL_ARG_INVALID);
  }
}

TEST_F(Atomics4, LengthIsAMultipleOfTheElement) {
  const Md md = bind(data), to = bind(old);
  for (const ptl_size_t length : {1U, 7U, 9U, 15U}) {
    EXPECT_EQ(atomic(md, PTL_SUM, PTL_INT64_T, {.length = length}), PTL_ARG_INVALID);
    EXPECT_EQ(fetch_atomic(to, md, PTL_SUM, PTL_INT64_T, {.length = length}), PTL_ARG_INVALID);
    EXPECT_EQ(swap(to, md, nullptr, PTL_SWAP, PTL_INT64_T, {.length = length}), PTL_ARG_INVALID);
  }
}

TEST_F(Atomics4, ConditionalAndMaskedSwapsTakeOneElementAndAnOperand) {
  const Md md = bind(data), to = bind(old);
  for (ptl_op_t op = PTL_CSWAP; op <= PTL_MSWAP; ++op) {
    EXPECT_EQ(swap(to, md, data.data(), op, PTL_INT32_T, {.length = 8}), PTL_ARG_INVALID);
    EXPECT_EQ(swap(to, md, nullptr, op, PTL_INT32_T, {.length = 4}), PTL_ARG_INVALID);
  }
  EXPECT_EQ(kinds(0), "");
}

TEST_F(Atomics4, LimitsAreInclusive) {
  Bytes most(job->limits().max_atomic_size), there(8192), back(8192);
  target(there);
  ASSERT_GE(most.size(), kMost);
  EXPECT_EQ(atomic(bind(most), PTL_SUM, PTL_UINT8_T), PTL_OK);
  most.resize(job->limits().max_atomic_size + 1);
  EXPECT_EQ(atomic(bind(most), PTL_SUM, PTL_UINT8_T), PTL_ARG_INVALID);
  most.resize(job->limits().max_fetch_atomic_size);
  EXPECT_EQ(fetch_atomic(bind(back), bind(most), PTL_SUM, PTL_UINT8_T), PTL_OK);
  EXPECT_EQ(swap(bind(back), bind(most), nullptr, PTL_SWAP, PTL_UINT8_T), PTL_OK);
  most.resize(job->limits().max_fetch_atomic_size + 1);
  EXPECT_EQ(fetch_atomic(bind(back), bind(most), PTL_SUM, PTL_UINT8_T), PTL_ARG_INVALID);
  EXPECT_EQ(swap(bind(back), bind(most), nullptr, PTL_SWAP, PTL_UINT8_T), PTL_ARG_INVALID);
  EXPECT_EQ(kinds(1), "ATOMIC FETCH_ATOMIC FETCH_ATOMIC");
}

// Each element is changed once, wherever the target divides a long operation.
TEST_F(Atomics4, AsLongAsAMessage) {
  start({.endpoint = {.eager_limit = 4096}});
  const std::size_t bytes = job->limits().max_volatile_size;
  ASSERT_EQ(bytes, 4096U);
  const auto numbers = [](std::size_t count, int factor) {
    std::vector<int> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i) * factor;
    return all;
  };
  const std::size_t elements = bytes / 8;
  Bytes there(bytes + 3), sent(bytes), back(bytes);
  encode(PTL_INT64_T, numbers(elements, 1), sent);
  target(there);
  const Md md = bind(sent, {.options = PTL_MD_VOLATILE}), into = bind(back);
  const Call call{.offset = 3};
  ASSERT_EQ(atomic(md, PTL_SUM, PTL_INT64_T, call), PTL_OK);
  ASSERT_EQ(atomic(md, PTL_SUM, PTL_INT64_T, call), PTL_OK);
  EXPECT_EQ(decode(PTL_INT64_T, part(there, 3, bytes), elements), numbers(elements, 2));
  ASSERT_EQ(fetch_atomic(into, md, PTL_SUM, PTL_INT64_T, {.offset = 3, .length = bytes}), PTL_OK);
  EXPECT_EQ(decode(PTL_INT64_T, back, elements), numbers(elements, 2));
  EXPECT_EQ(decode(PTL_INT64_T, part(there, 3, bytes), elements), numbers(elements, 3));
  ASSERT_EQ(swap(into, md, nullptr, PTL_SWAP, PTL_INT64_T, {.offset = 3, .length = bytes}), PTL_OK);
  EXPECT_EQ(decode(PTL_INT64_T, back, elements), numbers(elements, 3));
  EXPECT_EQ(decode(PTL_INT64_T, part(there, 3, bytes), elements), numbers(elements, 1));
  EXPECT_EQ(kinds(1), "ATOMIC ATOMIC FETCH_ATOMIC FETCH_ATOMIC");
}

TEST_F(Atomics4, BothRegionsLieInTheirMds) {
  Bytes small(8);
  const Md wide = bind(data), narrow = bind(small);
  EXPECT_EQ(fetch_atomic(narrow, wide, PTL_SUM, PTL_INT64_T, {.length = 16}), PTL_ARG_INVALID);
  EXPECT_EQ(fetch_atomic(wide, narrow, PTL_SUM, PTL_INT64_T, {.length = 16}), PTL_ARG_INVALID);
  EXPECT_EQ(fetch_atomic(narrow, wide, PTL_SUM, PTL_INT64_T, {.local = 1, .length = 8}),
            PTL_ARG_INVALID);
  EXPECT_EQ(
      swap(narrow, wide, nullptr, PTL_SWAP, PTL_INT64_T, {.local = PTL_SIZE_MAX, .length = 8}),
      PTL_ARG_INVALID);
}

// ---- At the target

TEST_F(Atomics4, FetchAndSwapNeedPutAndGetPermission) {
  const Md md = bind(data), to = bind(old);
  for (const unsigned permitted : {kPut, kGet, 0U}) {
    const ptl_handle_me_t entry = target(memory, permitted);
    ASSERT_EQ(fetch_atomic(to, md, PTL_SUM, PTL_INT64_T, {.length = 8}), PTL_OK);
    ASSERT_EQ(swap(to, md, nullptr, PTL_SWAP, PTL_INT64_T, {.length = 8}), PTL_OK);
    EXPECT_EQ(kinds(0), "SEND REPLY!OP_VIOLATION SEND REPLY!OP_VIOLATION");
    ASSERT_EQ(atomic(md, PTL_SUM, PTL_INT64_T, {.ack = PTL_ACK_REQ, .length = 8}), PTL_OK);
    EXPECT_EQ(kinds(0), permitted == kPut ? "SEND ACK" : "SEND ACK!OP_VIOLATION");
    EXPECT_EQ(kinds(1), permitted == kPut ? "ATOMIC" : "");
    EXPECT_EQ(unlink(entry), PTL_OK);
  }
  EXPECT_EQ(status(1, PTL_SR_OPERATION_VIOLATIONS), 8);
}

TEST_F(Atomics4, OnlyWholeElementsAreTaken) {
  Bytes room(10, 0);
  target(room);
  encode(PTL_UINT32_T, {0x01010101, 0x02020202, 0x03030303, 0x04040404}, data);
  ASSERT_EQ(atomic(bind(data), PTL_SUM, PTL_UINT32_T, {.ack = PTL_ACK_REQ, .length = 16}), PTL_OK);
  EXPECT_EQ(room, (Bytes{1, 1, 1, 1, 2, 2, 2, 2, 0, 0}));
  EXPECT_EQ(story(0), "SEND ACK 8@0");
  EXPECT_EQ(story(1), "ATOMIC 8/16@0");
  std::ranges::fill(old, std::uint8_t{0xee});
  ASSERT_EQ(fetch_atomic(bind(old), bind(data), PTL_SUM, PTL_UINT32_T, {.offset = 3, .length = 16}),
            PTL_OK);
  EXPECT_EQ(room, (Bytes{1, 1, 1, 2, 3, 3, 3, 2, 0, 0}));  // no alignment is needed
  EXPECT_EQ(part(old, 0, 5), (Bytes{1, 2, 2, 2, 0xee}));
  EXPECT_EQ(story(0), "SEND REPLY 4@3");
}

TEST_F(Atomics4, WithoutRoomForOneElementNothingChanges) {
  Bytes room = pattern(10);
  target(room);
  const std::uint64_t operand = 0;
  ASSERT_EQ(
      atomic(bind(data), PTL_SUM, PTL_UINT64_T, {.ack = PTL_ACK_REQ, .offset = 3, .length = 8}),
      PTL_OK);
  ASSERT_EQ(
      swap(bind(old), bind(data), &operand, PTL_CSWAP_NE, PTL_UINT64_T, {.offset = 3, .length = 8}),
      PTL_OK);
  EXPECT_EQ(story(0), "SEND ACK 0@3 SEND REPLY 0@3");
  EXPECT_EQ(story(1), "ATOMIC 0/8@3 FETCH_ATOMIC 0/8@3");
  EXPECT_EQ(room, pattern(10));
  EXPECT_EQ(old, Bytes(old.size()));
}

TEST_F(Atomics4, ElementsMayLieAcrossPieces) {
  std::vector<Bytes> pieces{Bytes(3), Bytes(2), Bytes(11)}, from{Bytes(5), Bytes(11)};
  Bytes sixteen(16);
  encode(PTL_UINT64_T, {0x01020304, 0x05060708}, sixteen);
  from[0] = part(sixteen, 0, 5);
  from[1] = part(sixteen, 5, 11);
  append(iovec_me(pieces, {.options = kBoth | kNoLink}));
  ASSERT_EQ(atomic(bind_iovec(from), PTL_SUM, PTL_UINT64_T, {.length = 16}), PTL_OK);
  Bytes all;
  for (const Bytes& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  EXPECT_EQ(decode(PTL_UINT64_T, all, 2), (std::vector<int>{0x01020304, 0x05060708}));
}

// ---- Counters, MDs

TEST_F(Atomics4, CountersOfBothSides) {
  const ptl_handle_ct_t sends = counter(0), replies = counter(0), arrived = counter(1);
  append(memory, {.options = kBoth | kNoLink | PTL_ME_EVENT_COMM_DISABLE | PTL_ME_EVENT_CT_COMM |
                             PTL_ME_EVENT_CT_BYTES,
                  .counter = arrived});
  const Md md = bind(
      data,
      {.options = PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK, .counter = sends, .quiet = true});
  const Md to = bind(old, {.options = PTL_MD_EVENT_CT_REPLY | PTL_MD_EVENT_CT_BYTES,
                           .counter = replies,
                           .quiet = true});
  ASSERT_EQ(atomic(md, PTL_SUM, PTL_INT64_T, {.ack = PTL_CT_ACK_REQ, .length = 16}), PTL_OK);
  EXPECT_EQ(count(sends, 0) + " " + count(replies, 0) + " " + count(arrived, 1), "2+0 0+0 16+0");
  ASSERT_EQ(fetch_atomic(to, md, PTL_SUM, PTL_INT64_T, {.length = 24}), PTL_OK);
  EXPECT_EQ(count(sends, 0) + " " + count(replies, 0) + " " + count(arrived, 1), "3+0 24+0 40+0");
  ASSERT_EQ(swap(to, md, nullptr, PTL_SWAP, PTL_INT64_T, {.length = 8}), PTL_OK);
  EXPECT_EQ(count(sends, 0) + " " + count(replies, 0) + " " + count(arrived, 1), "4+0 32+0 48+0");
  EXPECT_EQ(kinds(1), "");
}

TEST_F(Atomics4, OneMdMayServeBothDirections) {
  target(memory);
  encode(PTL_INT64_T, {10}, memory);
  encode(PTL_INT64_T, {5, 0}, data);
  const Md md = bind(data);
  ASSERT_EQ(PtlFetchAtomic(md.handle, 8, md.handle, 0, 8, job->id(1), kPortal, kBits, 0, nullptr, 0,
                           PTL_SUM, PTL_INT64_T),
            PTL_OK);
  EXPECT_EQ(release(md), PTL_IN_USE);
  job->settle();
  EXPECT_EQ(decode(PTL_INT64_T, data, 2), (std::vector<int>{5, 10}));
  EXPECT_EQ(decode(PTL_INT64_T, memory, 1), std::vector<int>{15});
  EXPECT_EQ(kinds(0), "SEND REPLY");
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Atomics4, OperandIsReadInTheCall) {
  target(memory);
  encode(PTL_INT64_T, {5}, memory);
  encode(PTL_INT64_T, {9}, data);
  std::int64_t operand = 5;
  ASSERT_EQ(post_swap(bind(old), bind(data), &operand, PTL_CSWAP, PTL_INT64_T, {.length = 8}),
            PTL_OK);
  operand = 77;
  job->settle();
  EXPECT_EQ(decode(PTL_INT64_T, memory, 1), std::vector<int>{9});
}

TEST_F(Atomics4, SyncIsAlwaysWell) { EXPECT_EQ(PtlAtomicSync(), PTL_OK); }

// ---- Several processes, the same words

class Atomics4Together : public Atomics4 {
 protected:
  static constexpr std::size_t kProcesses = 5;
  static constexpr std::size_t kRounds = 40;
  void begin(std::uint64_t seed) {
    JobOptions4 options{.processes = kProcesses};
    options.network.seed = seed;
    start(options);
  }
};

TEST_F(Atomics4Together, NoAdditionIsLost) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    begin(seed);
    Bytes words(8 * 8);
    target(words, kPut);
    std::vector<Bytes> added(kProcesses, Bytes(8 * 8));
    for (std::size_t rank = 0; rank < kProcesses; ++rank) {  // rank 1 adds to its own
      encode(PTL_INT64_T, std::vector<int>(8, static_cast<int>(rank) + 1), added[rank]);
      const Md md = bind(added[rank], {.quiet = true}, rank);
      for (std::size_t i = 0; i < kRounds; ++i)
        ASSERT_EQ(post_atomic(md, PTL_SUM, PTL_INT64_T, {}, rank), PTL_OK);
    }
    job->settle();
    EXPECT_EQ(decode(PTL_INT64_T, words, 8), std::vector<int>(8, kRounds * (1 + 2 + 3 + 4 + 5)))
        << "seed " << seed;
  }
}

TEST_F(Atomics4Together, FetchAndAddHandsOutEachNumberOnce) {
  begin(7);
  Bytes word(8);
  target(word, kBoth | PTL_ME_EVENT_COMM_DISABLE);
  std::vector<Bytes> ones(kProcesses, Bytes(8)), tickets(kProcesses, Bytes(8 * kRounds));
  for (std::size_t rank = 0; rank < kProcesses; ++rank) {
    encode(PTL_INT64_T, {1}, ones[rank]);
    const Md one = bind(ones[rank], {.quiet = true}, rank),
             drawn = bind(tickets[rank], {.quiet = true}, rank);
    job->as(rank);
    for (std::size_t i = 0; i < kRounds; ++i) {
      ASSERT_EQ(PtlFetchAtomic(drawn.handle, 8 * i, one.handle, 0, 8, job->id(1), kPortal, kBits, 0,
                               nullptr, 0, PTL_SUM, PTL_INT64_T),
                PTL_OK);
    }
  }
  job->as(0);
  job->settle();
  std::set<int> seen;
  for (const Bytes& drawn : tickets) {
    for (const int ticket : decode(PTL_INT64_T, drawn, kRounds))
      EXPECT_TRUE(seen.insert(ticket).second) << ticket;
  }
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), static_cast<int>(kProcesses * kRounds) - 1);
}

}  // namespace
}  // namespace lintel::testing
