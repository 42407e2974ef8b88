// Unexpected messages: what an append to either list does with them, also while their data are
// still landing.

#include <algorithm>

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class Overflow : public Portals4Test {
 protected:
  Overflow() { mine = bind(data); }
  // Appends without LINK, and discards the events so far.
  ptl_handle_me_t block(unsigned options = 0, ptl_size_t min_free = 0) {
    const ptl_handle_me_t made = append_overflow(
        memory, {.options = kBoth | options, .min_free = min_free, .user = &block_user});
    take(1);
    return made;
  }
  // Delivers one message per letter, with the letter as hdr_data, and discards the events.
  void arrive(const std::string& letters) {
    for (const char letter : letters)
      ASSERT_EQ(put(mine, {.hdr_data = static_cast<ptl_hdr_data_t>(letter)}), PTL_OK);
    take(1);
    take(0);
  }
  static std::string letters(const Events& events) {
    std::string all;
    for (const ptl_event_t& event : events) {
      if (event.type == PTL_EVENT_PUT_OVERFLOW) all += static_cast<char>(event.hdr_data);
    }
    return all;
  }
  EntryRules claiming(unsigned options = 0) {
    return {.options = kPut | options, .user = &claim_user};
  }
  EntryRules claiming_once(unsigned options = 0) { return claiming(options | PTL_ME_USE_ONCE); }

  Bytes memory = Bytes(8192);
  Bytes wanted = Bytes(64);
  Bytes data = pattern(8);
  Bytes large = pattern(4096, 3);
  int block_user = 0, claim_user = 0;
  Md mine;
};

TEST_F(Overflow, MessageIsToldAtItsArrival) {
  block();
  ASSERT_EQ(put(mine, {.ack = PTL_ACK_REQ}), PTL_OK);
  const ptl_event_t event = only(take(1), PTL_EVENT_PUT);
  EXPECT_EQ(event.ptl_list, PTL_OVERFLOW_LIST);
  EXPECT_EQ(event.user_ptr, &block_user);
  EXPECT_EQ(only(take(0), PTL_EVENT_ACK).ptl_list, PTL_OVERFLOW_LIST);
}

TEST_F(Overflow, AppendToTheOverflowListLooksAtNoHeader) {
  block();
  arrive("a");
  append_overflow(wanted, claiming());
  EXPECT_EQ(kinds(1), "LINK");
}

TEST_F(Overflow, PersistentAppendMeetsAllInOrderAndIsLinked) {
  block(PTL_ME_MANAGE_LOCAL);
  arrive("abc");
  append(wanted, claiming());
  const Events events = take(1);
  EXPECT_EQ(kinds(events), "PUT_OVERFLOW PUT_OVERFLOW PUT_OVERFLOW LINK");
  EXPECT_EQ(letters(events), "abc");
  EXPECT_EQ(events[1].user_ptr, &claim_user);
  EXPECT_EQ(events[1].start, memory.data() + 8);  // where the data are
  EXPECT_EQ(wanted, Bytes(64));
  ASSERT_EQ(put(mine), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).ptl_list, PTL_PRIORITY_LIST);
}

TEST_F(Overflow, UseOnceAppendMeetsTheFirstOnlyAndIsNeverLinked) {
  block();
  arrive("ab");
  const ptl_handle_me_t dead = append(wanted, claiming_once());
  const Events events = take(1);
  EXPECT_EQ(kinds(events), "PUT_OVERFLOW AUTO_UNLINK");
  EXPECT_EQ(letters(events), "a");
  EXPECT_EQ(events[1].user_ptr, &claim_user);
  EXPECT_EQ(unlink(dead), PTL_ARG_INVALID);
  append(wanted, claiming_once());
  EXPECT_EQ(letters(take(1)), "b");
}

TEST_F(Overflow, AppendWithoutAMatchIsLinked) {
  block();
  arrive("a");
  append(wanted, {.options = kPut | PTL_ME_USE_ONCE, .bits = 5});
  EXPECT_EQ(kinds(1), "LINK");
}

