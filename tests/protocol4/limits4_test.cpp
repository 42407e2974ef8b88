// Section 3.6: limits. A requested limit is granted if possible, a granted limit holds exactly, and
// no request is an error.

#include <climits>
#include <cstring>

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class Limits4 : public Portals4Test {
 protected:
  // Starts new processes with the default limits as changed by `wish`. Returns what was granted.
  template <class Wish>
  ptl_ni_limits_t granted(Wish&& wish, unsigned interface = PTL_NI_MATCHING | PTL_NI_PHYSICAL) {
    ptl_ni_limits_t desired{};
    wish(desired);
    start({.interface = interface, .limits = desired});
    return job->limits();
  }
  static void expect_usable(const ptl_ni_limits_t& limits) {
    for (const int number :
         {limits.max_entries, limits.max_unexpected_headers, limits.max_mds, limits.max_cts,
          limits.max_eqs, limits.max_iovecs, limits.max_list_size, limits.max_triggered_ops}) {
      EXPECT_GE(number, 1024);
    }
    EXPECT_GE(limits.max_pt_index, 63);
    EXPECT_GE(limits.max_msg_size, 1ULL << 32);
    // An element of the largest datatype.
    for (const ptl_size_t bytes :
         {limits.max_atomic_size, limits.max_fetch_atomic_size, limits.max_volatile_size})
      EXPECT_GE(bytes, 32U);
    EXPECT_GE(limits.max_waw_ordered_size, 8U);
    EXPECT_GE(limits.max_war_ordered_size, 8U);
  }
};

TEST_F(Limits4, WithoutAWishTheyAreUsable) { expect_usable(job->limits()); }

TEST_F(Limits4, ZeroIsNoWish) {
  expect_usable(granted([](ptl_ni_limits_t&) {}));
}

TEST_F(Limits4, NegativeIsNoWish) {
  expect_usable(granted([](ptl_ni_limits_t& l) {
    l.max_entries = l.max_unexpected_headers = l.max_mds = l.max_cts = l.max_eqs = l.max_pt_index =
        -1;
    l.max_iovecs = l.max_list_size = l.max_triggered_ops = INT_MIN;
  }));
}

TEST_F(Limits4, MoreThanPossibleIsBroughtIntoWhatIs) {
  expect_usable(granted([](ptl_ni_limits_t& l) {
    l.max_entries = l.max_unexpected_headers = l.max_mds = l.max_cts = l.max_eqs = l.max_pt_index =
        INT_MAX;
    l.max_iovecs = l.max_list_size = l.max_triggered_ops = INT_MAX;
    l.max_msg_size = l.max_atomic_size = l.max_fetch_atomic_size = LONG_MAX;
    l.max_waw_ordered_size = l.max_war_ordered_size = l.max_volatile_size = PTL_SIZE_MAX;
    l.features = ~0U;
  }));
  EXPECT_EQ(job->limits().features &
                ~(PTL_TARGET_BIND_INACCESSIBLE | PTL_TOTAL_DATA_ORDERING | PTL_COHERENT_ATOMICS),
            0U);
}

TEST_F(Limits4, GarbageIsNoError) {
  for (const int byte : {0xa5, 0xff, 0x7f, 0x01}) {
    const ptl_ni_limits_t limits =
        granted([byte](ptl_ni_limits_t& l) { std::memset(&l, byte, sizeof l); });
    EXPECT_GT(limits.max_entries, 0);
    EXPECT_GT(limits.max_pt_index, 0);
    EXPECT_GT(limits.max_msg_size, 0U);
  }
}

TEST_F(Limits4, SmallWishesAreGrantedAsTheyAre) {
  const ptl_ni_limits_t l = granted([](ptl_ni_limits_t& w) {
    w = {.max_entries = 1,
         .max_unexpected_headers = 2,
         .max_mds = 3,
         .max_cts = 4,
         .max_eqs = 5,
         .max_pt_index = 6,
         .max_iovecs = 7,
         .max_list_size = 8,
         .max_triggered_ops = 9,
         .max_msg_size = 10,
         .max_atomic_size = 15,
         .max_fetch_atomic_size = 12,
         .max_waw_ordered_size = 13,
         .max_war_ordered_size = 14,
         .max_volatile_size = 11,
         .features = PTL_TARGET_BIND_INACCESSIBLE};
  });
  EXPECT_EQ(l.max_entries, 1);
  EXPECT_EQ(l.max_unexpected_headers, 2);
  EXPECT_EQ(l.max_mds, 3);
  EXPECT_EQ(l.max_cts, 4);
  EXPECT_EQ(l.max_eqs, 5);
  EXPECT_EQ(l.max_pt_index, 6);
  EXPECT_EQ(l.max_iovecs, 7);
  EXPECT_EQ(l.max_list_size, 8);
  EXPECT_EQ(l.max_triggered_ops, 9);
  EXPECT_EQ(l.max_msg_size, 10U);
  EXPECT_EQ(l.max_atomic_size, 15U);
  EXPECT_EQ(l.max_fetch_atomic_size, 12U);
  EXPECT_EQ(l.max_waw_ordered_size, 13U);
  EXPECT_EQ(l.max_war_ordered_size, 14U);
  EXPECT_EQ(l.max_volatile_size, 11U);
  EXPECT_NE(l.features & PTL_TARGET_BIND_INACCESSIBLE, 0U);
}

