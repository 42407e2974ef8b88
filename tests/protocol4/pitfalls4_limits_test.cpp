// Rules that are often got wrong: limits, flow control, and messages that come early.

#include "tests/protocol4/pitfalls4.h"

namespace lintel::testing {
namespace {

class Limits4 : public Pitfalls4 {
 protected:
  static JobOptions4 with(const ptl_ni_limits_t& limits) { return {.limits = limits}; }
};

TEST_F(Limits4, MessageBeforeTheReceiverHasItsMapIsNotLost) {
  start({.interface = PTL_NI_MATCHING | PTL_NI_LOGICAL, .map = false});
  ASSERT_EQ(job->set_map(0), PTL_OK);
  append(memory);  // accepts messages of any rank
  ASSERT_EQ(put_acked(bind(data)), PTL_OK);
  ASSERT_EQ(job->set_map(1), PTL_OK);
  job->settle();
  const ptl_event_t event = only(take(1), PTL_EVENT_PUT);
  EXPECT_EQ(event.initiator.rank, 0U);
  EXPECT_EQ(part(memory, 0, 8), data);
}

TEST_F(Limits4, MessageBeforeThePortalIsDropped) {
  start({}, {.made = false});
  ASSERT_EQ(put_acked(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!DROPPED");
}

TEST_F(Limits4, TriggeredOperationsAreLimitedForEachCounter) {
  ptl_ni_limits_t limits{};
  limits.max_triggered_ops = 4;
  start(with(limits));
  EXPECT_EQ(job->limits().max_triggered_ops, 4);
  const Md md = bind(data);
  const ptl_handle_ct_t first = counter(0), second = counter(0);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(put(md, {.trigger = Trigger{first, 100}}), PTL_OK);
  EXPECT_EQ(put(md, {.trigger = Trigger{first, 100}}), PTL_NO_SPACE);
  EXPECT_EQ(put(md, {.trigger = Trigger{second, 100}}), PTL_OK);
  ASSERT_EQ(set_counter(first, {100, 0}, 0), PTL_OK);  // they have started
  EXPECT_EQ(put(md, {.trigger = Trigger{first, 200}}), PTL_OK);
}

TEST_F(Limits4, UnexpectedHeadersAreLimitedForEachPortal) {
  ptl_ni_limits_t limits{};
  limits.max_unexpected_headers = 2;
  start(with(limits));
  ptl_pt_index_t other = 0;
  ASSERT_EQ(allocate_portal(0, 1, other), PTL_OK);
  append_overflow(memory);
  append_overflow(memory, {.portal = other});
  const Md md = bind(data, {.options = PTL_MD_EVENT_SEND_DISABLE});
  for (const ptl_pt_index_t portal : {kPortal, other}) {
    for (int i = 0; i < 3; ++i) ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .portal = portal}), PTL_OK);
    EXPECT_EQ(kinds(0), "ACK ACK ACK!DROPPED");
  }
}

TEST_F(Limits4, ClaimedMessagesStillLandingTakeNoHeaderFromOthers) {
  ptl_ni_limits_t limits{};
  limits.max_unexpected_headers = 1;
  limits.max_pt_index = 1;
  start(with(limits));
  Bytes large = pattern(2000), room(8000);
  append_overflow(room, {.options = kPut | PTL_ME_MANAGE_LOCAL | PTL_ME_EVENT_LINK_DISABLE});
  const Md md = bind(large);
  for (int i = 0; i < 4; ++i) {
    put_until_landing(md);
    append(memory, {.options = kOnce});
  }
  job->settle();
  const Events events = take(1);
  EXPECT_EQ(how_many(events, PTL_EVENT_PUT), 4U);
  EXPECT_EQ(how_many(events, PTL_EVENT_PUT_OVERFLOW), 4U);
}

TEST_F(Limits4, MdsAndEntriesHaveTheirOwnLimits) {
  ptl_ni_limits_t limits{};
  limits.max_mds = 1;
  start(with(limits));
  EXPECT_EQ(job->limits().max_mds, 1);
  ptl_handle_me_t made = 0;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(try_append(me(memory, {.options = kOnce}), {}, made), PTL_OK);
  bind(data, {}, 1);
  EXPECT_EQ(search(PTL_SEARCH_ONLY), PTL_OK);
  const ptl_md_t another = md(data, {}, 1);
  ptl_handle_md_t none = 0;
  job->as(1);
  EXPECT_EQ(PtlMDBind(job->ni(), &another, &none), PTL_NO_SPACE);
}

TEST_F(Limits4, CountersAndQueuesAreLimitedExactly) {
  ptl_ni_limits_t limits{};
  limits.max_cts = 2;
  limits.max_eqs = 2;
  start(with(limits));
  counter(0);
  counter(0);
  ptl_handle_ct_t ct = 0;
  EXPECT_EQ(PtlCTAlloc(job->ni(), &ct), PTL_NO_SPACE);
  ptl_handle_eq_t eq = 0;
  EXPECT_EQ(PtlEQAlloc(job->ni(), 1, &eq), PTL_OK);  // in addition to the fixture's own
  EXPECT_EQ(PtlEQAlloc(job->ni(), 1, &eq), PTL_NO_SPACE);
}

// ---- Flow control

TEST_F(Limits4, FullQueueDisablesEveryFlowControlledPortalOnIt) {
  start({}, {.options = PTL_PT_FLOWCTRL, .queue_length = 2});
  ptl_pt_index_t second = 0, plain = 0;
  ASSERT_EQ(allocate_portal(PTL_PT_FLOWCTRL, 1, second), PTL_OK);
  ASSERT_EQ(allocate_portal(0, 2, plain), PTL_OK);
  for (const ptl_pt_index_t portal : {kPortal, second, plain})
    append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE, .portal = portal});
  const Md md = bind(data, {.options = PTL_MD_EVENT_SEND_DISABLE});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ}), PTL_OK);
  const Events events = take(1);
  EXPECT_EQ(kinds(events), "PUT PUT PT_DISABLED PT_DISABLED");
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[2].pt_index + events[3].pt_index, kPortal + second);
  take(0);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .portal = second}), PTL_OK);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .portal = plain}), PTL_OK);
  EXPECT_EQ(kinds(0), "ACK!PT_DISABLED ACK");
}

