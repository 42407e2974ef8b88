// Section 3.15: a call that starts an operation never fails for lack of room. It makes progress
// until there is room or its peer is lost. A triggered operation that starts without room begins
// when there is some. The room is that for its peer: see stopped_peers4_test.cpp. Processes linger
// for two seconds here, so that calls may wait in virtual time.

#include <thread>

#include "tests/protocol4/portals4_test.h"

namespace lintel::testing {
namespace {

constexpr std::size_t kNobody = 99;  // no process on the network has this name
constexpr unsigned kCounted = PTL_MD_EVENT_CT_ACK | PTL_MD_EVENT_CT_REPLY;

class Room4 : public Portals4Test {
 protected:
  static constexpr std::size_t kRoom = 4;

  Room4() { begin(); }
  // Ranks 1 and 2 have an entry for every message, and sessions are open.
  void begin() {
    start(
        {.processes = 3, .endpoint = {.eager_limit = 1024, .max_operations = kRoom}, .linger = 2s});
    for (const std::size_t rank : {1U, 2U}) {
      append(there, {.options = kBoth | kNoLink}, rank);
      ASSERT_EQ(put(bind(data), {.to = rank}), PTL_OK);
      take(rank);
    }
    take(0);
  }
  template <class Start>
  int waiting(Start&& start) {
    return job->waiting(0, start);
  }
  MdRules counting(ptl_handle_ct_t ct) {
    return {.options = kCounted, .counter = ct, .quiet = true};
  }
  // Gets from `rank` take all the room for it.
  void fill(std::size_t rank) {
    gets = counter(0);
    const Md md = bind(elsewhere, counting(gets));
    for (std::size_t i = 0; i < kRoom; ++i) ASSERT_EQ(post_get(md, {.to = rank}), PTL_OK);
  }

