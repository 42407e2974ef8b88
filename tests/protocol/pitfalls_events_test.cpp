// Rules that are often got wrong: events. See also posting_race_test.cpp and, for events that other
// threads take, tests/system/threads_test.cpp.

#include <iterator>
#include <map>
#include <set>
#include <string>

#include "tests/protocol/pitfalls.h"

namespace lintel::testing {
namespace {

TEST_F(Pitfalls, FullQueueNeverRefusesAndReportsTheLossOnceWithAValidEvent) {
  Bytes memory(64), data = pattern(4);
  job->as(1);
  ptl_handle_eq_t small = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 4, PTL_EQ_HANDLER_NONE, &small), PTL_OK);
  ptl_md_t description = md(memory, {.options = kPut}, 1);
  description.eq_handle = small;
  attach(description);
  const ptl_handle_md_t from = source(data);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(put(from, {.ack = true}), PTL_OK);
  EXPECT_EQ(part(memory, 16, 4), data);  // the fifth put was accepted like the first
  job->as(1);
  ptl_event_t event;
  ASSERT_EQ(PtlEQGet(small, &event), PTL_EQ_DROPPED);
  EXPECT_EQ(testing::story({event}), "PUT_START 4/4@12");
  for (const char* expected : {"PUT_END 4/4@12", "PUT_START 4/4@16", "PUT_END 4/4@16"}) {
    ASSERT_EQ(PtlEQGet(small, &event), PTL_OK);
    EXPECT_EQ(testing::story({event}), expected);
  }
  EXPECT_EQ(PtlEQGet(small, &event), PTL_EQ_EMPTY);
  EXPECT_EQ(drops(1), 0U);
}

TEST_F(Pitfalls, SecondLossIsReportedAgain) {
  Bytes memory(64), data = pattern(4);
  job->as(1);
  ptl_handle_eq_t small = PTL_EQ_NONE;
  ASSERT_EQ(PtlEQAlloc(job->ni(), 2, PTL_EQ_HANDLER_NONE, &small), PTL_OK);
  ptl_md_t description = md(memory, {.options = kPut}, 1);
  description.eq_handle = small;
  attach(description);
  const ptl_handle_md_t from = source(data);
  ptl_event_t event;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 2; ++i) ASSERT_EQ(put(from), PTL_OK);
    job->as(1);
    EXPECT_EQ(PtlEQGet(small, &event), PTL_EQ_DROPPED);
    EXPECT_EQ(PtlEQGet(small, &event), PTL_OK);
    EXPECT_EQ(PtlEQGet(small, &event), PTL_EQ_EMPTY);
  }
}