TEST_F(Overflow, HeadersMatchByTheSameRulesAsMessages) {
  append_overflow(memory, {.ignore = ~0ULL});
  arrive("a");
  ASSERT_EQ(put(mine, {.bits = 5, .hdr_data = 'b'}), PTL_OK);
  ASSERT_EQ(put(mine, {.offset = 60, .hdr_data = 'c'}), PTL_OK);
  take(1);
  // c does not fit at 60 of 64
  append(wanted, {.options = kPut | PTL_ME_NO_TRUNCATE, .ignore = ~0ULL});
  EXPECT_EQ(letters(take(1)), "ab");
  append(wanted, {.from = SimulatedJob4::physical_id(1)});
  EXPECT_EQ(kinds(1), "LINK");
  append(wanted, {.from = SimulatedJob4::physical_id(0)});
  EXPECT_EQ(letters(take(1)), "c");
}

TEST_F(Overflow, HeadersAreClaimedWithoutALookAtTheUser) {
  block();
  arrive("a");
  append(wanted, {.options = kPut | PTL_ME_USE_ONCE, .uid = 4711});
  EXPECT_EQ(kinds(1), "PUT_OVERFLOW AUTO_UNLINK");
  EXPECT_EQ(status(1, PTL_SR_PERMISSION_VIOLATIONS), 0);
}

