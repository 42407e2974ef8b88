// Points on which implementations of Portals 3.3 differ: one test for each, for the behaviour that
// doc/portals3.md promises.

#include <algorithm>

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class Contested : public ProtocolTest {
 protected:
  Bytes data = pattern(8);
  Bytes memory = Bytes(8);
};

TEST_F(Contested, GetNeitherChargesAtTheCallNorLogsSendEvents) {
  target(memory, {.options = kGet});
  ASSERT_EQ(get(source(data, {.threshold = 1, .unlink = PTL_UNLINK})), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY_START REPLY_END UNLINK");
}

TEST_F(Contested, ReplyToAnInactiveMdIsAcceptedAndItsThresholdStaysZero) {
  std::ranges::copy(pattern(8, 9), memory.begin());
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  const ptl_handle_md_t md = source(data, {.threshold = 1});
  ASSERT_EQ(post_get(md), PTL_OK);
  ASSERT_EQ(post_get(md), PTL_OK);
  job->settle();
  EXPECT_EQ(data, memory);
  EXPECT_EQ(kinds(0), "REPLY_START REPLY_END REPLY_START REPLY_END");
  EXPECT_EQ(state_of(md, 0).threshold, 0);
  EXPECT_EQ(drops(0), 0U);
}

TEST_F(Contested, ReplyLongerThanTheRoomIsShortened) {
  std::ranges::copy(pattern(8, 9), memory.begin());
  target(memory, {.options = kGet});
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(post_get(md), PTL_OK);
  Bytes small(3);
  ASSERT_EQ(update(md, this->md(small, {}, 0), PTL_EQ_NONE, 0), PTL_OK);
  job->settle();
  EXPECT_EQ(story(0), "REPLY_START 3/8@0 REPLY_END 3/8@0");
  EXPECT_EQ(small, part(memory, 0, 3));
}

TEST_F(Contested, LargeReplyToAnMdThatHasNoRoomAnyMoreEnds) {
  Bytes large = pattern(5000), nothing;
  const Entry entry = target(large, {.options = kGet});
  Bytes landing(5000);
  const ptl_handle_md_t md = source(landing);
  ASSERT_EQ(post_get(md), PTL_OK);
  ASSERT_EQ(update(md, this->md(nothing, {}, 0), PTL_EQ_NONE, 0), PTL_OK);
  job->settle();
  EXPECT_EQ(story(0), "REPLY_START 0/5000@0 REPLY_END 0/5000@0");
  EXPECT_EQ(kinds(1), "GET_START GET_END");
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_OK);
}

TEST_F(Contested, AckToAnInactiveMdIsLogged) {
  target(memory, {.options = kPut});
  const ptl_handle_md_t md = source(data, {.threshold = 1});
  ASSERT_EQ(put(md, {.ack = true}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK");
  EXPECT_EQ(state_of(md, 0).threshold, 0);
}

TEST_F(Contested, DiscardedAckIsCounted) {
  target(memory, {.options = kPut});
  ASSERT_EQ(put(source(data, {.threshold = 1, .unlink = PTL_UNLINK}), {.ack = true}), PTL_OK);
  EXPECT_EQ(drops(0), 1U);
}

TEST_F(Contested, RequestLongerThanMaxSizeGoesToTheNextEntry) {
  Bytes first(64), second(64);
  target(first, {.options = kPut | PTL_MD_MAX_SIZE, .max_size = 7});
  target(second, {.options = kPut});
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(part(second, 0, 8), data);
}

TEST_F(Contested, WithTruncateARequestIsCappedAtTheRemainingSpace) {
  Bytes first(64);
  target(first, {.options = kPut | PTL_MD_MAX_SIZE | PTL_MD_TRUNCATE, .max_size = 7});
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(story(1), "PUT_START 8/8@0 PUT_END 8/8@0");
}

TEST_F(Contested, AckIsLoggedWithStartAndEndDisabled) {
  target(memory, {.options = kPut});
  ASSERT_EQ(put(source(data, {.options = PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE}),
                {.ack = true}),
            PTL_OK);
  EXPECT_EQ(kinds(0), "ACK");
}

TEST_F(Contested, UnlinkIsLoggedWithStartAndEndDisabled) {
  target(memory, {.options = kPut | PTL_MD_EVENT_START_DISABLE | PTL_MD_EVENT_END_DISABLE,
                  .threshold = 1,
                  .unlink = PTL_UNLINK});
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "UNLINK");
}

TEST_F(Contested, AckTellsTheRequestedLength) {
  target(memory, {.options = kPut | PTL_MD_TRUNCATE});
  Bytes more = pattern(20);
  ASSERT_EQ(put(source(more), {.ack = true}), PTL_OK);
  EXPECT_EQ(only(take(0), PTL_EVENT_ACK).rlength, 20U);
}

TEST_F(Contested, BusyMdIsInUseAndCanBeUnlinkedLater) {
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(post_put(md), PTL_OK);
  EXPECT_EQ(PtlMDUnlink(md), PTL_MD_IN_USE);
  EXPECT_TRUE(alive(md, 0));
  job->settle();
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
}

TEST_F(Contested, SecondNIInitIsOkWithTheSameHandle) {
  ptl_handle_ni_t again = PTL_INVALID_HANDLE;
  EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &again), PTL_OK);
  EXPECT_EQ(again, job->ni());
}

