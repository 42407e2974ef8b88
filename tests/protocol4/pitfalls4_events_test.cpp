// Rules that are often got wrong: events and counters.

#include "tests/protocol4/pitfalls4.h"

namespace lintel::testing {
namespace {

TEST_F(Pitfalls4, LinkIgnoresSuccessDisable) {
  append(memory, {.options = kPut | PTL_ME_EVENT_SUCCESS_DISABLE});
  append(memory, {.options = kPut | PTL_ME_EVENT_SUCCESS_DISABLE});
  EXPECT_EQ(kinds(1), "LINK LINK");
}

TEST_F(Pitfalls4, AutoFreeIsGatedByUnlinkDisable) {
  append_overflow(memory,
                  {.options = kOnce | PTL_ME_EVENT_UNLINK_DISABLE | PTL_ME_UNEXPECTED_HDR_DISABLE});
  ASSERT_EQ(put(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK PUT");
}

TEST_F(Pitfalls4, SearchIsGatedByCommDisable) {
  ASSERT_EQ(search(PTL_SEARCH_ONLY, {.options = kOnce | PTL_ME_EVENT_COMM_DISABLE}), PTL_OK);
  EXPECT_EQ(kinds(1), "");
}

TEST_F(Pitfalls4, PersistentSearchEndsWithoutAnEventButWithACountedFailure) {
  append_overflow(memory);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(put(bind(data)), PTL_OK);
  take(1);
  const ptl_handle_ct_t counted = counter(1);
  ASSERT_EQ(
      search(PTL_SEARCH_ONLY, {.options = kPut | PTL_ME_EVENT_CT_OVERFLOW, .counter = counted}),
      PTL_OK);
  EXPECT_EQ(kinds(1), "SEARCH SEARCH SEARCH SEARCH SEARCH");
  EXPECT_EQ(count(counted, 1), "5+1");
}

TEST_F(Pitfalls4, WaitsEndOnAnyFailure) {
  const ptl_handle_ct_t counted = counter(0);
  ASSERT_EQ(increment(counted, {0, 1}, 0), PTL_OK);
  ptl_ct_event_t value{};
  EXPECT_EQ(PtlCTWait(counted, 100, &value), PTL_OK);
  EXPECT_EQ(value.failure, 1U);
  const ptl_size_t test = 100;
  unsigned which = 9;
  EXPECT_EQ(PtlCTPoll(&counted, &test, 1, 0, &value, &which), PTL_OK);
  EXPECT_EQ(which, 0U);
}

TEST_F(Pitfalls4, WaitsCompareSuccessAlone) {
  const ptl_handle_ct_t counted = counter(0);
  ASSERT_EQ(set_counter(counted, {5, 0}, 0), PTL_OK);
  ptl_ct_event_t value{};
  unsigned which = 9;
  ptl_size_t test = 6;
  EXPECT_EQ(PtlCTPoll(&counted, &test, 1, 0, &value, &which), PTL_CT_NONE_REACHED);
  test = 5;
  EXPECT_EQ(PtlCTPoll(&counted, &test, 1, 0, &value, &which), PTL_OK);
  EXPECT_EQ(value.success, 5U);
}

TEST_F(Pitfalls4, TriggersCompareSuccessAndFailureTogether) {
  append(memory);
  const ptl_handle_ct_t trigger = counter(0);
  ASSERT_EQ(put(bind(data), {.trigger = Trigger{trigger, 5}}), PTL_OK);
  ASSERT_EQ(increment(trigger, {3, 0}, 0), PTL_OK);
  ASSERT_EQ(increment(trigger, {0, 1}, 0), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK");
  ASSERT_EQ(increment(trigger, {0, 1}, 0), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT");
}

TEST_F(Pitfalls4, IncrementOfBothMembersIsInvalid) {
  const ptl_handle_ct_t counted = counter(0);
  EXPECT_EQ(increment(counted, {1, 1}, 0), PTL_ARG_INVALID);
  EXPECT_EQ(increment(counted, {0, 0}, 0), PTL_OK);
  EXPECT_EQ(count(counted, 0), "0+0");
}

TEST_F(Pitfalls4, SendTellsNothingOfTheTarget) {
  ASSERT_EQ(put_acked(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!DROPPED");
}

TEST_F(Pitfalls4, SendCountsTheLengthAskedForAndAckAndReplyTheLengthMoved) {
  Bytes small(3);
  append(small, {.options = kBoth});
  const ptl_handle_ct_t sent = counter(0), acked = counter(0), replied = counter(0);
  const auto counting = [&](unsigned options, ptl_handle_ct_t counted) {
    return bind(data, {.options = options | PTL_MD_EVENT_CT_BYTES, .counter = counted});
  };
  ASSERT_EQ(put(counting(PTL_MD_EVENT_CT_SEND, sent)), PTL_OK);
  ASSERT_EQ(put(counting(PTL_MD_EVENT_CT_ACK, acked), {.ack = PTL_CT_ACK_REQ}), PTL_OK);
  ASSERT_EQ(get(counting(PTL_MD_EVENT_CT_REPLY, replied)), PTL_OK);
  EXPECT_EQ(count(sent, 0), "8+0");
  EXPECT_EQ(count(acked, 0), "3+0");
  EXPECT_EQ(count(replied, 0), "3+0");
}

// An object may be released as soon as the event of its last operation is seen: at every step of
// the operation, an existing event is enough.
TEST_F(Pitfalls4, MdMayBeReleasedOnTheSightOfItsLastEvent) {
  for (const std::size_t length : {8U, 4000U}) {
    Bytes sent = pattern(length);
    append(memory, {.options = kOnce | PTL_ME_OP_GET});
    append(memory, {.options = kOnce | PTL_ME_OP_GET});
    for (const bool fetch : {false, true}) {
      const Md md = bind(sent);
      ASSERT_EQ(fetch ? post_get(md) : post_put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
      EXPECT_EQ(release(md), PTL_IN_USE);
      std::string told;
      while (told.find(fetch ? "REPLY" : "ACK") == std::string::npos) {
        ASSERT_TRUE(job->network().advance_to_next());
        job->poll(1);
        job->poll(0);
        told += kinds(0);
      }
      EXPECT_EQ(release(md), PTL_OK);
      job->settle();
    }
  }
}

TEST_F(Pitfalls4, EntryMayBeUnlinkedAndItsPortalFreedOnTheSightOfTheMessage) {
  for (const std::size_t length : {8U, 4000U}) {
    start({});
    Bytes sent = pattern(length);
    const ptl_handle_me_t entry = append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE});
    ASSERT_EQ(post_put(bind(sent)), PTL_OK);
    while (kinds(1) != "PUT") {
      ASSERT_TRUE(job->network().advance_to_next());
      job->poll(0);
      job->poll(1);
    }
    EXPECT_EQ(unlink(entry), PTL_OK);
    EXPECT_EQ(free_portal(), PTL_OK);
    job->as(1);
    EXPECT_EQ(PtlEQFree(queue(1)), PTL_OK);
    job->settle();
  }
}

TEST_F(Pitfalls4, QueueHoldsExactlyItsLength) {
  for (const ptl_size_t length : {1U, 2U, 3U, 7U, 8U, 9U}) {
    start({}, {.queue_length = length});
    append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE});
    const Md md = bind(data);
    for (ptl_size_t i = 0; i <= length; ++i) ASSERT_EQ(put(md, {.hdr_data = i}), PTL_OK);
    const Events events = take(1);
    ASSERT_EQ(events.size(), length);
    EXPECT_EQ(events[0].hdr_data, 1U);
  }
}

TEST_F(Pitfalls4, DroppedReturnsAnEventToo) {
  start({}, {.queue_length = 1});
  append(memory);
  ASSERT_EQ(put(bind(data)), PTL_OK);
  job->as(1);
  ptl_event_t event;
  ASSERT_EQ(PtlEQGet(queue(1), &event), PTL_EQ_DROPPED);
  EXPECT_EQ(event.type, PTL_EVENT_PUT);
  EXPECT_EQ(PtlEQGet(queue(1), &event), PTL_EQ_EMPTY);
}

TEST_F(Pitfalls4, EventsOfAnUnexpectedMessageComeInOrder) {
  append_overflow(memory, {.options = kOnce | PTL_ME_EVENT_LINK_DISABLE});
  ASSERT_EQ(put(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT AUTO_UNLINK");
  int appended = 0;
  append(memory, {.options = kOnce, .user = &appended});
  const Events events = take(1);
  // events of the header come before events of the append
  ASSERT_EQ(kinds(events), "PUT_OVERFLOW AUTO_FREE AUTO_UNLINK");
  EXPECT_EQ(events[1].user_ptr, nullptr);
  EXPECT_EQ(events[2].user_ptr, &appended);
}

TEST_F(Pitfalls4, HeaderSurvivesTruncationToNothing) {
  Bytes nothing, large = pattern(4000);
  append_overflow(nothing);
  ASSERT_EQ(put(bind(large), {.ack = PTL_ACK_REQ, .bits = kBits, .hdr_data = 0xabcdef0123456789}),
            PTL_OK);
  append(memory, {.options = kOnce});
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "LINK PUT PUT_OVERFLOW AUTO_UNLINK");
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(events[i].hdr_data, 0xabcdef0123456789U);
    EXPECT_EQ(events[i].match_bits, kBits);
    EXPECT_EQ(events[i].rlength, 4000U);
    EXPECT_EQ(events[i].mlength, 0U);
  }
  const ptl_event_t ack = only(take(0), PTL_EVENT_ACK);
  EXPECT_EQ(ack.mlength, 0U);
  EXPECT_EQ(ack.ptl_list, PTL_OVERFLOW_LIST);
}

}  // namespace
}  // namespace lintel::testing