// Programs send atomics of up to max_volatile_size or max_waw_ordered_size bytes.
TEST_F(Limits4, AtomicsMayBeAsLongAsWhatIsVolatileOrOrdered) {
  for (const std::size_t eager_limit : {0U, 100U, 1024U, 65536U, 1U << 20}) {
    start({.endpoint = {.eager_limit = eager_limit}});
    const ptl_ni_limits_t& all = job->limits();
    EXPECT_LE(all.max_volatile_size, all.max_atomic_size) << eager_limit;
    EXPECT_LE(all.max_waw_ordered_size, all.max_atomic_size) << eager_limit;
    EXPECT_LE(all.max_volatile_size, all.max_fetch_atomic_size) << eager_limit;
    EXPECT_GE(all.max_atomic_size, 1024U) << eager_limit;
  }
  const ptl_ni_limits_t l = granted([](ptl_ni_limits_t& w) { w.max_atomic_size = 16; });
  EXPECT_EQ(l.max_atomic_size, 16U);
  EXPECT_EQ(l.max_volatile_size, 16U);
  EXPECT_EQ(l.max_waw_ordered_size, 16U);
}

// ---- Granted limits hold

TEST_F(Limits4, Entries) {
  for (const unsigned interface :
       {PTL_NI_MATCHING | PTL_NI_PHYSICAL, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL}) {
    granted([](ptl_ni_limits_t& l) { l.max_entries = 3; }, interface);
    Bytes memory(8);
    ptl_pt_index_t second = 0;
    ASSERT_EQ(allocate_portal(0, PTL_PT_ANY, second), PTL_OK);
    ptl_handle_me_t made = PTL_INVALID_HANDLE, last = PTL_INVALID_HANDLE;
    ASSERT_EQ(try_append(me(memory), {}, made), PTL_OK);
    ASSERT_EQ(try_append(me(memory), {.list = PTL_OVERFLOW_LIST}, made), PTL_OK);
    ASSERT_EQ(try_append(me(memory), {.portal = second}, last), PTL_OK);
    EXPECT_EQ(try_append(me(memory), {.portal = second}, made), PTL_NO_SPACE);
    ASSERT_EQ(unlink(last), PTL_OK);
    EXPECT_EQ(try_append(me(memory), {}, made), PTL_OK);
  }
}

TEST_F(Limits4, EntriesOfOnePortal) {
  granted([](ptl_ni_limits_t& l) { l.max_list_size = 2; });
  Bytes memory(8);
  ptl_pt_index_t second = 0;
  ASSERT_EQ(allocate_portal(0, PTL_PT_ANY, second), PTL_OK);
  ptl_handle_me_t made = PTL_INVALID_HANDLE;
  for (const ptl_pt_index_t portal : {kPortal, second}) {
    for (int i = 0; i < 2; ++i) ASSERT_EQ(try_append(me(memory), {.portal = portal}, made), PTL_OK);
    EXPECT_EQ(try_append(me(memory), {.portal = portal}, made), PTL_NO_SPACE);
  }
}

