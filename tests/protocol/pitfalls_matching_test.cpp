// Rules that are often got wrong: matching and lists.

#include "tests/protocol/pitfalls.h"

namespace lintel::testing {
namespace {

TEST_F(Pitfalls, RefusalContinuesTheWalkAndOnlyTheEndDrops) {
  Bytes small(4), right(8), data = pattern(8);
  target(small, {.options = kPut});
  target(right, {.options = kGet});
  target(right, {.options = kPut, .threshold = 1});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(right, data);
  EXPECT_EQ(drops(1), 0U);
  ASSERT_EQ(put(from), PTL_OK);  // the last entry is used up now
  EXPECT_EQ(drops(1), 1U);
}

TEST_F(Pitfalls, IgnoreBitsApplyToBothSides) {
  Bytes memory(8), data = pattern(8);
  // the entry has ones where bits are ignored
  target(memory, {.options = kPut}, {.bits = 0xff0f, .ignore = 0x00ff});
  ASSERT_EQ(put(source(data), {.bits = 0xff00}), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
}

TEST_F(Pitfalls, BitsOutsideTheIgnoredOnesMustAgree) {
  Bytes memory(8), data = pattern(8);
  target(memory, {.options = kPut}, {.bits = 0xff0f, .ignore = 0x00ff});
  ASSERT_EQ(put(source(data), {.bits = 0xfe0f}), PTL_OK);
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(drops(1), 1U);
}

TEST_F(Pitfalls, AttachBeforeIsTheHeadAndAfterTheTail) {
  Bytes memory(8), data = pattern(1);
  const Entry middle = target(memory, {.options = kPut});
  const Entry last = target(memory, {.options = kPut});
  const Entry first = target(memory, {.options = kPut}, {.position = PTL_INS_BEFORE});
  for (const Entry& expected : {first, middle, last}) {
    ASSERT_EQ(put(source(data)), PTL_OK);
    EXPECT_EQ(only(take(1), PTL_EVENT_PUT_END).md_handle, expected.md);
    ASSERT_EQ(unlink_md(expected.md, 1), PTL_OK);
  }
}

TEST_F(Pitfalls, InsertIsRelativeToItsBase) {
  Bytes memory(8), data = pattern(1);
  const Entry base = target(memory, {.options = kPut});
  const Entry last = target(memory, {.options = kPut});
  job->as(1);
  Entry before, after;
  ASSERT_EQ(PtlMEInsert(base.me, kAnyone, kBits, 0, PTL_RETAIN, PTL_INS_AFTER, &after.me), PTL_OK);
  ASSERT_EQ(PtlMEInsert(base.me, kAnyone, kBits, 0, PTL_RETAIN, PTL_INS_BEFORE, &before.me),
            PTL_OK);
  for (Entry* entry : {&before, &after})
    ASSERT_EQ(PtlMDAttach(entry->me, md(memory, {.options = kPut}, 1), PTL_RETAIN, &entry->md),
              PTL_OK);
  for (const Entry& expected : {before, base, after, last}) {
    ASSERT_EQ(put(source(data)), PTL_OK);
    EXPECT_EQ(only(take(1), PTL_EVENT_PUT_END).md_handle, expected.md);
    ASSERT_EQ(unlink_md(expected.md, 1), PTL_OK);
  }
}

TEST_F(Pitfalls, RetainedEntryStaysEmptyIsSkippedAndTakesANewMd) {
  Bytes memory(8), data = pattern(1);
  const Entry first = target(memory, {.options = kPut, .threshold = 1, .unlink = PTL_UNLINK});
  const Entry second = target(memory, {.options = kPut});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_TRUE(alive(first.me, 1));
  take(1);
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT_END).md_handle, second.md);
  job->as(1);
  ptl_handle_md_t again = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlMDAttach(first.me, md(memory, {.options = kPut}, 1), PTL_RETAIN, &again), PTL_OK);
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT_END).md_handle, again);
}

TEST_F(Pitfalls, UnlinkedEntryGoesWithAnMdThatIsUnlinkedByHand) {
  Bytes memory(8);
  const Entry entry = target(memory, {.options = kPut}, {.unlink = PTL_UNLINK});
  ASSERT_EQ(unlink_md(entry.md, 1), PTL_OK);
  EXPECT_FALSE(alive(entry.me, 1));
}

TEST_F(Pitfalls, UnlinkedEntryGoesWithAnMdThatUnlinksItself) {
  Bytes memory(8), data = pattern(1);
  const Entry entry = target(memory, {.options = kPut, .threshold = 1, .unlink = PTL_UNLINK},
                             {.unlink = PTL_UNLINK});
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_FALSE(alive(entry.me, 1));
  EXPECT_FALSE(alive(entry.md, 1));
}