TEST_F(Pitfalls, StartDisableHitsStartOnly) {
  Bytes memory(8), data = pattern(4);
  target(memory,
         {.options = kPut | PTL_MD_EVENT_START_DISABLE, .threshold = 1, .unlink = PTL_UNLINK});
  ASSERT_EQ(put(source(data, {.options = PTL_MD_EVENT_START_DISABLE}), {.ack = true}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_END ACK");
  EXPECT_EQ(kinds(1), "PUT_END UNLINK");
}

TEST_F(Pitfalls, EndDisableHitsEndOnly) {
  Bytes memory(8), data = pattern(4);
  target(memory,
         {.options = kPut | PTL_MD_EVENT_END_DISABLE, .threshold = 1, .unlink = PTL_UNLINK});
  ASSERT_EQ(put(source(data, {.options = PTL_MD_EVENT_END_DISABLE}), {.ack = true}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START ACK");
  EXPECT_EQ(kinds(1), "PUT_START UNLINK");
}

TEST_F(Pitfalls, DisabledEventsAreSuppressedInBothRoles) {
  Bytes memory = pattern(8), data(8);
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_END_DISABLE});
  const ptl_handle_md_t mine = source(data, {.options = PTL_MD_EVENT_START_DISABLE});
  ASSERT_EQ(get(mine), PTL_OK);
  ASSERT_EQ(get_put(mine, mine), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY_END SEND_END REPLY_END");
  EXPECT_EQ(kinds(1), "GET_START GETPUT_START");
}

TEST_F(Pitfalls, SnapshotIsTakenAfterAccountingWithTheOriginalStart) {
  Bytes memory(16), data = pattern(4);
  int mark = 0;
  const Entry entry = target(
      memory, {.options = kPut | PTL_MD_MAX_SIZE, .threshold = 3, .max_size = 4, .user = &mark});
  const ptl_handle_md_t from = source(data);
  ASSERT_EQ(put(from), PTL_OK);
  ASSERT_EQ(put(from), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(story(events), "PUT_START 4/4@0 PUT_END 4/4@0 PUT_START 4/4@4 PUT_END 4/4@4");
  const int thresholds[] = {2, 2, 1, 1};
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].md.threshold, thresholds[i]);
    EXPECT_EQ(events[i].md.start, memory.data());
    EXPECT_EQ(events[i].md.length, 16U);
    EXPECT_EQ(events[i].md.max_size, 4U);
    EXPECT_EQ(events[i].md.options, kPut | PTL_MD_MAX_SIZE);
    EXPECT_EQ(events[i].md.user_ptr, &mark);
    EXPECT_EQ(events[i].md.eq_handle, queue(1));
    EXPECT_EQ(events[i].md_handle, entry.md);
  }
}

TEST_F(Pitfalls, SnapshotOfEndIsThatOfItsOperationThoughOthersCameBetween) {
  Bytes memory(8192), large = pattern(4000), small = pattern(4);
  target(memory, {.options = kPut, .threshold = 5});
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  ASSERT_EQ(post_put(source(small)), PTL_OK);
  job->settle();
  std::map<ptl_size_t, std::set<int>> thresholds;
  for (const ptl_event_t& event : take(1)) thresholds[event.mlength].insert(event.md.threshold);
  EXPECT_EQ(thresholds, (std::map<ptl_size_t, std::set<int>>{{4000, {4}}, {4, {3}}}));
}

TEST_F(Pitfalls, AckTellsWhatWasAskedWhatWasTakenAndByWhom) {
  Bytes memory(5), data = pattern(8);
  target(memory, {.options = kPut | PTL_MD_TRUNCATE});
  ASSERT_EQ(put(source(data), {.ack = true}), PTL_OK);
  const ptl_event_t ack = only(take(0), PTL_EVENT_ACK);
  EXPECT_EQ(ack.rlength, 8U);
  EXPECT_EQ(ack.mlength, 5U);
  EXPECT_EQ(ack.initiator.nid, job->id(1).nid);
  EXPECT_EQ(ack.initiator.pid, job->id(1).pid);
}

TEST_F(Pitfalls, HeaderDataArriveWithAll64Bits) {
  Bytes memory(8), data = pattern(8), old(8);
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  constexpr ptl_hdr_data_t kHeader = 0xf00dfeedcafe0001;
  const ptl_handle_md_t out = source(data);
  ASSERT_EQ(put(out, {.hdr_data = kHeader}), PTL_OK);
  ASSERT_EQ(get_put(source(old), out, {.hdr_data = ~kHeader}), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT_START PUT_END GETPUT_START GETPUT_END");
  EXPECT_EQ(events[0].hdr_data, kHeader);
  EXPECT_EQ(events[1].hdr_data, kHeader);
  EXPECT_EQ(events[2].hdr_data, ~kHeader);
  EXPECT_EQ(events[3].hdr_data, ~kHeader);
}

TEST_F(Pitfalls, UnlinkComesLastAndTheHandleIsDeadWhenItIsSeen) {
  Bytes memory(8), data = pattern(4);
  const Entry entry = target(memory, {.options = kPut, .threshold = 1, .unlink = PTL_UNLINK});
  ASSERT_EQ(put(source(data)), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT_START PUT_END UNLINK");
  EXPECT_EQ(events[2].md_handle, entry.md);
  EXPECT_EQ(events[2].link, events[1].sequence);
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_MD_INVALID);
}

TEST_F(Pitfalls, UnlinkAfterAnAckIsLinkedToIt) {
  Bytes memory(8), data = pattern(4);
  target(memory, {.options = kPut});
  ASSERT_EQ(put(source(data, {.threshold = 2, .unlink = PTL_UNLINK}), {.ack = true}), PTL_OK);
  const Events events = take(0);
  ASSERT_EQ(kinds(events), "SEND_START SEND_END ACK UNLINK");
  EXPECT_EQ(events[3].link, events[2].sequence);
}

TEST_F(Pitfalls, ExplicitUnlinkHasNoEvent) {
  Bytes memory(8);
  const Entry first = target(memory, {.options = kPut});
  const Entry second = target(memory, {.options = kPut});
  ASSERT_EQ(unlink_md(first.md, 1), PTL_OK);
  ASSERT_EQ(unlink_me(second.me), PTL_OK);
  job->settle();
  EXPECT_EQ(kinds(1), "");
}

TEST_F(Pitfalls, EveryStartHasItsEndWhenThePeerDies) {
  Bytes memory(8192), data = pattern(4000);
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  ASSERT_EQ(post_put(source(data)), PTL_OK);
  ASSERT_EQ(post_get(source(data)), PTL_OK);
  job->kill(1, transport::Death::kNoticed);
  job->run(30s);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END!PEER_DEAD REPLY_START REPLY_END!PEER_DEAD");
}

TEST_F(Pitfalls, EndIsLinkedToItsStartThoughOtherEventsLieBetween) {
  start({.processes = 4});
  Bytes memory(1 << 16), data = pattern(4000);
  target(memory, {.options = kPut});
  for (const std::size_t from : {0U, 2U, 3U})
    ASSERT_EQ(post_put(source(data, {}, from), {}, from), PTL_OK);
  job->settle();
  std::map<ptl_seq_t, ptl_nid_t> started;
  std::size_t ended = 0;
  for (const ptl_event_t& event : take(1)) {
    if (event.type == PTL_EVENT_PUT_START) {
      EXPECT_EQ(event.link, event.sequence);
      started[ptl_seq_t{event.sequence}] = event.initiator.nid;
    } else {
      ASSERT_TRUE(started.contains(event.link));
      EXPECT_EQ(started[event.link], event.initiator.nid);
      ++ended;
    }
  }
  EXPECT_EQ(ended, 3U);
}

TEST_F(Pitfalls, LinkIsUniqueWithStartDisabled) {
  Bytes memory(64), data = pattern(4);
  target(memory, {.options = kPut | PTL_MD_EVENT_START_DISABLE});
  const ptl_handle_md_t from = source(data);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(put(from), PTL_OK);
  std::set<ptl_seq_t> links;
  for (const ptl_event_t& event : take(1)) links.insert(event.link);
  EXPECT_EQ(links.size(), 4U);
}

TEST_F(Pitfalls, ShortMessageDoesNotOvertakeTheMatchingOfALongOne) {
  Bytes memory(1 << 17), large = pattern(60000), small = pattern(4);
  target(memory, {.options = kPut});
  const ptl_handle_md_t long_one = source(large);
  const ptl_handle_md_t short_one = source(small);
  for (ptl_hdr_data_t i = 0; i < 6; ++i)
    ASSERT_EQ(post_put(i % 2 == 0 && i < 2 ? long_one : short_one, {.hdr_data = i}), PTL_OK);
  job->settle();
  ptl_hdr_data_t next = 0;
  for (const ptl_event_t& event : take(1)) {
    if (event.type == PTL_EVENT_PUT_START) {
      EXPECT_EQ(event.hdr_data, next++);
    }
  }
  EXPECT_EQ(next, 6U);
}

// A program may not rely on the order of SEND_END and ACK. This engine gives SEND_END first; the
// tests of large transfers check it with many seeds.
TEST_F(Pitfalls, SendEndComesBeforeAckOnOneQueue) {
  Bytes memory(8), data = pattern(4);
  target(memory, {.options = kPut});
  ASSERT_EQ(put(source(data), {.ack = true}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK");
}

TEST_F(Pitfalls, AckComesAfterTheDataAreInPlace) {
  for (const std::size_t length : {8U, 1024U, 1025U, 50000U}) {
    start({});
    Bytes memory(length), data = pattern(length);
    target(memory, {.options = kPut});
    ASSERT_EQ(post_put(source(data), {.ack = true}), PTL_OK);
    while (kinds(0).find("ACK") == std::string::npos) {
      job->settle(0ns);
      if (!job->network().advance_to_next()) break;
    }
    EXPECT_EQ(memory, data) << length;
  }
}

struct Name {
  unsigned value;
  const char* text;
};
#define LINTEL_NAME(constant) \
  { static_cast<unsigned>(constant), #constant }

TEST(PitfallsOfNames, EveryEventKindHasItsOwnNumberAndItsSpecifiedName) {
  constexpr Name kinds[] = {LINTEL_NAME(PTL_EVENT_GET_START),    LINTEL_NAME(PTL_EVENT_GET_END),
                            LINTEL_NAME(PTL_EVENT_PUT_START),    LINTEL_NAME(PTL_EVENT_PUT_END),
                            LINTEL_NAME(PTL_EVENT_GETPUT_START), LINTEL_NAME(PTL_EVENT_GETPUT_END),
                            LINTEL_NAME(PTL_EVENT_REPLY_START),  LINTEL_NAME(PTL_EVENT_REPLY_END),
                            LINTEL_NAME(PTL_EVENT_SEND_START),   LINTEL_NAME(PTL_EVENT_SEND_END),
                            LINTEL_NAME(PTL_EVENT_ACK),          LINTEL_NAME(PTL_EVENT_UNLINK)};
  std::set<unsigned> numbers;
  std::set<std::string> names;
  for (const Name& kind : kinds) {
    EXPECT_STREQ(PtlEventKindStr(static_cast<ptl_event_kind_t>(kind.value)), kind.text);
    numbers.insert(kind.value);
    names.insert(kind.text);
  }
  EXPECT_EQ(numbers.size(), std::size(kinds));
  for (unsigned other = 0; other < 16; ++other) {  // all values that the type can hold
    if (numbers.contains(other)) continue;
    const char* const text = PtlEventKindStr(static_cast<ptl_event_kind_t>(other));
    ASSERT_NE(text, nullptr);
    EXPECT_FALSE(names.contains(text)) << other << " is called " << text;
  }
}

TEST(PitfallsOfNames, EveryReturnCodeHasItsOwnNumberAndItsSpecifiedName) {
  constexpr Name codes[] = {LINTEL_NAME(PTL_OK),
                            LINTEL_NAME(PTL_AC_INDEX_INVALID),
                            LINTEL_NAME(PTL_EQ_DROPPED),
                            LINTEL_NAME(PTL_EQ_EMPTY),
                            LINTEL_NAME(PTL_EQ_INVALID),
                            LINTEL_NAME(PTL_FAIL),
                            LINTEL_NAME(PTL_HANDLE_INVALID),
                            LINTEL_NAME(PTL_IFACE_INVALID),
                            LINTEL_NAME(PTL_MD_ILLEGAL),
                            LINTEL_NAME(PTL_MD_INVALID),
                            LINTEL_NAME(PTL_MD_IN_USE),
                            LINTEL_NAME(PTL_MD_NO_UPDATE),
                            LINTEL_NAME(PTL_ME_INVALID),
                            LINTEL_NAME(PTL_ME_IN_USE),
                            LINTEL_NAME(PTL_ME_LIST_TOO_LONG),
                            LINTEL_NAME(PTL_NI_INVALID),
                            LINTEL_NAME(PTL_NO_INIT),
                            LINTEL_NAME(PTL_NO_SPACE),
                            LINTEL_NAME(PTL_PID_INVALID),
                            LINTEL_NAME(PTL_PROCESS_INVALID),
                            LINTEL_NAME(PTL_PT_FULL),
                            LINTEL_NAME(PTL_PT_INDEX_INVALID),
                            LINTEL_NAME(PTL_SEGV),
                            LINTEL_NAME(PTL_SR_INDEX_INVALID),
                            LINTEL_NAME(PTL_UNKNOWN_ERROR)};
  std::set<unsigned> numbers;
  std::set<std::string> names;
  for (const Name& code : codes) {
    EXPECT_STREQ(PtlErrorStr(code.value), code.text);
    numbers.insert(code.value);
    names.insert(code.text);
  }
  EXPECT_EQ(numbers.size(), std::size(codes));
  EXPECT_EQ(PTL_OK, 0) << "the one number that programs may rely on";
  for (const unsigned other : {static_cast<unsigned>(PTL_MAX_ERRNO), PTL_MAX_ERRNO + 1U, ~0U}) {
    ASSERT_FALSE(numbers.contains(other));
    ASSERT_NE(PtlErrorStr(other), nullptr);
    EXPECT_FALSE(names.contains(PtlErrorStr(other)))
        << other << " is called " << PtlErrorStr(other);
  }
}

}  // namespace
}  // namespace lintel::testing
