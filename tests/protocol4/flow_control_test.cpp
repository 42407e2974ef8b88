// Flow control: a portal disables itself instead of dropping; who is told, and how it is enabled
// again.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class FlowControl : public Portals4Test {
 protected:
  FlowControl() { start_with(4096); }
  void start_with(ptl_size_t queue_length, int unexpected = 0) {
    ptl_ni_limits_t limits{};
    limits.max_unexpected_headers = unexpected;
    start({.limits = limits}, {.options = PTL_PT_FLOWCTRL, .queue_length = queue_length});
    from = bind(data, {.options = PTL_MD_EVENT_SEND_DISABLE});
  }
  int put_acked(const Md& md) { return put(md, {.ack = PTL_ACK_REQ}); }
  void put_times(int times) {
    for (int i = 0; i < times; ++i) ASSERT_EQ(put_acked(from), PTL_OK);
  }
  // Without LINK events, so that the queue holds only events of messages.
  static constexpr unsigned kSilentLink = kPut | PTL_ME_EVENT_LINK_DISABLE;

  Bytes data = pattern(8);
  Bytes memory = Bytes(4096);
  Md from;
};

TEST_F(FlowControl, MessageThatFindsNoEntryDisablesThePortal) {
  put_times(1);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PT_DISABLED");
  EXPECT_EQ(events[0].pt_index, kPortal);
  EXPECT_EQ(events[0].ni_fail_type, PTL_NI_PT_DISABLED);
}