  Bytes data = pattern(8), there = Bytes(8192), fetched = Bytes(8), elsewhere = Bytes(8),
        large = pattern(4096);
  ptl_handle_ct_t gets = PTL_CT_NONE;
};

// ---- Starts

class Room4OfKind : public Room4, public ::testing::WithParamInterface<int> {
 protected:
  int post(const Md& md, const Md& to, const Md& long_md) {
    switch (GetParam()) {
      case 0: return post_put(md, {.ack = PTL_CT_ACK_REQ});
      case 1: return post_put(long_md, {.ack = PTL_CT_ACK_REQ});
      case 2: return post_atomic(md, PTL_SUM, PTL_INT64_T, {.ack = PTL_CT_ACK_REQ});
      case 3: return post_get(to);
      case 4: return post_fetch_atomic(to, md, PTL_SUM, PTL_INT64_T);
      default: return post_swap(to, md, nullptr, PTL_SWAP, PTL_INT64_T);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(PutLargePutAtomicGetFetchAtomicSwap, Room4OfKind, ::testing::Range(0, 6));

TEST_P(Room4OfKind, StartsWaitUntilThereIsRoom) {
  const ptl_handle_ct_t ct = counter(0);
  const Md md = bind(data, counting(ct)), to = bind(fetched, counting(ct)),
           long_md = bind(large, counting(ct));
  for (std::size_t i = 0; i < kRoom; ++i) ASSERT_EQ(post(md, to, long_md), PTL_OK);
  EXPECT_EQ(count(ct, 0), "0+0") << "none of these has waited";
  for (std::size_t i = 0; i < 6; ++i) {
    ASSERT_EQ(waiting([&] { return post(md, to, long_md); }), PTL_OK);
    EXPECT_NE(count(ct, 0), "0+0") << "this one has";
  }
  job->settle();
  EXPECT_EQ(count(ct, 0), "10+0");
}

TEST_F(Room4, PutsThatWantNoAckWaitForTheirMessagesToLeave) {
  const ptl_handle_ct_t sends = counter(0);
  const Md md = bind(data, {.options = PTL_MD_EVENT_CT_SEND, .counter = sends, .quiet = true});
  for (std::size_t i = 0; i < kRoom; ++i) ASSERT_EQ(post_put(md, {.to = kNobody}), PTL_OK);
  EXPECT_EQ(count(sends, 0), "0+0");
  EXPECT_EQ(waiting([&] { return post_put(md, {.to = kNobody}); }), PTL_OK);
  EXPECT_EQ(count(sends, 0), "0+5") << "until nobody was found to be there";
}

TEST_F(Room4, WhatOthersWantHasRoomOfItsOwn) {
  job->kill(2, transport::Death::kSilent);
  fill(2);
  Bytes landed(4096);
  append(landed, {.options = kBoth | kNoLink, .bits = kBits + 1}, 0);
  ASSERT_EQ(put(bind(large, {}, 1), {.to = 0, .ack = PTL_ACK_REQ, .bits = kBits + 1}, 1), PTL_OK);
  EXPECT_EQ(kinds(1), "SEND ACK");
  EXPECT_EQ(landed, large);
  Bytes back(4096);
  ASSERT_EQ(get(bind(back, {}, 1), {.to = 0, .bits = kBits + 1}, 1), PTL_OK);
  EXPECT_EQ(back, large);
}

// ---- The peer of a waiting call is lost: the operation ends as one whose message could not be
// sent.

class Room4PeerLost : public Room4 {
 protected:
  Room4PeerLost() {
    fill(1);
    job->kill(1, transport::Death::kNoticed);
  }
  template <class Start>
  void expect_told(const std::string& events, Start&& start) {
    ASSERT_EQ(waiting(start), PTL_OK);
    const Events told = take(0);
    EXPECT_EQ(kinds(told), events);
    for (const ptl_event_t& event : told) EXPECT_EQ(event.user_ptr, &user);
    EXPECT_EQ(count(gets, 0), "0+4") << "those before it have failed too";
  }
  Call call(ptl_ack_req_t ack = PTL_NO_ACK_REQ) { return {.ack = ack, .user = &user}; }
  int user = 0;
};

TEST_F(Room4PeerLost, PutIsToldBySend) {
  const Md md = bind(data);
  expect_told("SEND!UNDELIVERABLE", [&] { return post_put(md, call(PTL_ACK_REQ)); });
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Room4PeerLost, LargePutThatWantsNoAckIsToldBySend) {
  const Md md = bind(large);
  expect_told("SEND!UNDELIVERABLE", [&] { return post_put(md, call()); });
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Room4PeerLost, AtomicIsToldBySend) {
  const Md md = bind(data);
  expect_told("SEND!UNDELIVERABLE",
              [&] { return post_atomic(md, PTL_SUM, PTL_INT64_T, call(PTL_ACK_REQ)); });
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Room4PeerLost, GetIsToldByReply) {
  const Md md = bind(fetched);
  expect_told("REPLY!UNDELIVERABLE", [&] { return post_get(md, call()); });
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Room4PeerLost, FetchAtomicIsToldBySendAndReply) {
  const Md from = bind(data), to = bind(fetched);
  expect_told("SEND!UNDELIVERABLE REPLY!UNDELIVERABLE",
              [&] { return post_fetch_atomic(to, from, PTL_SUM, PTL_INT64_T, call()); });
  EXPECT_EQ(release(from), PTL_OK);
  EXPECT_EQ(release(to), PTL_OK);
}

TEST_F(Room4PeerLost, SwapIsToldBySendAndReply) {
  const Md from = bind(data), to = bind(fetched);
  expect_told("SEND!UNDELIVERABLE REPLY!UNDELIVERABLE",
              [&] { return post_swap(to, from, nullptr, PTL_SWAP, PTL_INT64_T, call()); });
}

TEST_F(Room4PeerLost, CountsOnceForEachCounterThatWaitsForIt) {
  const ptl_handle_ct_t both = counter(0), next = counter(0);
  const Md md =
      bind(data,
           {.options = PTL_MD_EVENT_CT_SEND | PTL_MD_EVENT_CT_ACK, .counter = both, .quiet = true});
  ASSERT_EQ(PtlTriggeredCTInc(next, {1, 0}, both, 2), PTL_OK);
  ASSERT_EQ(waiting([&] { return post_put(md, call(PTL_CT_ACK_REQ)); }), PTL_OK);
  EXPECT_EQ(count(both, 0), "0+2");
  EXPECT_EQ(count(next, 0), "1+0") << "and sets off what waits for that";
}

TEST_F(Room4PeerLost, SendDisableKeepsItsEventBackButNotItsCount) {
  const ptl_handle_ct_t sent = counter(0);
  const Md md =
      bind(large, {.options = PTL_MD_EVENT_SEND_DISABLE | PTL_MD_EVENT_CT_SEND, .counter = sent});
  expect_told("", [&] { return post_put(md, call()); });
  EXPECT_EQ(count(sent, 0), "0+1");
}

// ---- Triggered operations

class Room4Triggered : public Room4 {
 protected:
  Room4Triggered() {
    trigger = counter(0);
    append(kept, {.options = kBoth | kNoLink | PTL_ME_EVENT_COMM_DISABLE, .bits = kQuiet});
  }
  Call when_triggered(ptl_ack_req_t ack = PTL_NO_ACK_REQ, ptl_size_t threshold = 1) {
    return {.ack = ack, .user = &user, .trigger = Trigger{trigger, threshold}};
  }
  // The counter reaches its thresholds while other operations have all the room for rank 1.
  void fire_without_room(ptl_size_t count = 1) {
    occupant = bind(elsewhere, {.quiet = true});
    for (std::size_t i = 0; i < kRoom; ++i) ASSERT_EQ(post_get(occupant, {.bits = kQuiet}), PTL_OK);
    ASSERT_EQ(PtlCTInc(trigger, {count, 0}), PTL_OK);
    EXPECT_EQ(kinds(0), "") << "nothing has begun, nothing has failed";
  }
  void expect_later(const std::string& events) {
    job->settle();
    const Events told = take(0);
    EXPECT_EQ(kinds(told), events);
    for (const ptl_event_t& event : told) EXPECT_EQ(event.user_ptr, &user);
  }
  static constexpr ptl_match_bits_t kQuiet = kBits + 7;
  int user = 0;
  Bytes kept = Bytes(8);
  Md occupant;
  ptl_handle_ct_t trigger = PTL_CT_NONE;
};

TEST_F(Room4Triggered, PutBeginsWhenThereIsRoom) {
  const Md md = bind(data);
  ASSERT_EQ(post_put(md, when_triggered(PTL_ACK_REQ)), PTL_OK);
  fire_without_room();
  EXPECT_EQ(release(md), PTL_IN_USE);
  expect_later("SEND ACK");
  EXPECT_EQ(release(md), PTL_OK);
}

TEST_F(Room4Triggered, LargePutThatWantsNoAckBeginsWhenThereIsRoom) {
  ASSERT_EQ(post_put(bind(large), when_triggered()), PTL_OK);
  fire_without_room();
  expect_later("SEND");
  EXPECT_EQ(part(there, 0, large.size()), large);
}

TEST_F(Room4Triggered, GetBeginsWhenThereIsRoom) {
  ASSERT_EQ(post_get(bind(fetched), when_triggered()), PTL_OK);
  fire_without_room();
  expect_later("REPLY");
  EXPECT_EQ(fetched, data);
}

TEST_F(Room4Triggered, AtomicsBeginWhenThereIsRoom) {
  const Md from = bind(data), to = bind(fetched);
  ASSERT_EQ(post_atomic(from, PTL_SUM, PTL_INT64_T, when_triggered(PTL_ACK_REQ, 1)), PTL_OK);
  ASSERT_EQ(post_fetch_atomic(to, from, PTL_SUM, PTL_INT64_T, when_triggered(PTL_NO_ACK_REQ, 2)),
            PTL_OK);
  ASSERT_EQ(post_swap(to, from, nullptr, PTL_SWAP, PTL_INT64_T, when_triggered(PTL_NO_ACK_REQ, 3)),
            PTL_OK);
  fire_without_room(3);
  job->settle();
  EXPECT_EQ(kinds(1), "ATOMIC FETCH_ATOMIC FETCH_ATOMIC");
}

TEST_F(Room4Triggered, ThoseThatWaitBeginInTheirOrder) {
  const Md md = bind(data, counting(counter(0)));
  std::string expected;
  for (ptl_size_t threshold = 1; threshold <= 20; ++threshold) {
    const Call call = when_triggered(PTL_NO_ACK_REQ, threshold),
               acked = when_triggered(PTL_CT_ACK_REQ, threshold);
    ASSERT_EQ(threshold % 3 == 0 ? post_get(md, call) : post_put(md, acked), PTL_OK);
    expected += threshold % 3 == 0 ? " GET" : " PUT";
  }
  const ptl_handle_ct_t after = counter(0);
  ASSERT_EQ(PtlTriggeredCTInc(after, {1, 0}, trigger, 20), PTL_OK);
  fire_without_room(20);
  EXPECT_EQ(count(after, 0), "0+0") << "what became due behind them waits too";
  job->settle();
  EXPECT_EQ(count(after, 0), "1+0");
  EXPECT_EQ(" " + kinds(1), expected);
}

TEST_F(Room4Triggered, ThoseOfOtherCountersForOtherPeersDoNotWait) {
  ASSERT_EQ(post_put(bind(data), when_triggered(PTL_ACK_REQ)), PTL_OK);
  const ptl_handle_ct_t second = counter(0), after = counter(0);
  Call to_another = when_triggered(PTL_ACK_REQ);
  to_another.to = 2;
  to_another.trigger = Trigger{second, 1};
  ASSERT_EQ(post_put(bind(data), to_another), PTL_OK);
  ASSERT_EQ(PtlTriggeredCTInc(after, {1, 0}, second, 2), PTL_OK);
  fire_without_room();
  ASSERT_EQ(PtlCTInc(second, {2, 0}), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND") << "to the other peer";
  EXPECT_EQ(count(after, 0), "1+0");
  job->settle();
  const Events later = take(0);
  EXPECT_EQ(how_many(later, PTL_EVENT_SEND), 1U) << "when there is room";
  EXPECT_EQ(how_many(later, PTL_EVENT_ACK), 2U);
}

TEST_F(Room4Triggered, MoreThanThereIsRoomForAllSucceed) {
  const ptl_handle_ct_t replies = counter(0);
  const Md md = bind(fetched, counting(replies));
  for (int i = 0; i < 50; ++i) ASSERT_EQ(post_get(md, when_triggered()), PTL_OK);
  ASSERT_EQ(increment(trigger, {1, 0}, 0), PTL_OK);
  EXPECT_EQ(count(replies, 0), "50+0");
}

TEST_F(Room4Triggered, ThoseOfALostPeerFail) {
  const ptl_handle_ct_t acks = counter(0);
  const Md md = bind(data, counting(acks));
  for (int i = 0; i < 10; ++i) ASSERT_EQ(post_put(md, when_triggered(PTL_CT_ACK_REQ)), PTL_OK);
  job->kill(1, transport::Death::kSilent);
  ASSERT_EQ(increment(trigger, {1, 0}, 0), PTL_OK);
  job->run(120s);
  EXPECT_EQ(count(acks, 0), "0+10");
}

TEST_F(Room4Triggered, AStartThatWaitsDoesNotOvertakeThem) {
  const Md md = bind(data, counting(counter(0)));
  Call first = when_triggered(PTL_CT_ACK_REQ);
  first.hdr_data = 1;
  ASSERT_EQ(post_put(md, first), PTL_OK);
  fire_without_room();
  ASSERT_EQ(waiting([&] { return post_put(md, {.ack = PTL_CT_ACK_REQ, .hdr_data = 2}); }), PTL_OK);
  job->settle();
  const Events events = take(1);
  ASSERT_EQ(kinds(events), "PUT PUT");
  EXPECT_EQ(events[0].hdr_data, 1U);
  EXPECT_EQ(events[1].hdr_data, 2U);
}

TEST_F(Room4Triggered, WhatHasFiredBeginsBeforeItsInterfaceIsShut) {
  const Md md = bind(data, counting(counter(0)));
  for (int i = 0; i < 10; ++i) ASSERT_EQ(post_put(md, when_triggered(PTL_CT_ACK_REQ)), PTL_OK);
  fire_without_room();
  ASSERT_EQ(waiting([&] { return PtlNIFini(job->ni()); }), PTL_OK);
  job->settle();
  EXPECT_EQ(how_many(take(1), PTL_EVENT_PUT), 10U);
}

// ---- Other ends of the wait, in real time

class Room4RealTime : public Portals4Test {
 protected:
  // Rank 1 is not polled and answers nothing.
  Room4RealTime() {
    start({.endpoint = {.eager_limit = 1024, .max_operations = 4}, .real_time = true});
    md = bind(data, {.quiet = true});
    for (int i = 0; i < 4; ++i) EXPECT_EQ(post_get(md), PTL_OK);
  }
  Bytes data = Bytes(8);
  Md md;
};

TEST_F(Room4RealTime, EndsWithPtlAbort) {
  std::thread other(PtlAbort);
  EXPECT_EQ(post_get(md), PTL_ABORTED);
  other.join();
}

TEST_F(Room4RealTime, EndsWithItsInterface) {
  std::thread other([this] { EXPECT_EQ(PtlNIFini(job->ni()), PTL_OK); });
  EXPECT_EQ(post_get(md), PTL_ARG_INVALID);
  other.join();
}

}  // namespace
}  // namespace lintel::testing