TEST_F(Contested, UpdateOfABusyMdIsAppliedWhenNothingIsOwedToTheTestQueue) {
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(post_put(md), PTL_OK);  // busy, and SEND_END is owed to its own queue
  ptl_handle_eq_t other = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 4, PTL_EQ_HANDLER_NONE, &other), PTL_OK);
  Bytes fresh(4);
  EXPECT_EQ(update(md, this->md(fresh, {}, 0), other, 0), PTL_OK);
  EXPECT_EQ(state_of(md, 0).start, fresh.data());
}

TEST_F(Contested, OldIsFilledWithNoUpdate) {
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(put(md), PTL_OK);
  ptl_md_t old{};
  ptl_md_t fresh = this->md(memory, {}, 0);
  EXPECT_EQ(PtlMDUpdate(md, &old, &fresh, queue(0)), PTL_MD_NO_UPDATE);
  EXPECT_EQ(old.start, data.data());
}

TEST_F(Contested, OverflowResumesAtTheOldestSurvivor) {
  ptl_handle_eq_t eq = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 4, PTL_EQ_HANDLER_NONE, &eq), PTL_OK);
  ptl_md_t description = md(data, {}, 0);
  description.eq_handle = eq;
  const ptl_handle_md_t from = bind(description);
  for (ptl_hdr_data_t i = 0; i < 3; ++i) ASSERT_EQ(put(from, {.hdr_data = i}), PTL_OK);
  ptl_event_t event;
  ASSERT_EQ(PtlEQGet(eq, &event), PTL_EQ_DROPPED);
  EXPECT_EQ(event.type, PTL_EVENT_SEND_START);
  EXPECT_EQ(event.hdr_data, 1U);
}

TEST_F(Contested, SnapshotIsTakenAfterTheDecrement) {
  target(memory, {.options = kPut, .threshold = 7});
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT_START).md.threshold, 6);
}

TEST_F(Contested, RemoteOffsetPastTheEndIsRefusedThoughTruncateIsSet) {
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from, {.offset = 9}), PTL_OK);
  EXPECT_EQ(drops(1), 1U);
  ASSERT_EQ(put(from, {.offset = 8}), PTL_OK);
  EXPECT_EQ(story(1), "PUT_START 0/8@8 PUT_END 0/8@8");
}

TEST_F(Contested, PutOnAnInactiveMdIsInvalid) {
  EXPECT_EQ(put(source(data, {.threshold = 0})), PTL_MD_INVALID);
}

TEST_F(Contested, FreeingAQueueInUseDetachesIt) {
  const Entry entry = target(memory, {.options = kPut});
  job->as(1);
  ASSERT_EQ(PtlEQFree(queue(1)), PTL_OK);
  EXPECT_EQ(state_of(entry.md, 1).eq_handle, PTL_EQ_NONE);
  job->as(1);
  ptl_handle_eq_t successor = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 8, PTL_EQ_HANDLER_NONE, &successor), PTL_OK);
  ASSERT_EQ(put(source(data)), PTL_OK);
  EXPECT_EQ(memory, data);
  job->as(1);
  EXPECT_EQ(kinds(job->events(successor)), "");
}

TEST_F(Contested, EveryAccessEntryAdmitsTheSameUserAtFirst) {
  start({.processes = 3, .users = {500, 500, 501}});
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  const ptl_handle_md_t from = source(data);
  const ptl_handle_md_t foreign = source(data, {}, 2);
  for (ptl_ac_index_t cookie = 0; cookie < 64; ++cookie) {
    ASSERT_EQ(put(from, {.cookie = cookie}), PTL_OK);
    ASSERT_EQ(put(foreign, {.cookie = cookie}, 2), PTL_OK);
  }
  EXPECT_EQ(take(1).size(), 128U);
  EXPECT_EQ(status(1, PTL_SR_DROP_ACCESS), 64U);
}

TEST_F(Contested, GetPutTakesAtLeast64Bytes) {
  ptl_ni_limits_t actual{};
  ptl_handle_ni_t ni = PTL_INVALID_HANDLE;
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, &actual, &ni), PTL_OK);
  EXPECT_GE(actual.max_getput_md, 64);
}

TEST_F(Contested, EntryFreesItsRetainedMd) {
  const Entry entry = target(memory, {.options = kPut});
  ASSERT_EQ(unlink_me(entry.me), PTL_OK);
  EXPECT_EQ(status(1, PTL_SR_MDS_CUR), 0U);
}

TEST_F(Contested, WaitingForAReplyDoesNotPinTheMd) {
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(post_get(md), PTL_OK);
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
}

int handler_runs = 0;
TEST_F(Contested, HandlerRunsInTheCallThatReturnsTheEvent) {
  handler_runs = 0;
  ptl_handle_eq_t eq = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(
                job->ni(), 4, [](ptl_event_t*) { ++handler_runs; }, &eq),
            PTL_OK);
  ptl_md_t description = md(data, {}, 0);
  description.eq_handle = eq;
  ASSERT_EQ(put(bind(description)), PTL_OK);
  EXPECT_EQ(handler_runs, 0);
  EXPECT_EQ(job->events(eq).size(), 2U);
  EXPECT_EQ(handler_runs, 2);
}

}  // namespace
}  // namespace lintel::testing