TEST_F(Pitfalls, EntryTakesItsMdAlongWhateverTheMdsUnlinkOp) {
  Bytes memory(8);
  for (const ptl_unlink_t op : {PTL_RETAIN, PTL_UNLINK}) {
    const Entry entry = target(memory, {.options = kPut, .unlink = op});
    ASSERT_EQ(unlink_me(entry.me), PTL_OK);
    EXPECT_FALSE(alive(entry.md, 1));
    EXPECT_FALSE(alive(entry.me, 1));
  }
  EXPECT_EQ(status(1, PTL_SR_MDS_CUR), 0U);
  EXPECT_EQ(kinds(1), "");  // explicit: no event
}

TEST_F(Pitfalls, LargestIndexesAreValid) {
  Bytes memory(8), data = pattern(1);
  job->as(1);
  ASSERT_EQ(PtlACEntry(job->ni(), 63, kAnyone, PTL_UID_ANY, PTL_JID_ANY, 127), PTL_OK);
  target(memory, {.options = kPut}, {.portal = 127});
  ASSERT_EQ(put(source(data), {.portal = 127, .cookie = 63}), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
}

TEST_F(Pitfalls, OneAboveTheLargestIndexIsDropped) {
  Bytes data = pattern(1);
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from, {.portal = 128}), PTL_OK);
  EXPECT_EQ(status(1, PTL_SR_DROP_PT_INDEX), 1U);
  ASSERT_EQ(put(from, {.cookie = 64}), PTL_OK);
  EXPECT_EQ(status(1, PTL_SR_DROP_COOKIE), 1U);
}

TEST_F(Pitfalls, OtherUsersAreDroppedUntilTheAccessEntryAdmitsThem) {
  start({.users = {500, 501}});
  Bytes memory(8), data = pattern(1);
  target(memory, {.options = kPut});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(status(1, PTL_SR_DROP_ACCESS), 1U);
  job->as(1);
  ASSERT_EQ(PtlACEntry(job->ni(), 0, kAnyone, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY), PTL_OK);
  ASSERT_EQ(put(from), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT_START PUT_END");
  EXPECT_EQ(events[0].uid, 500U);
}

TEST_F(Pitfalls, AckAndReplyNeedNoAccessNoEntryAndNoOptions) {
  Bytes memory = pattern(8), data(8);
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  ASSERT_EQ(PtlACEntry(job->ni(), 0, {1, 1}, 77, 77, 0), PTL_OK);  // nobody may address process 0
  const ptl_handle_md_t mine = source(data);
  ASSERT_EQ(get(mine), PTL_OK);
  EXPECT_EQ(data, memory);
  ASSERT_EQ(put(mine, {.ack = true}), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY_START REPLY_END SEND_START SEND_END ACK");
  EXPECT_EQ(drops(0), 0U);
}

TEST_F(Pitfalls, GetPutNeedsBothOperationsEnabled) {
  Bytes memory(8), data = pattern(8), old(8);
  const ptl_handle_md_t out = source(data);
  const ptl_handle_md_t in = source(old);
  for (const unsigned options : {kPut, kGet}) {
    const Entry half = target(memory, {.options = options});
    ASSERT_EQ(get_put(in, out), PTL_OK);
    EXPECT_EQ(kinds(1), "");
    ASSERT_EQ(unlink_me(half.me), PTL_OK);
  }
  EXPECT_EQ(drops(1), 2U);
  target(memory, {.options = kBoth});
  ASSERT_EQ(get_put(in, out), PTL_OK);
  EXPECT_EQ(kinds(1), "GETPUT_START GETPUT_END");
}

TEST_F(Pitfalls, AttachAnyTakesAPortalWhoseListIsEmpty) {
  ptl_pt_index_t first = 0, second = 0;
  ptl_handle_me_t me = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlMEAttachAny(job->ni(), &first, kAnyone, 0, 0, PTL_RETAIN, &me), PTL_OK);
  entry({.portal = first + 1}, 0);
  ASSERT_EQ(PtlMEAttachAny(job->ni(), &second, kAnyone, 0, 0, PTL_RETAIN, &me), PTL_OK);
  EXPECT_NE(second, first);
  EXPECT_NE(second, first + 1);
}

TEST_F(Pitfalls, PortalIsFreeAgainWhenItsLastEntryGoes) {
  ptl_pt_index_t index = 0;
  std::vector<ptl_handle_me_t> entries(128);
  for (ptl_handle_me_t& me : entries)
    ASSERT_EQ(PtlMEAttachAny(job->ni(), &index, kAnyone, 0, 0, PTL_RETAIN, &me), PTL_OK);
  ptl_handle_me_t more = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlMEAttachAny(job->ni(), &index, kAnyone, 0, 0, PTL_RETAIN, &more), PTL_PT_FULL);
  ASSERT_EQ(PtlMEUnlink(entries[17]), PTL_OK);
  ASSERT_EQ(PtlMEAttachAny(job->ni(), &index, kAnyone, 0, 0, PTL_RETAIN, &more), PTL_OK);
}

}  // namespace
}  // namespace lintel::testing