TEST_F(FlowControl, LocalCompletionOfTheRefusedMessageIsASuccess) {
  ASSERT_EQ(put_acked(bind(data)), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND ACK!PT_DISABLED");
}

TEST_F(FlowControl, DisabledIsToldOnceHoweverManyMessagesFollow) {
  put_times(5);
  EXPECT_EQ(kinds(1), "PT_DISABLED");
  EXPECT_EQ(kinds(0),
            "ACK!PT_DISABLED ACK!PT_DISABLED ACK!PT_DISABLED ACK!PT_DISABLED ACK!PT_DISABLED");
}

TEST_F(FlowControl, LaterMessagesAreRefusedThoughAnEntryIsThereByThen) {
  put_times(1);
  append(memory);
  put_times(1);
  EXPECT_EQ(kinds(0), "ACK!PT_DISABLED ACK!PT_DISABLED");
  EXPECT_EQ(kinds(1), "PT_DISABLED LINK");
}

TEST_F(FlowControl, EveryRefusedMessageCountsAsDropped) {
  put_times(3);
  EXPECT_EQ(drops(1), 3);
}

TEST_F(FlowControl, RefusedGetAndFetchAtomicReplyWithIt) {
  ASSERT_EQ(get(from), PTL_OK);
  ASSERT_EQ(fetch_atomic(from, from, PTL_SUM, PTL_UINT8_T), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY!PT_DISABLED REPLY!PT_DISABLED");
}

TEST_F(FlowControl, RefusedMessageCountsAsAFailureOfItsMd) {
  const ptl_handle_ct_t counted = counter(0);
  const Md counting =
      bind(data, {.options = PTL_MD_EVENT_CT_ACK, .counter = counted, .quiet = true});
  ASSERT_EQ(put(counting, {.ack = PTL_CT_ACK_REQ}), PTL_OK);
  EXPECT_EQ(count(counted, 0), "0+1");
}

TEST_F(FlowControl, UnexpectedHeadersUsedUpDisableThePortal) {
  start_with(4096, 2);
  append_overflow(memory, {.options = kSilentLink});
  put_times(4);
  EXPECT_EQ(kinds(0), "ACK ACK ACK!PT_DISABLED ACK!PT_DISABLED");
  EXPECT_EQ(kinds(1), "PUT PUT PT_DISABLED");
}

TEST_F(FlowControl, EntryWithoutUnexpectedHeadersDoesNotUseThemUp) {
  start_with(4096, 1);
  append_overflow(memory, {.options = kSilentLink | PTL_ME_UNEXPECTED_HDR_DISABLE});
  put_times(3);
  EXPECT_EQ(kinds(1), "PUT PUT PUT");
}

TEST_F(FlowControl, ClaimedHeadersAreFreeForOthers) {
  start_with(4096, 1);
  append_overflow(memory, {.options = kSilentLink});
  Bytes wanted(8);
  for (int i = 0; i < 3; ++i) {
    put_times(1);
    append(wanted, {.options = kSilentLink | PTL_ME_USE_ONCE});
  }
  EXPECT_EQ(
      kinds(1),
      "PUT PUT_OVERFLOW AUTO_UNLINK PUT PUT_OVERFLOW AUTO_UNLINK PUT PUT_OVERFLOW AUTO_UNLINK");
}

TEST_F(FlowControl, FullQueueDisablesThePortalAtExactlyItsLength) {
  for (const ptl_size_t length : {1U, 3U, 4U, 5U}) {
    start_with(length);
    append(memory, {.options = kSilentLink});
    put_times(static_cast<int>(length) + 2);
    const Events events = take(1);
    EXPECT_EQ(how_many(events, PTL_EVENT_PUT), length);
    ASSERT_EQ(events.size(), length + 1);
    EXPECT_EQ(events.back().type, PTL_EVENT_PT_DISABLED);
  }
}

TEST_F(FlowControl, FullQueueLosesNoEvent) {
  start_with(2);
  append(memory, {.options = kSilentLink});
  put_times(4);
  job->as(1);
  ptl_event_t event;
  EXPECT_EQ(PtlEQGet(queue(1), &event), PTL_OK);  // not PTL_EQ_DROPPED
}

TEST_F(FlowControl, RoomIsForEveryEventOfAMessage) {
  start_with(3);
  for (int i = 0; i < 3; ++i) append(memory, {.options = kSilentLink | PTL_ME_USE_ONCE});
  put_times(2);
  EXPECT_EQ(kinds(1), "PUT AUTO_UNLINK PT_DISABLED");
  EXPECT_EQ(kinds(0), "ACK ACK!PT_DISABLED");
}

TEST_F(FlowControl, MessagesUnderWayHaveTheirRoomReserved) {
  start_with(1);
  Bytes large = pattern(4096);
  append(memory, {.options = kSilentLink});
  put_until_landing(bind(large, {.quiet = true}));
  put_times(1);
  EXPECT_EQ(kinds(0), "ACK!PT_DISABLED");
  EXPECT_EQ(kinds(1), "PUT PT_DISABLED");
}

TEST_F(FlowControl, DisabledIsToldAfterTheMessagesAcceptedBefore) {
  Bytes large = pattern(4096);
  append(memory, {.options = kSilentLink});
  put_until_landing(bind(large, {.quiet = true}));
  ASSERT_EQ(post_put(from, {.ack = PTL_ACK_REQ, .bits = 1}), PTL_OK);  // matches nothing
  Events told;
  do {
    job->settle(0ns);
    const Events news = take(1);
    told.insert(told.end(), news.begin(), news.end());
    if (job->landing(1, kPortal) > 0) {
      EXPECT_EQ(kinds(told), "");
    }
  } while (job->network().advance_to_next());
  EXPECT_EQ(kinds(told), "PUT PT_DISABLED");
  EXPECT_EQ(memory, large);
}

TEST_F(FlowControl, EntryMayKeepTheEventBack) {
  start_with(4096, 1);
  append_overflow(memory, {.options = kSilentLink | PTL_ME_EVENT_FLOWCTRL_DISABLE});
  put_times(2);
  EXPECT_EQ(kinds(1), "PUT");
  EXPECT_EQ(kinds(0), "ACK ACK!PT_DISABLED");
}

TEST_F(FlowControl, ViolationsDisableNothing) {
  append(memory, {.options = kGet});
  put_times(1);
  EXPECT_EQ(kinds(0), "ACK!OP_VIOLATION");
  ASSERT_EQ(get(from), PTL_OK);
  EXPECT_EQ(kinds(1), "LINK GET");
}

TEST_F(FlowControl, DisabledByTheProgramItTellsNothingForMessagesThatFollow) {
  ASSERT_EQ(disable(), PTL_OK);
  put_times(2);
  EXPECT_EQ(kinds(1), "");
}

TEST_F(FlowControl, EnabledAgainItTakesMessagesAndMayDisableItselfAgain) {
  put_times(1);
  EXPECT_EQ(kinds(1), "PT_DISABLED");
  const ptl_handle_me_t entry = append(memory, {.options = kSilentLink});
  ASSERT_EQ(enable(), PTL_OK);
  put_times(1);
  EXPECT_EQ(kinds(1), "PUT");
  ASSERT_EQ(unlink(entry), PTL_OK);
  put_times(2);
  EXPECT_EQ(kinds(1), "PT_DISABLED");
}

// A large message is landing, and another one was refused and has disabled the portal.
class DrainingPortal : public FlowControl {
 protected:
  DrainingPortal() {
    append(memory, {.options = kSilentLink});
    put_until_landing(bind(large, {.quiet = true}));
    refuse_one();
  }
  void refuse_one() {
    const int before = drops(1);
    EXPECT_EQ(post_put(from, {.ack = PTL_ACK_REQ, .bits = 1}), PTL_OK);  // matches nothing
    do {
      ASSERT_TRUE(job->network().advance_to_next());
      job->settle(0ns);
    } while (drops(1) == before);
    ASSERT_EQ(job->landing(1, kPortal), 1U);
  }
  Bytes large = pattern(4096);
};

TEST_F(DrainingPortal, EnabledAgainItTellsAllTheSameThatItWasDisabled) {
  ASSERT_EQ(enable(), PTL_OK);
  job->settle();
  EXPECT_EQ(kinds(1), "PUT PT_DISABLED");
}

TEST_F(DrainingPortal, EnabledAgainItTakesMessagesAtOnce) {
  ASSERT_EQ(enable(), PTL_OK);
  ASSERT_EQ(put(from), PTL_OK);
  EXPECT_EQ(how_many(take(1), PTL_EVENT_PUT), 2U);
}

TEST_F(DrainingPortal, EnabledAgainItTellsAfterWhatItTookBeforeAndDoesNotWaitForWhatItTakesThen) {
  ASSERT_EQ(enable(), PTL_OK);
  ASSERT_EQ(post_put(bind(large, {.quiet = true}), {.hdr_data = 2}), PTL_OK);
  job->settle();
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT PT_DISABLED PUT");
  EXPECT_EQ(events[2].hdr_data, 2U);
}

TEST_F(DrainingPortal, DisabledTwiceWhileItDrainsItTellsTwice) {
  ASSERT_EQ(enable(), PTL_OK);
  refuse_one();
  job->settle();
  EXPECT_EQ(kinds(1), "PUT PT_DISABLED PT_DISABLED");
}

TEST_F(DrainingPortal, EnabledAndShutByTheProgramItTellsWhatItOwes) {
  ASSERT_EQ(enable(), PTL_OK);
  job->drive_by_clock(1);
  ASSERT_EQ(disable(), PTL_OK);
  EXPECT_EQ(kinds(1), "PUT PT_DISABLED");
}

TEST_F(FlowControl, RecoveryLosesNothingAndRepeatsNothing) {
  start_with(3);
  constexpr std::size_t kMessages = 20;
  append(memory, {.options = kSilentLink | PTL_ME_MANAGE_LOCAL});
  Bytes sent = pattern(kMessages);
  const Md md = bind(sent, {.options = PTL_MD_EVENT_SEND_DISABLE});
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < kMessages; ++i) waiting.push_back(i);
  std::vector<ptl_hdr_data_t> arrived;
  for (int round = 0; !waiting.empty() && round < 100; ++round) {
    for (const std::size_t i : waiting)
      ASSERT_EQ(
          post_put(md,
                   {.ack = PTL_ACK_REQ, .local = i, .length = 1, .hdr_data = i, .user = &sent[i]}),
          PTL_OK);
    job->settle();
    waiting.clear();
    for (const ptl_event_t& event : take(0)) {
      if (event.ni_fail_type == PTL_NI_PT_DISABLED)
        waiting.push_back(
            static_cast<std::size_t>(static_cast<std::uint8_t*>(event.user_ptr) - sent.data()));
    }
    for (const ptl_event_t& event : take(1)) {
      if (event.type == PTL_EVENT_PUT) arrived.push_back(event.hdr_data);
    }
    ASSERT_EQ(enable(), PTL_OK);
  }
  ASSERT_EQ(arrived.size(), kMessages);
  for (std::size_t i = 0; i < kMessages; ++i) EXPECT_EQ(arrived[i], i);
  EXPECT_EQ(part(memory, 0, kMessages), sent);
}

TEST_F(FlowControl, WithoutItAFullQueueLosesTheOldestEventAndSaysSo) {
  start({}, {.queue_length = 3});
  append(memory, {.options = kSilentLink});
  Md md = bind(data);
  for (ptl_hdr_data_t i = 0; i < 5; ++i) ASSERT_EQ(put(md, {.hdr_data = i}), PTL_OK);
  job->as(1);
  ptl_event_t event;
  ASSERT_EQ(PtlEQGet(queue(1), &event), PTL_EQ_DROPPED);
  EXPECT_EQ(event.hdr_data, 2U);
  EXPECT_EQ(PtlEQGet(queue(1), &event), PTL_OK);
  EXPECT_EQ(PtlEQGet(queue(1), &event), PTL_OK);
  EXPECT_EQ(event.hdr_data, 4U);
  EXPECT_EQ(PtlEQGet(queue(1), &event), PTL_EQ_EMPTY);
}

TEST_F(FlowControl, WithoutItUnexpectedHeadersUsedUpDropMessages) {
  ptl_ni_limits_t limits{};
  limits.max_unexpected_headers = 1;
  start({.limits = limits});
  append_overflow(memory, {.options = kSilentLink});
  const Md md = bind(data, {.options = PTL_MD_EVENT_SEND_DISABLE});
  ASSERT_EQ(put_acked(md), PTL_OK);
  ASSERT_EQ(put_acked(md), PTL_OK);
  EXPECT_EQ(kinds(0), "ACK ACK!DROPPED");
  EXPECT_EQ(kinds(1), "PUT");
}

}  // namespace
}  // namespace lintel::testing
