// Which events are logged, on whose queue, what their members hold, and how sequence numbers and
// links run.

#include <map>

#include "tests/protocol/protocol_test.h"

namespace lintel::testing {
namespace {

class EventFields : public ProtocolTest {
 protected:
  EventFields() {
    start({.users = {500, 501}});
    job->as(1);
    EXPECT_EQ(PtlACEntry(job->ni(), 6, kAnyone, PTL_UID_ANY, PTL_JID_ANY, PTL_PT_INDEX_ANY),
              PTL_OK);
    job->as(0);
  }
  // Members that events of every kind have in common in these tests.
  void expect_request_fields(const ptl_event_t& event, std::size_t initiator, ptl_uid_t user,
                             ptl_handle_md_t md) {
    EXPECT_EQ(event.initiator.nid, job->id(initiator).nid);
    EXPECT_EQ(event.initiator.pid, job->id(initiator).pid);
    EXPECT_EQ(event.uid, user);
    EXPECT_EQ(event.jid, 7U);
    EXPECT_EQ(event.pt_index, 9U);
    EXPECT_EQ(event.match_bits, 0x55AAU);
    EXPECT_EQ(event.ni_fail_type, PTL_NI_OK);
    EXPECT_EQ(event.md_handle, md);
  }
  static constexpr EntryRules kEntry{.portal = 9, .bits = 0x5500, .ignore = 0xff};
  static constexpr Call kCall{
      .ack = true, .portal = 9, .cookie = 6, .bits = 0x55AA, .offset = 2, .hdr_data = 77};
  Bytes memory = Bytes(6);
  Bytes data = pattern(8);
};

TEST_F(EventFields, Put) {
  const Entry entry =
      target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE}, kEntry);
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(put(md, kCall), PTL_OK);
  const Events here = take(0);
  ASSERT_EQ(story(here), "SEND_START 8/8@2 SEND_END 8/8@2 ACK 4/8@2");
  expect_request_fields(here[0], 0, 500, md);
  expect_request_fields(here[1], 0, 500, md);
  expect_request_fields(here[2], 1, 501, md);  // who acknowledges
  EXPECT_EQ(here[0].hdr_data, 77U);
  EXPECT_EQ(here[1].hdr_data, 77U);
  EXPECT_EQ(here[2].hdr_data, 0U);
  const Events there = take(1);
  ASSERT_EQ(story(there), "PUT_START 4/8@2 PUT_END 4/8@2");
  for (const ptl_event_t& event : there) {
    expect_request_fields(event, 0, 500, entry.md);  // the request's bits, not the entry's
    EXPECT_EQ(event.hdr_data, 77U);
  }
}

TEST_F(EventFields, Get) {
  const Entry entry =
      target(memory, {.options = kGet | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE}, kEntry);
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(get(md, kCall), PTL_OK);
  const Events here = take(0);
  ASSERT_EQ(story(here), "REPLY_START 4/8@0 REPLY_END 4/8@0");
  for (const ptl_event_t& event : here) {
    expect_request_fields(event, 1, 501, md);
    EXPECT_EQ(event.hdr_data, 0U);
  }
  const Events there = take(1);
  ASSERT_EQ(story(there), "GET_START 4/8@2 GET_END 4/8@2");
  for (const ptl_event_t& event : there) {
    expect_request_fields(event, 0, 500, entry.md);
    EXPECT_EQ(event.hdr_data, 0U);
  }
}

TEST_F(EventFields, GetPut) {
  const Entry entry =
      target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE | PTL_MD_TRUNCATE}, kEntry);
  Bytes old(8);
  const ptl_handle_md_t out = source(data);
  const ptl_handle_md_t in = source(old);
  ASSERT_EQ(get_put(in, out, kCall), PTL_OK);
  const Events here = take(0);
  ASSERT_EQ(story(here), "SEND_START 8/8@2 SEND_END 8/8@2 REPLY_START 4/8@0 REPLY_END 4/8@0");
  expect_request_fields(here[0], 0, 500, out);
  EXPECT_EQ(here[0].hdr_data, 77U);
  expect_request_fields(here[2], 1, 501, in);
  EXPECT_EQ(here[2].hdr_data, 0U);
  const Events there = take(1);
  ASSERT_EQ(story(there), "GETPUT_START 4/8@2 GETPUT_END 4/8@2");
  for (const ptl_event_t& event : there) {
    expect_request_fields(event, 0, 500, entry.md);
    EXPECT_EQ(event.hdr_data, 77U);
  }
}

