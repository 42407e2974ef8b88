// Section 3.13: `start` of an event is where the data are at the target. It is fixed when the event
// is logged. The program may therefore free its list of pieces after releasing the MD or unlinking
// the entry, even with unread events.

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

class EventStart4 : public Portals4Test {
 protected:
  // The program's list of pieces, until it frees the list.
  void make_list() {
    list = std::make_unique<ptl_iovec_t[]>(3);
    list[0] = {first.data(), first.size()};
    list[1] = {nullptr, 0};
    list[2] = {second.data(), second.size()};
  }
  void throw_list_away() {
    for (std::size_t i = 0; i < 3; ++i) list[i] = {&list, 1};
    list.reset();
  }
  ptl_me_t entry_in_pieces(unsigned options) {
    make_list();
    Bytes none;
    ptl_me_t made = me(none, {.options = options | kNoLink | PTL_IOVEC});
    made.start = list.get();
    made.length = 3;
    return made;
  }

  Bytes first = Bytes(5), second = Bytes(11), data = pattern(4);
  std::unique_ptr<ptl_iovec_t[]> list;
};

TEST_F(EventStart4, AtTheTargetIsInThePieceThatHoldsTheFirstByte) {
  append(entry_in_pieces(kPut | PTL_ME_USE_ONCE));
  ASSERT_EQ(put(bind(data), {.offset = 7}), PTL_OK);
  throw_list_away();
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT AUTO_UNLINK");
  EXPECT_EQ(events[0].start, second.data() + 2);
}

TEST_F(EventStart4, SkipsEmptyPieces) {
  append(entry_in_pieces(kPut));
  ASSERT_EQ(put(bind(data), {.offset = 5}), PTL_OK);
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).start, second.data());
}

TEST_F(EventStart4, OfEveryKindOfMessageOutlivesTheList) {
  const ptl_handle_me_t entry = append(entry_in_pieces(kBoth));
  Bytes old(4);
  const Md from = bind(data), to = bind(old);
  ASSERT_EQ(put(from, {.offset = 1}), PTL_OK);
  ASSERT_EQ(get(to, {.offset = 2}), PTL_OK);
  ASSERT_EQ(atomic(from, PTL_SUM, PTL_INT32_T, {.offset = 5}), PTL_OK);
  ASSERT_EQ(fetch_atomic(to, from, PTL_SUM, PTL_INT32_T, {.offset = 6}), PTL_OK);
  ASSERT_EQ(unlink(entry), PTL_OK);
  throw_list_away();
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT GET ATOMIC FETCH_ATOMIC");
  EXPECT_EQ(events[0].start, first.data() + 1);
  EXPECT_EQ(events[1].start, first.data() + 2);
  EXPECT_EQ(events[2].start, second.data());
  EXPECT_EQ(events[3].start, second.data() + 1);
}

TEST_F(EventStart4, OfAnUnexpectedMessageLiesInTheOverflowEntry) {
  const ptl_me_t overflow = entry_in_pieces(kPut | PTL_ME_USE_ONCE | PTL_ME_MANAGE_LOCAL);
  append(overflow, {.list = PTL_OVERFLOW_LIST});
  ASSERT_EQ(put(bind(data)), PTL_OK);
  Bytes wanted(4);
  append(wanted, {.options = kPut | kNoLink | PTL_ME_USE_ONCE});
  throw_list_away();
  const Events events = take(1);
  EXPECT_EQ(only(events, PTL_EVENT_PUT).start, first.data());
  EXPECT_EQ(only(events, PTL_EVENT_PUT_OVERFLOW).start, first.data());
}

TEST_F(EventStart4, OnANonMatchingInterfaceOutlivesTheListToo) {
  start({.interface = PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL});
  append(entry_in_pieces(kPut | PTL_ME_USE_ONCE));
  ASSERT_EQ(put(bind(data), {.offset = 4}), PTL_OK);
  throw_list_away();
  EXPECT_EQ(only(take(1), PTL_EVENT_PUT).start, first.data() + 4);
}

TEST_F(EventStart4, BehindTheEndOfAListIsNull) {
  append(entry_in_pieces(kPut));
  ASSERT_EQ(put(bind(data), {.offset = 100}), PTL_OK);
  const Events events = take(1);
  ASSERT_EQ(story(events), "PUT 0/4@100");
  EXPECT_EQ(events[0].start, nullptr);
}

TEST_F(EventStart4, EventsOfTheInitiatorHaveNone) {
  Bytes there(64);
  append(there, {.options = kBoth | kNoLink});
  make_list();
  const ptl_handle_ct_t done = counter(0);
  const unsigned counted = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY;
  const Md md = bind(ptl_md_t{list.get(), 3, PTL_IOVEC | counted, queue(0), done}, 16);
  ASSERT_EQ(put(md, {.ack = PTL_ACK_REQ, .offset = 6, .local = 3, .length = 8}), PTL_OK);
  ASSERT_EQ(get(md, {.offset = 2, .local = 6, .length = 4}), PTL_OK);
  ASSERT_EQ(count(done, 0), "2+0");
  ASSERT_EQ(release(md), PTL_OK);
  throw_list_away();
  const Events events = take(0);
  ASSERT_EQ(kinds(events), "SEND ACK REPLY");
  for (const ptl_event_t& event : events) EXPECT_EQ(event.start, nullptr) << kinds({event});
}

}  // namespace
}  // namespace lintel::testing
