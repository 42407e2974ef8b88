// Searches of the unexpected messages: PTL_SEARCH_ONLY and PTL_SEARCH_DELETE, for one match and for
// all, events and counters.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class Search : public Portals4Test, public ::testing::WithParamInterface<unsigned> {
 protected:
  Search() {
    start({.interface = GetParam() | PTL_NI_PHYSICAL});
    append_overflow(memory);
    mine = bind(data);
    counted = counter(1);
  }
  void arrive(const std::string& letters) {
    for (const char letter : letters)
      ASSERT_EQ(put(mine, {.hdr_data = static_cast<ptl_hdr_data_t>(letter)}), PTL_OK);
    take(1);
  }
  static std::string letters(const Events& events) {
    std::string all;
    for (const ptl_event_t& event : events) all += static_cast<char>(event.hdr_data);
    return all;
  }
  EntryRules looking(unsigned options = 0) {
    return {.options = kPut | options, .counter = counted, .user = &search_user};
  }
  static constexpr unsigned kCounting = PTL_ME_EVENT_CT_OVERFLOW;
  static constexpr unsigned kOnce = PTL_ME_USE_ONCE;

  Bytes memory = Bytes(64);
  Bytes data = pattern(8);
  int search_user = 0;
  Md mine;
  ptl_handle_ct_t counted = PTL_CT_NONE;
};

TEST_P(Search, OnlyForOneTellsTheFirstAndLeavesIt) {
  arrive("ab");
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(search(PTL_SEARCH_ONLY, looking(kOnce)), PTL_OK);
    const Events events = take(1);
    EXPECT_EQ(kinds(events), "SEARCH");
    EXPECT_EQ(letters(events), "a");
  }
}

TEST_P(Search, OnlyForAllTellsEachWithoutATerminator) {
  arrive("abc");
  ASSERT_EQ(search(PTL_SEARCH_ONLY, looking()), PTL_OK);
  const Events events = take(1);
  EXPECT_EQ(kinds(events), "SEARCH SEARCH SEARCH");
  EXPECT_EQ(letters(events), "abc");
}

TEST_P(Search, DeleteForOneTakesTheFirst) {
  arrive("ab");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking(kOnce)), PTL_OK);
  const Events events = take(1);
  EXPECT_EQ(kinds(events), "PUT_OVERFLOW");
  EXPECT_EQ(letters(events), "a");
  ASSERT_EQ(search(PTL_SEARCH_ONLY, looking()), PTL_OK);
  EXPECT_EQ(letters(take(1)), "b");
}

TEST_P(Search, DeleteForAllTakesEachWithoutATerminator) {
  arrive("abc");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking()), PTL_OK);
  const Events events = take(1);
  EXPECT_EQ(kinds(events), "PUT_OVERFLOW PUT_OVERFLOW PUT_OVERFLOW");
  EXPECT_EQ(letters(events), "abc");
  ASSERT_EQ(search(PTL_SEARCH_ONLY, looking()), PTL_OK);
  EXPECT_EQ(kinds(1), "SEARCH!NO_MATCH");
}

TEST_P(Search, WithoutAMatchItSaysSo) {
  take(1);
  for (const ptl_search_op_t op : {PTL_SEARCH_ONLY, PTL_SEARCH_DELETE}) {
    for (const unsigned once : {0U, kOnce}) {
      ASSERT_EQ(search(op, looking(once)), PTL_OK);
      const Events events = take(1);
      ASSERT_EQ(kinds(events), "SEARCH!NO_MATCH");
      EXPECT_EQ(events[0].user_ptr, &search_user);
    }
  }
}

TEST_P(Search, ResultIsFilledInLikeAnOverflowEvent) {
  ASSERT_EQ(put(mine, {.offset = 60, .hdr_data = 0x1234}), PTL_OK);
  take(1);
  for (const ptl_search_op_t op : {PTL_SEARCH_ONLY, PTL_SEARCH_DELETE}) {
    ASSERT_EQ(search(op, looking(kOnce)), PTL_OK);
    const Events events = take(1);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_EQ(events[0].start, memory.data() + 60);
    EXPECT_EQ(events[0].user_ptr, &search_user);
    EXPECT_EQ(events[0].hdr_data, 0x1234U);
    EXPECT_EQ(events[0].rlength, 8U);
    EXPECT_EQ(events[0].mlength, 4U);
    EXPECT_EQ(events[0].remote_offset, 60U);
    EXPECT_EQ(events[0].pt_index, kPortal);
    EXPECT_EQ(events[0].initiator.phys.nid, SimulatedJob4::physical_id(0).phys.nid);
    EXPECT_EQ(events[0].uid, 1000U);
  }
}

TEST_P(Search, NothingIsEverLinked) {
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking()), PTL_OK);
  ASSERT_EQ(put(mine), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).ptl_list, PTL_OVERFLOW_LIST);
}

TEST_P(Search, RegistersDoNotChange) {
  ASSERT_EQ(search(PTL_SEARCH_ONLY, looking()), PTL_OK);
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking(kOnce)), PTL_OK);
  for (const ptl_sr_index_t reg :
       {PTL_SR_DROP_COUNT, PTL_SR_PERMISSION_VIOLATIONS, PTL_SR_OPERATION_VIOLATIONS})
    EXPECT_EQ(status(1, reg), 0);
}