TEST_F(EventFields, EachQueueOfItsMd) {
  target(memory, {.options = kBoth | PTL_MD_TRUNCATE}, kEntry);
  Bytes old(8);
  ptl_handle_eq_t second = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 8, PTL_EQ_HANDLER_NONE, &second), PTL_OK);
  ptl_md_t in = md(old, {}, 0);
  in.eq_handle = second;
  ASSERT_EQ(get_put(bind(in), source(data), kCall), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
  EXPECT_EQ(kinds(job->events(second)), "REPLY_START REPLY_END");
}

// ---- Sequence and link

TEST_F(EventFields, SequenceGrowsByOneOverAllMdsOfAQueueAndWraps) {
  ptl_handle_eq_t eq = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 4, PTL_EQ_HANDLER_NONE, &eq), PTL_OK);
  ptl_handle_md_t mds[2];
  for (ptl_handle_md_t& each : mds) {
    ptl_md_t description = md(data, {}, 0);
    description.eq_handle = eq;
    each = bind(description);
  }
  bool wrapped = false;
  ptl_seq_t last = 0;
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(put(mds[i % 2], kCall), PTL_OK);  // dropped: two events each
    for (const ptl_event_t& event : job->events(eq)) {
      if (i > 0 || event.type == PTL_EVENT_SEND_END) {
        EXPECT_EQ(event.sequence, last + 1);
        wrapped = wrapped || event.sequence < last;
      }
      last = event.sequence;
    }
  }
  EXPECT_TRUE(wrapped);
}

TEST_F(EventFields, LostEventsKeepTheirSequenceNumbers) {
  ptl_handle_eq_t eq = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 2, PTL_EQ_HANDLER_NONE, &eq), PTL_OK);
  ptl_md_t description = md(data, {}, 0);
  description.eq_handle = eq;
  const ptl_handle_md_t from = bind(description);
  ASSERT_EQ(put(from, kCall), PTL_OK);
  const Events first = job->events(eq);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(put(from, kCall), PTL_OK);
  const Events after = job->events(eq);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[0].sequence, first[1].sequence + 5);
  EXPECT_EQ(after[1].sequence, first[1].sequence + 6);
}

TEST_F(EventFields, LinksOfStartEndAndAck) {
  target(memory, {.options = kPut | PTL_MD_TRUNCATE}, kEntry);
  ASSERT_EQ(put(source(data), kCall), PTL_OK);
  const Events events = take(0);
  ASSERT_EQ(kinds(events), "SEND_START SEND_END ACK");
  EXPECT_EQ(events[0].link, events[0].sequence);
  EXPECT_EQ(events[1].link, events[0].sequence);
  EXPECT_EQ(events[2].link, events[2].sequence);
}

// A queue may be shorter than the events of one operation. The operation needs none of them to
// proceed.
TEST_F(EventFields, QueueOfOneEventSurvives) {
  ptl_handle_eq_t eq = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 1, PTL_EQ_HANDLER_NONE, &eq), PTL_OK);
  ptl_md_t description = md(data, {.threshold = 1}, 0);
  description.eq_handle = eq;
  ASSERT_EQ(put(bind(description, PTL_UNLINK), kCall), PTL_OK);
  ptl_event_t event;
  ASSERT_EQ(PtlEQGet(eq, &event), PTL_EQ_DROPPED);
  EXPECT_EQ(event.type, PTL_EVENT_UNLINK);
}

}  // namespace
}  // namespace lintel::testing
