// Rules that are often got wrong: lists.

#include "tests/protocol4/pitfalls4.h"

namespace lintel::testing {
namespace {

TEST_F(Pitfalls4, FirstPortalOfAnyIsZero) {
  start({}, {.made = false});
  ptl_pt_index_t made = 77;
  ASSERT_EQ(allocate_portal(0, PTL_PT_ANY, made), PTL_OK);
  EXPECT_EQ(made, 0U);
  for (ptl_pt_index_t wanted = 1; wanted <= 16; ++wanted)
    EXPECT_EQ(allocate_portal(0, wanted, made), PTL_OK) << wanted;
}

TEST_F(Pitfalls4, ArrivalAndAppendLoseNothingBetweenThem) {
  append_overflow(memory, {.options = kPut | PTL_ME_EVENT_COMM_DISABLE});
  const Md md = bind(data);
  constexpr std::size_t kMessages = 30;
  for (std::size_t i = 0; i < kMessages; ++i) ASSERT_EQ(post_put(md), PTL_OK);
  for (std::size_t i = 0; i < kMessages; ++i) {
    job->network().advance_to_next();
    job->poll(1);
    append(memory, {.options = kOnce});
  }
  job->settle();
  const Events events = take(1);
  EXPECT_EQ(how_many(events, PTL_EVENT_PUT) + how_many(events, PTL_EVENT_PUT_OVERFLOW), kMessages);
  EXPECT_EQ(how_many(events, PTL_EVENT_AUTO_UNLINK), kMessages);
}

TEST_F(Pitfalls4, AppendReturnsWhileTheDataOfWhatItMeetsAreUnderWay) {
  Bytes large = pattern(4096);
  append_overflow(memory);
  put_until_landing(bind(large));
  append(memory, {.options = kOnce});  // virtual time does not advance
  EXPECT_EQ(kinds(1), "LINK");
  job->settle();
  EXPECT_EQ(kinds(1), "PUT PUT_OVERFLOW AUTO_UNLINK");
}

TEST_F(Pitfalls4, HeadersAreInOrderOfMatchingNotOfCompletion) {
  Bytes large = pattern(4096), room(8192);
  append_overflow(room, {.options = kPut | PTL_ME_MANAGE_LOCAL});
  put_until_landing(bind(large), {.hdr_data = 1});
  ASSERT_EQ(put(bind(data), {.hdr_data = 2}), PTL_OK);
  take(1);
  append(memory);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT_OVERFLOW PUT_OVERFLOW LINK");
  EXPECT_EQ(events[0].hdr_data, 1U);
  EXPECT_EQ(events[1].hdr_data, 2U);
}

TEST_F(Pitfalls4, NonMatchingUseOnceEntriesAreAQueue) {
  start({.interface = PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL});
  std::vector<Bytes> rooms(3, Bytes(8));
  for (Bytes& room : rooms) append(room, {.options = kOnce | PTL_ME_EVENT_LINK_DISABLE});
  std::vector<Bytes> sent{pattern(8, 1), pattern(8, 2), pattern(8, 3)};
  for (Bytes& bytes : sent) ASSERT_EQ(put(bind(bytes)), PTL_OK);
  EXPECT_EQ(rooms, sent);
  EXPECT_EQ(kinds(1), "PUT AUTO_UNLINK PUT AUTO_UNLINK PUT AUTO_UNLINK");
}

TEST_F(Pitfalls4, UnlinkIsInUseThenInvalidAndNeverTold) {
  Bytes large = pattern(4096);
  const ptl_handle_me_t once = append(memory, {.options = kOnce});
  put_until_landing(bind(large));
  EXPECT_NE(unlink(once), PTL_OK);
  job->settle();
  EXPECT_EQ(unlink(once), PTL_ARG_INVALID);
  EXPECT_EQ(kinds(1), "LINK PUT AUTO_UNLINK");
  const ptl_handle_me_t idle = append(memory, {.options = kOnce | PTL_ME_EVENT_LINK_DISABLE});
  EXPECT_EQ(unlink(idle), PTL_OK);
  EXPECT_EQ(unlink(idle), PTL_ARG_INVALID);
  EXPECT_EQ(kinds(1), "");
}

TEST_F(Pitfalls4, EitherTheUnlinkOrTheMessageHasTheEntry) {
  constexpr int kEntries = 10;
  std::vector<ptl_handle_me_t> entries;
  for (int i = 0; i < kEntries; ++i)
    entries.push_back(append(memory, {.options = kOnce | PTL_ME_EVENT_LINK_DISABLE}));
  const Md md = bind(data);
  for (int i = 0; i < kEntries; ++i) ASSERT_EQ(post_put(md), PTL_OK);
  int unlinked = 0;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    job->network().advance_to_next();
    job->poll(1);
    unlinked += unlink(*entry) == PTL_OK;
  }
  job->settle();
  const Events events = take(1);
  EXPECT_EQ(how_many(events, PTL_EVENT_PUT) + static_cast<std::size_t>(unlinked),
            std::size_t{kEntries});
  EXPECT_EQ(how_many(events, PTL_EVENT_AUTO_UNLINK), how_many(events, PTL_EVENT_PUT));
}

TEST_F(Pitfalls4, UidViolationDoesNotFallThroughAndConsumesNothing) {
  start({.processes = 3, .users = {500, 501, 502}});
  Bytes second(8);
  append(memory, {.options = kOnce | PTL_ME_MANAGE_LOCAL, .uid = 502});
  append(second, {.options = kOnce});
  take(1);
  ASSERT_EQ(put_acked(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!PERM_VIOLATION");
  EXPECT_EQ(second, Bytes(8));
  ASSERT_EQ(put(bind(data, {}, 2), {}, 2), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT AUTO_UNLINK");
  EXPECT_EQ(part(memory, 0, 8), data);
}

TEST_F(Pitfalls4, EntriesBeyondTheLimitHaveNoSpace) {
  ptl_ni_limits_t limits{};
  limits.max_entries = 3;
  start({.limits = limits});
  EXPECT_EQ(job->limits().max_entries, 3);
  for (int i = 0; i < 3; ++i) append(memory);
  ptl_handle_me_t made = 0;
  EXPECT_EQ(try_append(me(memory), {}, made), PTL_NO_SPACE);
}

TEST_F(Pitfalls4, EntriesBeyondTheListSizeHaveNoSpaceOnEachListForItself) {
  ptl_ni_limits_t limits{};
  limits.max_list_size = 2;
  start({.limits = limits});
  EXPECT_EQ(job->limits().max_list_size, 2);
  ptl_handle_me_t made = 0;
  for (const ptl_list_t list : {PTL_PRIORITY_LIST, PTL_OVERFLOW_LIST}) {
    const EntryRules rules{.list = list};
    const ptl_handle_me_t first = append(memory, rules);
    append(memory, rules);
    EXPECT_EQ(try_append(me(memory), rules, made), PTL_NO_SPACE);
    ASSERT_EQ(unlink(first), PTL_OK);
    EXPECT_EQ(try_append(me(memory), rules, made), PTL_OK);
  }
}

TEST_F(Pitfalls4, FreeOfABusyPortalIsPtInUse) {
  append(memory);
  EXPECT_EQ(free_portal(), PTL_PT_IN_USE);
}

TEST_F(Pitfalls4, PromisesOfAPortalAreNotEnforced) {
  start({}, {.options = PTL_PT_ONLY_USE_ONCE | PTL_PT_ONLY_TRUNCATE | PTL_PT_MATCH_UNORDERED});
  append(memory, {.options = kPut | PTL_ME_NO_TRUNCATE});
  ASSERT_EQ(put(bind(data)), PTL_OK);
  ASSERT_EQ(put(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT PUT");
}

TEST_F(Pitfalls4, MinFreeOfAnEntryThatIsOverrunUnlinksIt) {
  Bytes small(10), long_one = pattern(100);
  append(small, {.options = kPut | PTL_ME_MANAGE_LOCAL, .min_free = 1});
  ASSERT_EQ(put(bind(long_one)), PTL_OK);
  EXPECT_EQ(story(1), "LINK PUT 10/100@0 AUTO_UNLINK");
}

TEST_F(Pitfalls4, UnexpectedHeadersLongerThanTheEntryUnlinkIt) {
  Bytes small(10), long_one = pattern(100);
  append_overflow(memory);
  for (int i = 0; i < 2; ++i) ASSERT_EQ(put(bind(long_one)), PTL_OK);
  take(1);
  append(small,
         {.options = kPut | PTL_ME_MANAGE_LOCAL | PTL_ME_LOCAL_INC_UH_RLENGTH, .min_free = 1});
  EXPECT_EQ(kinds(1), "PUT_OVERFLOW AUTO_UNLINK");
}

TEST_F(Pitfalls4, MinFreeLargerThanTheEntryUnlinksItWithItsFirstMessage) {
  append(memory, {.options = kPut | PTL_ME_MANAGE_LOCAL, .min_free = 1'000'000});
  ASSERT_EQ(put(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT AUTO_UNLINK");
}

}  // namespace
}  // namespace lintel::testing