TEST_F(Overflow, EachKindOfMessageHasItsOverflowEvent) {
  block();
  ASSERT_EQ(put(mine), PTL_OK);
  ASSERT_EQ(get(mine), PTL_OK);
  ASSERT_EQ(atomic(mine, PTL_SUM, PTL_UINT8_T), PTL_OK);
  ASSERT_EQ(fetch_atomic(mine, mine, PTL_SUM, PTL_UINT8_T), PTL_OK);
  ASSERT_EQ(swap(mine, mine, nullptr, PTL_SWAP, PTL_UINT8_T), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT GET ATOMIC FETCH_ATOMIC FETCH_ATOMIC");
  append(wanted, {.options = kBoth});
  EXPECT_EQ(
      kinds(1),
      "PUT_OVERFLOW GET_OVERFLOW ATOMIC_OVERFLOW FETCH_ATOMIC_OVERFLOW FETCH_ATOMIC_OVERFLOW LINK");
}

TEST_F(Overflow, OverflowEventsMayBeDisabledAndAreCountedAllTheSame) {
  for (const unsigned option : {PTL_ME_EVENT_OVER_DISABLE, PTL_ME_EVENT_SUCCESS_DISABLE}) {
    start({});
    mine = bind(data);
    block();
    arrive("ab");
    const ptl_handle_ct_t counted = counter(1);
    append(wanted, {.options = kPut | option | PTL_ME_EVENT_CT_OVERFLOW | PTL_ME_EVENT_CT_BYTES,
                    .counter = counted});
    EXPECT_EQ(kinds(1), "LINK");
    EXPECT_EQ(count(counted, 1), "16+0");
  }
}

TEST_F(Overflow, CommDisabledKeepsOverflowEvents) {
  block(PTL_ME_EVENT_COMM_DISABLE);
  ASSERT_EQ(put(mine), PTL_OK);
  EXPECT_EQ(kinds(1), "");
  append(wanted, claiming_once(PTL_ME_EVENT_COMM_DISABLE));
  EXPECT_EQ(kinds(1), "PUT_OVERFLOW AUTO_UNLINK");
}

TEST_F(Overflow, CounterOfMessagesDoesNotCountOverflow) {
  block();
  arrive("a");
  const ptl_handle_ct_t counted = counter(1);
  append(wanted, {.options = kPut | PTL_ME_EVENT_CT_COMM, .counter = counted});
  EXPECT_EQ(count(counted, 1), "0+0");
  ASSERT_EQ(put(mine), PTL_OK);
  EXPECT_EQ(count(counted, 1), "1+0");
}

TEST_F(Overflow, EntryWithoutHeadersConsumesMessages) {
  block(PTL_ME_UNEXPECTED_HDR_DISABLE);
  ASSERT_EQ(put(mine, {.ack = PTL_ACK_REQ}), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT");
  append(wanted, claiming());
  EXPECT_EQ(kinds(1), "LINK");
}

TEST_F(Overflow, EntryThatHeadersReferToIsInUseUntilTheyAreClaimed) {
  const ptl_handle_me_t entry = block();
  arrive("ab");
  EXPECT_EQ(unlink(entry), PTL_IN_USE);
  append(wanted, claiming_once());
  EXPECT_EQ(unlink(entry), PTL_IN_USE);
  append(wanted, claiming_once());
  take(1);
  EXPECT_EQ(unlink(entry), PTL_OK);
  EXPECT_EQ(kinds(1), "");  // neither AUTO_UNLINK nor AUTO_FREE
}

TEST_F(Overflow, AutoFreeFollowsTheLastClaim) {
  block(PTL_ME_MANAGE_LOCAL, 8192 - 15);
  ASSERT_EQ(put(mine), PTL_OK);
  ASSERT_EQ(put(mine), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT PUT AUTO_UNLINK");
  append(wanted, claiming_once());
  EXPECT_EQ(kinds(1), "PUT_OVERFLOW AUTO_UNLINK");
  append(wanted, claiming_once());
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT_OVERFLOW AUTO_FREE AUTO_UNLINK");
  EXPECT_EQ(events[1].user_ptr, &block_user);
}

TEST_F(Overflow, AutoFreeFollowsTheLastClaimOfAnAtomicToo) {
  block(PTL_ME_USE_ONCE);
  ASSERT_EQ(atomic(mine, PTL_SUM, PTL_UINT8_T), PTL_OK);
  EXPECT_EQ(kinds(1), "ATOMIC AUTO_UNLINK");
  append(wanted, claiming_once());
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "ATOMIC_OVERFLOW AUTO_FREE AUTO_UNLINK");
  EXPECT_EQ(events[1].user_ptr, &block_user);
}

TEST_F(Overflow, AutoFreeComesBeforeTheUnlinkByMinFree) {
  block(PTL_ME_USE_ONCE);
  ASSERT_EQ(put(mine), PTL_OK);
  take(1);
  EntryRules rules = claiming(PTL_ME_MANAGE_LOCAL | PTL_ME_LOCAL_INC_UH_RLENGTH);
  rules.min_free = 64;
  append(wanted, rules);
  EXPECT_EQ(kinds(1), "PUT_OVERFLOW AUTO_FREE AUTO_UNLINK");
}

TEST_F(Overflow, AutoFreeOfAnEntryThatLeftNoHeaderFollowsAtOnce) {
  block(PTL_ME_USE_ONCE | PTL_ME_UNEXPECTED_HDR_DISABLE);
  ASSERT_EQ(put(mine), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT AUTO_UNLINK AUTO_FREE");
}

TEST_F(Overflow, PriorityEntriesAreNeverFreed) {
  append(wanted, claiming_once());
  ASSERT_EQ(put(mine), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT AUTO_UNLINK");
}

TEST_F(Overflow, AutoFreeGoesWithUnlinkDisable) {
  block(PTL_ME_USE_ONCE | PTL_ME_EVENT_UNLINK_DISABLE);
  arrive("a");
  append(wanted, claiming_once(PTL_ME_EVENT_UNLINK_DISABLE));
  EXPECT_EQ(kinds(1), "PUT_OVERFLOW");
}

TEST_F(Overflow, LocalIncAdvancesTheOffsetByTheRequestedLength) {
  block();
  arrive("ab");
  append(wanted, claiming(PTL_ME_MANAGE_LOCAL | PTL_ME_LOCAL_INC_UH_RLENGTH));
  take(1);
  ASSERT_EQ(put(mine), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).start, wanted.data() + 16);
}

TEST_F(Overflow, WithoutLocalIncTheOffsetStays) {
  block();
  arrive("ab");
  append(wanted, claiming(PTL_ME_MANAGE_LOCAL));
  take(1);
  ASSERT_EQ(put(mine), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).start, wanted.data());
}

TEST_F(Overflow, LocalIncUnlinksByMinFreeAndTheRestStaysUnexpected) {
  block();
  arrive("abcd");
  EntryRules rules = claiming(PTL_ME_MANAGE_LOCAL | PTL_ME_LOCAL_INC_UH_RLENGTH);
  rules.min_free = 64 - 15;
  const ptl_handle_me_t dead = append(wanted, rules);
  Events events = take(1);
  EXPECT_EQ(kinds(events), "PUT_OVERFLOW PUT_OVERFLOW AUTO_UNLINK");
  EXPECT_EQ(letters(events), "ab");
  EXPECT_EQ(unlink(dead), PTL_ARG_INVALID);
  append(wanted, claiming());
  EXPECT_EQ(letters(take(1)), "cd");
}

// ---- While the data are still landing

TEST_F(Overflow, ClaimOfALandingMessageIsToldWhenItHasLanded) {
  block();
  put_until_landing(bind(large), {.hdr_data = 'L'});
  append(wanted, claiming_once());
  EXPECT_EQ(kinds(1), "");
  job->settle();
  const Events events = take(1);
  EXPECT_EQ(kinds(events), "PUT PUT_OVERFLOW AUTO_UNLINK");
  EXPECT_EQ(letters(events), "L");
  EXPECT_EQ(part(memory, 0, large.size()), large);
}

TEST_F(Overflow, LandingMessageIsClaimedBeforeALaterOneThatIsThere) {
  block(PTL_ME_MANAGE_LOCAL);
  put_until_landing(bind(large), {.hdr_data = 'L'});
  ASSERT_EQ(post_put(mine, {.hdr_data = 's'}), PTL_OK);
  while (kinds(1) != "PUT") {
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  // the small one has arrived, the large one is still landing
  ASSERT_EQ(job->landing(1, kPortal), 1U);
  append(wanted, claiming_once());
  job->settle();
  EXPECT_EQ(letters(take(1)), "L");
  append(wanted, claiming_once());
  EXPECT_EQ(letters(take(1)), "s");
}

TEST_F(Overflow, PersistentAppendMeetsLandingMessagesToo) {
  block(PTL_ME_MANAGE_LOCAL);
  arrive("a");
  put_until_landing(bind(large), {.hdr_data = 'L'});
  append(wanted, claiming());
  const std::string at_once = letters(take(1));
  job->settle();
  const Events later = take(1);
  EXPECT_EQ(at_once + letters(later), "aL");
  EXPECT_EQ(kinds(later), "PUT PUT_OVERFLOW");
}

TEST_F(Overflow, EntryThatHasClaimedALandingMessageIsInUse) {
  block();
  put_until_landing(bind(large));
  const ptl_handle_me_t entry = append(wanted, claiming());
  EXPECT_EQ(unlink(entry), PTL_IN_USE);
  job->settle();
  EXPECT_EQ(unlink(entry), PTL_OK);
}

TEST_F(Overflow, AutoFreeWaitsForTheLandingAndTheClaim) {
  block(PTL_ME_USE_ONCE);
  put_until_landing(bind(large));
  append(wanted, claiming_once());
  EXPECT_EQ(kinds(1), "");
  job->settle();
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT AUTO_UNLINK PUT_OVERFLOW AUTO_FREE AUTO_UNLINK");
  EXPECT_EQ(events[1].user_ptr, &block_user);
  EXPECT_EQ(events[3].user_ptr, &block_user);
}

TEST_F(Overflow, SenderLostWhileItsMessageLandsFailsTheClaim) {
  block();
  put_until_landing(bind(large));
  append(wanted, claiming_once());
  job->kill(0, transport::Death::kNoticed);
  job->settle();
  EXPECT_EQ(kinds(1), "PUT!UNDELIVERABLE PUT_OVERFLOW!UNDELIVERABLE AUTO_UNLINK");
}

TEST_F(Overflow, SenderLostWhileItsMessageLandsHoldsNothingBack) {
  const ptl_handle_me_t entry = block();
  put_until_landing(bind(large));
  job->kill(0, transport::Death::kNoticed);
  job->settle();
  EXPECT_EQ(kinds(1), "PUT!UNDELIVERABLE");
  ASSERT_EQ(search(PTL_SEARCH_ONLY), PTL_OK);
  EXPECT_EQ(kinds(1), "SEARCH!NO_MATCH");
  EXPECT_EQ(unlink(entry), PTL_OK);
}

TEST_F(Overflow, InterfaceMayEndWhileClaimedMessagesLand) {
  block(PTL_ME_USE_ONCE);
  block(PTL_ME_MANAGE_LOCAL);
  put_until_landing(bind(large));
  put_until_landing(bind(large));
  append(wanted, claiming());
  put_until_landing(bind(large));  // into the entry that has claimed both
  job->as(1);
  EXPECT_EQ(PtlNIFini(job->ni()), PTL_OK);
}

TEST_F(Overflow, ManyHeadersAreMetInOrderWhateverElseIsThere) {
  append_overflow(memory, {.ignore = ~0ULL});
  constexpr ptl_hdr_data_t kEach = 60;
  for (ptl_hdr_data_t i = 0; i < kEach; ++i)
    ASSERT_EQ(put(mine, {.bits = i % 3, .hdr_data = i}), PTL_OK);
  take(1);
  const auto expect_met = [&](const EntryRules& rules, std::vector<ptl_hdr_data_t> expected) {
    append(wanted, rules);
    std::vector<ptl_hdr_data_t> met;
    for (const ptl_event_t& event : take(1)) {
      if (event.type == PTL_EVENT_PUT_OVERFLOW) met.push_back(event.hdr_data);
    }
    EXPECT_EQ(met, expected);
  };
  std::vector<ptl_hdr_data_t> ones, others;
  for (ptl_hdr_data_t i = 0; i < kEach; ++i) {
    if (i % 3 == 1) ones.push_back(i);
    if (i % 3 != 1 && i != 2) others.push_back(i);
  }
  expect_met({.options = kPut | PTL_ME_USE_ONCE, .bits = 2}, {2});
  expect_met({.bits = 1}, ones);
  expect_met({.bits = 0, .ignore = ~0ULL}, others);
}

TEST_F(Overflow, NoMessageIsLostBetweenTheListsWhicheverComesFirst) {
  constexpr std::size_t kMessages = 40;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    JobOptions4 options;
    options.network.seed = seed;
    start(options);
    Bytes small = pattern(8), big = pattern(2000), room(200000);
    append_overflow(room, {.options = kPut | PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_COMM_DISABLE});
    const Md source = bind(big);
    for (std::size_t i = 0; i < kMessages; ++i)
      ASSERT_EQ(post_put(source, {.length = i % 3 == 0 ? 2000U : 8U, .hdr_data = i}), PTL_OK);
    std::vector<bool> seen(kMessages);
    std::size_t appended = 0;
    const auto look = [&] {
      for (const ptl_event_t& event : take(1)) {
        if (event.type != PTL_EVENT_PUT && event.type != PTL_EVENT_PUT_OVERFLOW) continue;
        EXPECT_FALSE(seen[event.hdr_data]);
        seen[event.hdr_data] = true;
      }
    };
    do {
      job->settle(0ns);
      if (appended++ < kMessages) append(room, claiming_once());
      look();
    } while (job->network().advance_to_next());
    while (appended++ < kMessages) append(room, claiming_once());
    look();
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(kMessages))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace lintel::testing