TEST_P(Search, CommDisabledThereAreNoEvents) {
  arrive("ab");
  ASSERT_EQ(search(PTL_SEARCH_ONLY, looking(PTL_ME_EVENT_COMM_DISABLE)), PTL_OK);
  EXPECT_EQ(kinds(1), "");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking(PTL_ME_EVENT_COMM_DISABLE)), PTL_OK);
  EXPECT_EQ(kinds(1), "");
  ASSERT_EQ(search(PTL_SEARCH_ONLY, looking(PTL_ME_EVENT_COMM_DISABLE)), PTL_OK);
  EXPECT_EQ(kinds(1), "");
}

TEST_P(Search, CounterGetsEachResultAndAFailureAtTheEndOfASearchForAll) {
  arrive("abc");
  ASSERT_EQ(search(PTL_SEARCH_ONLY, looking(kCounting)), PTL_OK);
  EXPECT_EQ(count(counted, 1), "3+1");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking(kCounting)), PTL_OK);
  EXPECT_EQ(count(counted, 1), "6+2");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking(kCounting)), PTL_OK);  // nothing is left
  EXPECT_EQ(count(counted, 1), "6+3");
}

TEST_P(Search, CounterOfASearchForOneGetsAFailureOnlyIfNothingIsFound) {
  arrive("a");
  ASSERT_EQ(search(PTL_SEARCH_ONLY, looking(kCounting | kOnce)), PTL_OK);
  EXPECT_EQ(count(counted, 1), "1+0");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking(kCounting | kOnce)), PTL_OK);
  EXPECT_EQ(count(counted, 1), "2+0");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking(kCounting | kOnce)), PTL_OK);
  EXPECT_EQ(count(counted, 1), "2+1");
}

TEST_P(Search, CounterMayCountBytes) {
  arrive("ab");
  ASSERT_EQ(search(PTL_SEARCH_ONLY,
                   looking(kCounting | PTL_ME_EVENT_CT_BYTES | PTL_ME_EVENT_COMM_DISABLE)),
            PTL_OK);
  EXPECT_EQ(count(counted, 1), "16+1");
}

TEST_P(Search, UnknownOperationsAndPortalsAreInvalid) {
  EXPECT_EQ(search(2), PTL_ARG_INVALID);
  EXPECT_EQ(search(PTL_SEARCH_ONLY, {.portal = 5}), PTL_ARG_INVALID);
}

TEST_P(Search, OfAPortalWithoutAQueueCountsAndTakes) {
  start({.interface = GetParam() | PTL_NI_PHYSICAL}, {.quiet = true});
  append_overflow(memory);
  mine = bind(data);
  counted = counter(1);
  arrive("ab");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, looking(kCounting | kOnce)), PTL_OK);
  ASSERT_EQ(search(PTL_SEARCH_ONLY, looking(kCounting)), PTL_OK);
  EXPECT_EQ(count(counted, 1), "2+1");
}

TEST_P(Search, DeletingTheLastHeaderFreesItsEntry) {
  start({.interface = GetParam() | PTL_NI_PHYSICAL});
  int block_user = 0;
  append_overflow(memory, {.options = kPut | kOnce, .user = &block_user});
  mine = bind(data);
  arrive("a");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, {.options = kPut | kOnce}), PTL_OK);
  const Events events = take(1);
  EXPECT_EQ(kinds(events), "PUT_OVERFLOW AUTO_FREE");
  EXPECT_EQ(only(events, PTL_EVENT_AUTO_FREE).user_ptr, &block_user);
}

TEST_P(Search, DeletedWhileLandingItIsToldWhenItHasLanded) {
  start({.interface = GetParam() | PTL_NI_PHYSICAL});
  Bytes large = pattern(4096), room(4096);
  append_overflow(room);
  put_until_landing(bind(large));
  take(1);
  job->as(1);
  ASSERT_EQ(search(PTL_SEARCH_DELETE, {.options = kPut | kOnce}), PTL_OK);  // settles
  EXPECT_EQ(kinds(1), "PUT PUT_OVERFLOW");
  EXPECT_EQ(room, large);
}

INSTANTIATE_TEST_SUITE_P(All, Search, ::testing::Values(PTL_NI_MATCHING, PTL_NI_NO_MATCHING),
                         [](const auto& instance) {
                           return instance.param == PTL_NI_MATCHING ? "Matching" : "NonMatching";
                         });

class MatchingSearch : public Portals4Test {};

TEST_F(MatchingSearch, FindsByBitsAndSender) {
  Bytes memory(64), data = pattern(8);
  append_overflow(memory, {.ignore = ~0ULL});
  const Md mine = bind(data);
  for (const ptl_match_bits_t bits : {5U, 6U, 5U})
    ASSERT_EQ(put(mine, {.bits = bits, .hdr_data = bits}), PTL_OK);
  take(1);
  ASSERT_EQ(search(PTL_SEARCH_ONLY, {.bits = 5}), PTL_OK);
  EXPECT_EQ(kinds(1), "SEARCH SEARCH");
  ASSERT_EQ(search(PTL_SEARCH_DELETE, {.options = kPut | PTL_ME_USE_ONCE, .bits = 6}), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT_OVERFLOW).match_bits, 6U);
  ASSERT_EQ(search(PTL_SEARCH_ONLY, {.from = SimulatedJob4::physical_id(1), .ignore = ~0ULL}),
            PTL_OK);
  EXPECT_EQ(kinds(1), "SEARCH!NO_MATCH");
}

}  // namespace
}  // namespace lintel::testing