TEST_F(Limits4, PtDisabledComesExactlyOnceHoweverManyLandAndAreRefused) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    JobOptions4 options;
    options.processes = 4;
    options.network.seed = seed;
    start(options, {.options = PTL_PT_FLOWCTRL, .queue_length = 5});
    append(memory, {.options = kPut | PTL_ME_EVENT_LINK_DISABLE});
    Bytes large = pattern(4000);
    for (const std::size_t from : {0U, 2U, 3U}) {
      const Md md = bind(large, {.quiet = true}, from);
      for (std::size_t i = 0; i < 6; ++i)
        ASSERT_EQ(post_put(md, {.length = i % 2 == 0 ? 4000U : 8U}, from), PTL_OK);
    }
    job->settle();
    EXPECT_EQ(kinds(1), "PUT PUT PUT PUT PUT PT_DISABLED") << "seed " << seed;
  }
}

TEST_F(Limits4, DisableReturnsWhenWhatWasAcceptedHasLanded) {
  start({.processes = 1, .real_time = true});
  Bytes large = pattern(200'000), room(200'000);
  append(room, {}, 0);
  const Md md = bind(large);
  ASSERT_EQ(post_put(md, {.to = 0}), PTL_OK);
  for (int i = 0; i < 1000 && job->landing(0, kPortal) == 0; ++i) job->poll(0);
  ASSERT_EQ(job->landing(0, kPortal), 1U) << "it arrived within one poll";
  EXPECT_EQ(disable(kPortal, 0), PTL_OK);
  EXPECT_EQ(room, large);
  const Events events = take(0);
  EXPECT_EQ(how_many(events, PTL_EVENT_PUT), 1U);
  EXPECT_EQ(how_many(events, PTL_EVENT_PT_DISABLED), 0U);
}

TEST_F(Limits4, EntryWithAckDisabledSendsNone) {
  Bytes nothing;
  const ptl_handle_ct_t counted = counter(1);
  append(nothing,
         {.options = kPut | PTL_ME_ACK_DISABLE | PTL_ME_EVENT_CT_COMM | PTL_ME_EVENT_COMM_DISABLE,
          .counter = counted});
  const Md md = bind(data);
  ASSERT_EQ(put(md, {.length = 0}), PTL_OK);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .length = 0}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND SEND");
  EXPECT_EQ(count(counted, 1), "2+0");
  EXPECT_EQ(release(md), PTL_OK);
}

}  // namespace
}  // namespace lintel::testing
