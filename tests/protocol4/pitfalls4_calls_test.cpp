// Rules that are often got wrong: constants, calls, memory, progress and threads. pitfalls4.h lists
// tests of others.

#include <cstring>
#include <set>

#include "tests/protocol4/atomic_numbers.h"
#include "tests/protocol4/pitfalls4.h"

namespace lintel::testing {
namespace {

TEST_F(Pitfalls4, OptionsOfBothDialectsAreKnownAndNoOthers) {
  ptl_handle_me_t made = PTL_INVALID_HANDLE;
  EXPECT_EQ(try_append(me(memory, {.options = kPut | PTL_ME_ACK_DISABLE}), {}, made), PTL_OK);
  for (unsigned bit = 0; bit < 32; ++bit) {
    const unsigned option = 1U << bit;
    const bool known = ((PTL_ME_APPEND_OPTIONS_MASK | PTL_ME_ACK_DISABLE) & option) != 0;
    if (option == PTL_IOVEC) continue;  // with it, length would count elements
    EXPECT_EQ(try_append(me(memory, {.options = kPut | option}), {}, made),
              known ? PTL_OK : PTL_ARG_INVALID)
        << "bit " << bit;
  }
}

TEST_F(Pitfalls4, OnlyTheWildcardItselfIsWildNotItsLowHalf) {
  // An IPv4 address may end in 255.255.
  ptl_process_t almost = job->anyone();
  almost.phys.nid = 0x0a00ffff;
  append(memory, {.from = almost});
  ASSERT_EQ(put_acked(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!DROPPED");
  almost = job->anyone();
  almost.phys.pid = 0x1ffff;
  append(memory, {.from = almost});
  ASSERT_EQ(put_acked(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!DROPPED");
  append(memory, {.from = job->anyone()});
  ASSERT_EQ(put_acked(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK");
}

TEST_F(Pitfalls4, NoHandleOfAnObjectIsOneOfTheConstantsNorAnotherObjects) {
  const std::set<ptl_handle_any_t> constants{PTL_EQ_NONE, PTL_CT_NONE, PTL_INVALID_HANDLE};
  EXPECT_EQ(constants.size(), 3U);
  std::set<ptl_handle_any_t> handles{job->ni(), queue(0)};
  for (int i = 0; i < 100; ++i) {
    const std::size_t before = handles.size();
    handles.insert({counter(0), bind(data).handle,
                    append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE}, 0)});
    EXPECT_EQ(handles.size(), before + 3);
  }
  for (const ptl_handle_any_t constant : constants) EXPECT_FALSE(handles.contains(constant));
}

TEST_F(Pitfalls4, HandleOfAnEntryThatWentIsNotItsSuccessors) {
  std::set<ptl_handle_me_t> used;
  for (int i = 0; i < 100; ++i) {
    const ptl_handle_me_t handle = append(memory);
    EXPECT_TRUE(used.insert(handle).second) << "entry " << i;
    ASSERT_EQ(unlink(handle), PTL_OK);
    const ptl_handle_me_t successor = append(memory);
    EXPECT_EQ(unlink(handle), PTL_ARG_INVALID);
    ASSERT_EQ(unlink(successor), PTL_OK);
    used.insert(successor);
  }
}

TEST_F(Pitfalls4, MembersThatDoNotApplyMayBeAnything) {
  ptl_me_t entry = me(memory);
  entry.ct_handle = 0xdeadbeef;
  entry.min_free = PTL_SIZE_MAX;
  append(entry);
  ASSERT_EQ(put_acked(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK");
  EXPECT_EQ(kinds(1), "LINK PUT");
}

TEST_F(Pitfalls4, TimeIsUnsignedMilliseconds) {
  append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE});
  job->as(1);
  const ptl_handle_eq_t mine = queue(1);
  ptl_event_t event;
  unsigned which = 7;
  EXPECT_EQ(PtlEQPoll(&mine, 1, 0, &event, &which), PTL_EQ_EMPTY);
  // An event that is there is returned at once, however long the timeout: no timeout is negative.
  for (const ptl_time_t timeout :
       {ptl_time_t{0}, ptl_time_t{0x7fffffff}, ptl_time_t{0x80000000}, PTL_TIME_FOREVER}) {
    ASSERT_EQ(put_acked(bind(data)), PTL_OK);
    job->as(1);
    EXPECT_EQ(PtlEQPoll(&mine, 1, timeout, &event, &which), PTL_OK) << timeout;
    EXPECT_EQ(which, 0U);
  }
}

TEST_F(Pitfalls4, LengthAndOffsetDoNotWrap) {
  const Md whole = bind(ptl_md_t{nullptr, PTL_SIZE_MAX, 0, queue(0), PTL_CT_NONE}, 8);
  append(memory);
  take(1);
  for (const ptl_size_t local : {PTL_SIZE_MAX, PTL_SIZE_MAX - 6}) {
    EXPECT_EQ(put(whole, {.local = local, .length = 8}), PTL_ARG_INVALID) << local;
    EXPECT_EQ(get(whole, {.local = local, .length = 8}), PTL_ARG_INVALID) << local;
  }
  const Md small = bind(data);
  EXPECT_EQ(put(small, {.local = 4, .length = PTL_SIZE_MAX - 2}), PTL_ARG_INVALID);
  // At the target, an offset that would wrap is beyond the end.
  for (const ptl_size_t remote : {PTL_SIZE_MAX, PTL_SIZE_MAX - 7, PTL_SIZE_MAX - 3}) {
    ASSERT_EQ(put(small, {.ack = PTL_ACK_REQ, .offset = remote}), PTL_OK);
    EXPECT_EQ(only(take(0), PTL_EVENT_ACK).mlength, 0U) << remote;
    EXPECT_EQ(only(take(1), PTL_EVENT_PUT).mlength, 0U) << remote;
  }
  EXPECT_EQ(memory, Bytes(memory.size()));
}

TEST_F(Pitfalls4, ListOfPiecesIsCountedInElementsAndOffsetsInBytes) {
  std::vector<Bytes> pieces{Bytes(3), Bytes(0), Bytes(5)};
  append(iovec_me(pieces));
  EXPECT_EQ(put(bind(data), {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(only(take(0), PTL_EVENT_ACK).mlength, 8U) << "not 3, the number of pieces";
  EXPECT_EQ(pieces[0], part(data, 0, 3));
  EXPECT_EQ(pieces[2], part(data, 3, 5));
  EXPECT_EQ(put(bind(data), {.ack = PTL_ACK_REQ, .offset = 4}), PTL_OK);
  EXPECT_EQ(only(take(0), PTL_EVENT_ACK).mlength, 4U);
  EXPECT_EQ(pieces[2], (Bytes{data[3], data[0], data[1], data[2], data[3]}));
}

TEST_F(Pitfalls4, ElementsNeedNoAlignmentOnEitherSide) {
  for (ptl_datatype_t type = PTL_INT8_T; type <= PTL_LONG_DOUBLE_COMPLEX; ++type) {
    SCOPED_TRACE("datatype " + std::to_string(type));
    const std::size_t size = element_size(type);
    Bytes there(2 * size + 1), here(2 * size + 1), old(2 * size + 1), numbers(2 * size);
    const ptl_handle_me_t entry = append(there, {.options = kBoth});
    const auto put_at_1 = [&](Bytes& memory_of, std::vector<int> values) {
      encode(type, values, numbers);
      std::ranges::copy(numbers, memory_of.begin() + 1);
    };
    const auto at_1 = [&](const Bytes& memory_of) {
      return decode(type, part(memory_of, 1, 2 * size), 2);
    };
    put_at_1(there, {3, 4});
    put_at_1(here, {20, 30});
    const Md mine = bind(here);
    ASSERT_EQ(atomic(mine, PTL_SUM, type, {.offset = 1, .local = 1, .length = 2 * size}), PTL_OK);
    EXPECT_EQ(at_1(there), (std::vector<int>{23, 34}));
    ASSERT_EQ(
        fetch_atomic(bind(old), mine, PTL_SUM, type, {.offset = 1, .local = 1, .length = 2 * size}),
        PTL_OK);
    EXPECT_EQ(at_1(old), (std::vector<int>{23, 34}));
    EXPECT_EQ(at_1(there), (std::vector<int>{43, 64}));
    ASSERT_EQ(unlink(entry), PTL_OK);
  }
}

TEST_F(Pitfalls4, PaddingOfALongDoubleIsNotCompared) {
  Bytes there(sizeof(long double)), data16(sizeof(long double)), operand(sizeof(long double)),
      old(sizeof(long double));
  const auto write = [](Bytes& bytes, long double value, std::uint8_t padding) {
    std::ranges::fill(bytes, padding);
    std::memcpy(bytes.data(), &value, 10);  // the bytes that x86 uses of the 16
  };
  write(there, 7, 0xaa);
  write(operand, 7, 0x55);
  write(data16, 9, 0);
  append(there, {.options = kBoth});
  ASSERT_EQ(swap(bind(old), bind(data16), operand.data(), PTL_CSWAP, PTL_LONG_DOUBLE), PTL_OK);
  EXPECT_EQ(decode(PTL_LONG_DOUBLE, there, 1), std::vector<int>{9});
  EXPECT_EQ(decode(PTL_LONG_DOUBLE, old, 1), std::vector<int>{7});
}

TEST_F(Pitfalls4, VolatileMemoryIsCopiedThoughNothingCanLeaveNow) {
  JobOptions4 options;
  options.network.max_in_flight = 1;
  start(options);
  append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE});
  Bytes word(8);
  const Md mine = bind(word, {.options = PTL_MD_VOLATILE});
  ASSERT_EQ(put_acked(mine), PTL_OK);  // the session is open
  job->run(std::chrono::milliseconds(5));  // and nothing waits for its turn on the network
  take(0);
  constexpr std::size_t kMany = 50;
  for (std::size_t i = 0; i < kMany; ++i) {
    std::ranges::copy(pattern(8, static_cast<std::uint8_t>(i)), word.begin());
    ASSERT_EQ(post_put(mine, {.ack = PTL_ACK_REQ, .offset = 8 * i}), PTL_OK);
    std::ranges::fill(word, std::uint8_t{0});
  }
  job->settle();
  for (std::size_t i = 0; i < kMany; ++i)
    EXPECT_EQ(part(memory, 8 * i, 8), pattern(8, static_cast<std::uint8_t>(i))) << i;
  EXPECT_EQ(how_many(take(0), PTL_EVENT_ACK), kMany);
}

TEST_F(Pitfalls4, PutLeavesWithItsCallAndTheTargetAnswersUncalled) {
  append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE});
  const Md mine = bind(data);
  ASSERT_EQ(put_acked(mine), PTL_OK);  // the session is open
  take(0);
  take(1);
  ASSERT_EQ(post_put(mine, {.ack = PTL_ACK_REQ, .offset = 8}), PTL_OK);
  // From here on process 0 does nothing. Process 1 only polls, as its progress thread would.
  while (job->network().advance_to_next()) job->poll(1);
  EXPECT_EQ(part(memory, 8, 8), data);
  job->poll(0);
  EXPECT_EQ(kinds(0), "SEND ACK");
}

TEST_F(Pitfalls4, ShuttingDoesNotWaitForPeersThatAreGone) {
  append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE});
  Bytes large = pattern(4096);
  const Md mine = bind(large);
  ASSERT_EQ(put_acked(mine), PTL_OK);
  job->kill(1, transport::Death::kSilent);
  ASSERT_EQ(post_put(mine, {.ack = PTL_ACK_REQ}), PTL_OK);
  job->as(0);
  EXPECT_EQ(PtlNIFini(job->ni()), PTL_OK);
  ptl_process_t id;
  EXPECT_EQ(PtlGetPhysId(job->ni(), &id), PTL_ARG_INVALID) << "it is shut";
}

}  // namespace
}  // namespace lintel::testing