TEST_F(Limits4, ListsOfAHundredThousandEntries) {
  constexpr ptl_match_bits_t kEntries = 100000;
  granted([](ptl_ni_limits_t& l) { l.max_entries = l.max_list_size = kEntries; });
  ASSERT_EQ(job->limits().max_entries, static_cast<int>(kEntries));
  ASSERT_EQ(job->limits().max_list_size, static_cast<int>(kEntries));
  Bytes memory(8), data = pattern(8);
  constexpr unsigned kOptions = kPut | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_USE_ONCE;
  std::vector<ptl_handle_me_t> made(kEntries);
  for (ptl_match_bits_t bits = 0; bits < kEntries; ++bits) {
    ASSERT_EQ(try_append(me(memory, {.options = kOptions, .bits = bits}), {.user = &made[bits]},
                         made[bits]),
              PTL_OK)
        << bits;
  }
  ptl_handle_me_t one_more = PTL_INVALID_HANDLE;
  EXPECT_EQ(try_append(me(memory), {}, one_more), PTL_NO_SPACE);
  ASSERT_EQ(put(bind(data), {.bits = kEntries - 1}), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT AUTO_UNLINK");
  EXPECT_EQ(events[0].user_ptr, &made.back());
  EXPECT_EQ(memory, data);
  EXPECT_EQ(unlink(made[kEntries - 1]), PTL_ARG_INVALID) << "it is used up";
  EXPECT_EQ(unlink(made[kEntries - 2]), PTL_OK);
  EXPECT_EQ(unlink(made[0]), PTL_OK);
  std::ranges::sort(made);
  EXPECT_EQ(std::ranges::adjacent_find(made), made.end());
}

TEST_F(Limits4, Mds) {
  granted([](ptl_ni_limits_t& l) { l.max_mds = 2; });
  Bytes memory(8);
  const ptl_md_t description = md(memory, {}, 0);
  const Md first = bind(memory);
  bind(memory);
  ptl_handle_md_t made = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlMDBind(job->ni(), &description, &made), PTL_NO_SPACE);
  EXPECT_EQ(made, PTL_INVALID_HANDLE);
  ASSERT_EQ(release(first), PTL_OK);
  EXPECT_EQ(PtlMDBind(job->ni(), &description, &made), PTL_OK);
}

// MDs and entries are counted separately.
TEST_F(Limits4, MdsAndEntriesAreCountedApart) {
  granted([](ptl_ni_limits_t& l) {
    l.max_mds = 2;
    l.max_entries = 3;
  });
  Bytes memory(8);
  ptl_handle_me_t entry = PTL_INVALID_HANDLE;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(try_append(me(memory), {}, entry, 0), PTL_OK) << "entry " << i;
  EXPECT_EQ(try_append(me(memory), {}, entry, 0), PTL_NO_SPACE);
  const ptl_md_t description = md(memory, {}, 0);
  ptl_handle_md_t made = PTL_INVALID_HANDLE;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(PtlMDBind(job->ni(), &description, &made), PTL_OK) << "md " << i;
  EXPECT_EQ(PtlMDBind(job->ni(), &description, &made), PTL_NO_SPACE);
}

TEST_F(Limits4, Queues) {
  granted([](ptl_ni_limits_t& l) { l.max_eqs = 2; });  // the fixture has one
  ptl_handle_eq_t second = PTL_EQ_NONE, third = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 3, &second), PTL_OK);
  EXPECT_EQ(PtlEQAlloc(job->ni(), 3, &third), PTL_NO_SPACE);
  EXPECT_EQ(third, PTL_EQ_NONE);
  ASSERT_EQ(PtlEQFree(second), PTL_OK);
  EXPECT_EQ(PtlEQAlloc(job->ni(), 3, &third), PTL_OK);
}

TEST_F(Limits4, PortalIndicesIncludeTheLargest) {
  granted([](ptl_ni_limits_t& l) { l.max_pt_index = 2; });
  ptl_pt_index_t made = 99;
  EXPECT_EQ(allocate_portal(0, 3, made), PTL_ARG_INVALID);
  ASSERT_EQ(allocate_portal(0, 2, made), PTL_OK);
  EXPECT_EQ(made, 2U);
  ASSERT_EQ(allocate_portal(0, PTL_PT_ANY, made), PTL_OK);
  EXPECT_EQ(made, 1U);
  EXPECT_EQ(allocate_portal(0, PTL_PT_ANY, made), PTL_PT_FULL);
  EXPECT_EQ(made, 1U);
}

TEST_F(Limits4, PiecesOfOneMemory) {
  granted([](ptl_ni_limits_t& l) { l.max_iovecs = 2; });
  std::vector<Bytes> two(2, Bytes(4)), three(3, Bytes(4));
  bind_iovec(two);
  append(iovec_me(two));
  ptl_handle_me_t made = PTL_INVALID_HANDLE;
  const ptl_me_t too_many = iovec_me(three);
  EXPECT_EQ(try_append(too_many, {}, made), PTL_ARG_INVALID);
  const ptl_md_t description{too_many.start, 3, PTL_IOVEC, PTL_EQ_NONE, PTL_CT_NONE};
  EXPECT_EQ(PtlMDBind(job->ni(), &description, &made), PTL_ARG_INVALID);
}

TEST_F(Limits4, MessageSize) {
  granted([](ptl_ni_limits_t& l) { l.max_msg_size = 4; });
  Bytes data = pattern(8);
  const Md md = bind(data);
  EXPECT_EQ(put(md, {.length = 4}), PTL_OK);
  EXPECT_EQ(put(md, {.length = 5}), PTL_ARG_INVALID);
  EXPECT_EQ(get(md, {.length = 4}), PTL_OK);
  EXPECT_EQ(get(md, {.length = 5}), PTL_ARG_INVALID);
}

TEST_F(Limits4, AtomicSizes) {
  granted([](ptl_ni_limits_t& l) {
    l.max_atomic_size = 4;
    l.max_fetch_atomic_size = 2;
  });
  Bytes data(8), old(8);
  const Md md = bind(data), to = bind(old);
  EXPECT_EQ(atomic(md, PTL_SUM, PTL_UINT8_T, {.length = 4}), PTL_OK);
  EXPECT_EQ(atomic(md, PTL_SUM, PTL_UINT8_T, {.length = 5}), PTL_ARG_INVALID);
  EXPECT_EQ(fetch_atomic(to, md, PTL_SUM, PTL_UINT8_T, {.length = 2}), PTL_OK);
  EXPECT_EQ(fetch_atomic(to, md, PTL_SUM, PTL_UINT8_T, {.length = 3}), PTL_ARG_INVALID);
  EXPECT_EQ(swap(to, md, nullptr, PTL_SWAP, PTL_UINT8_T, {.length = 2}), PTL_OK);
  EXPECT_EQ(swap(to, md, nullptr, PTL_SWAP, PTL_UINT8_T, {.length = 3}), PTL_ARG_INVALID);
}

// The target's limits do not apply to what it receives: it accepts what the initiator may send.
TEST_F(Limits4, AtomicsToATargetThatGrantedItselfLess) {
  start({.open = false});
  Bytes data(64), memory(64), old(64);
  ptl_handle_ni_t ni[2]{};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    job->as(rank);
    ASSERT_EQ(PtlInit(), PTL_OK);
    ptl_ni_limits_t wish{};
    if (rank == 1) wish.max_atomic_size = wish.max_fetch_atomic_size = 8;
    ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, &wish,
                        nullptr, &ni[rank]),
              PTL_OK);
  }
  ptl_pt_index_t index = 99;
  ASSERT_EQ(PtlPTAlloc(ni[1], 0, PTL_EQ_NONE, 0, &index), PTL_OK);
  const ptl_le_t le{memory.data(), 64, PTL_CT_NONE, PTL_UID_ANY, kBoth};
  ptl_handle_le_t entry = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlLEAppend(ni[1], 0, &le, PTL_PRIORITY_LIST, nullptr, &entry), PTL_OK);
  job->as(0);
  const ptl_md_t description{data.data(), 64, 0, PTL_EQ_NONE, PTL_CT_NONE};
  ptl_handle_md_t md = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlMDBind(ni[0], &description, &md), PTL_OK);
  data.assign(64, 1);
  ASSERT_EQ(PtlAtomic(md, 0, 64, PTL_NO_ACK_REQ, job->physical_id(1), 0, 0, 0, nullptr, 0, PTL_SUM,
                      PTL_UINT8_T),
            PTL_OK);
  job->settle();
  // Truncated to the room of the entry.
  EXPECT_EQ(part(memory, 0, 8), Bytes(8, 1));
  for (std::size_t rank = 0; rank < 2; ++rank) {
    job->as(rank);
    PtlFini();
  }
}

TEST_F(Limits4, VolatileSize) {
  granted([](ptl_ni_limits_t& l) { l.max_volatile_size = 4; });
  Bytes data(8), old(8);
  const Md md = bind(data, {.options = PTL_MD_VOLATILE}), to = bind(old);
  EXPECT_EQ(put(md, {.length = 4}), PTL_OK);
  EXPECT_EQ(put(md, {.length = 5}), PTL_ARG_INVALID);
  EXPECT_EQ(atomic(md, PTL_SUM, PTL_UINT8_T, {.length = 5}), PTL_ARG_INVALID);
  EXPECT_EQ(fetch_atomic(to, md, PTL_SUM, PTL_UINT8_T, {.length = 5}), PTL_ARG_INVALID);
  EXPECT_EQ(get(md, {.length = 8}), PTL_OK) << "nothing is sent from it";
}

}  // namespace
}  // namespace lintel::testing
