// The end of one interface while another one of the process is open. What it has sent arrives
// first, as with the last interface. What peers have under way with it ends although the session
// continues. Processes linger for two seconds here.

#include <algorithm>

#include "tests/protocol/raw_peer.h"

namespace lintel::testing {
namespace {

using portals::wire::MessageKind;
using portals::wire::Request;
namespace wire = portals::wire;

class Closing : public ProtocolTest {
 protected:
  static constexpr std::size_t kWrites = 20;
  static constexpr std::size_t kSize = kWrites * 1000;
  static constexpr std::uint8_t kOtherInterface = 3;

  Closing() { begin({}); }
  void begin(JobOptions options) {
    options.linger = 2s;
    options.network.attributes.max_write_bytes = 1000;
    options.network.max_writes_in_flight = 1;
    options.session.connect_deadline = options.session.dead_peer_deadline = 60s;
    start(options);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      std::string explanation;
      ASSERT_EQ(
          job->process(rank).open_interface(kOtherInterface, Pid(portals::kAnyId), {}, explanation),
          portals::Status::kOk);
    }
    target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
    EXPECT_EQ(put(source(nothing)), PTL_OK);  // connects
    job->run(20s);
    take(0);
    take(1);
  }
  static JobOptions every_step_takes(Nanoseconds delay) {
    JobOptions options;
    // With this seed the first write of a long put is still under way when a test says so.
    options.network.seed = 2;
    options.network.shortest_delay = options.network.longest_delay = delay;
    return options;
  }
  // Returns how long PtlNIFini of process `rank` takes.
  Nanoseconds end(std::size_t rank = 0) {
    const TimePoint start = job->network().now();
    job->as(rank);
    job->drive_by_clock(rank);
    EXPECT_EQ(PtlNIFini(job->ni()), PTL_OK);
    job->as(0);
    return job->network().now() - start;
  }
  std::uint64_t lost_peers(std::size_t rank) {
    return job->process(rank).counters().get(Counter::kPeerFailures);
  }

  Bytes memory = Bytes(kSize);
  Bytes nothing, small, back;
  Bytes large = pattern(kSize);
};

TEST_F(Closing, TransferThatMovesIsWaitedFor) {
  begin(every_step_takes(300ms));
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  EXPECT_GT(end(), 4s);
  job->run(2s);
  EXPECT_EQ(memory, large);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
  EXPECT_EQ(lost_peers(1), 0U);
}

TEST_F(Closing, WhatWasSentHasArrivedWhenPtlNIFiniReturns) {
  begin(every_step_takes(300ms));
  small = pattern(100);
  ASSERT_EQ(post_put(source(small)), PTL_OK);
  EXPECT_GE(end(), 600ms);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
}

TEST_F(Closing, APeerThatDoesNotAnswerKeepsItOpenForTheLingerTime) {
  small = pattern(100);
  job->kill(1, transport::Death::kSilent);
  ASSERT_EQ(post_put(source(small)), PTL_OK);
  const Nanoseconds taken = end();
  EXPECT_GE(taken, 2s);
  EXPECT_LE(taken, 3s);
}

TEST_F(Closing, OtherInterfacesTransfersDoNotKeepItOpen) {
  begin(every_step_takes(300ms));
  target(memory, {.options = kBoth}, {}, 0);
  ASSERT_EQ(post_get(source(large, {}, 1), {.to = 0}, 1), PTL_OK);
  EXPECT_LT(end(), 1s);  // the get has not arrived, and this interface has sent nothing
}

TEST_F(Closing, MessagesThatWaitForRoomLeave) {
  JobOptions options = every_step_takes(300ms);
  options.network.max_in_flight = 1;
  begin(options);
  small = pattern(1000);
  const ptl_handle_md_t md = source(small);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(post_put(md), PTL_OK);
  EXPECT_GT(end(), 1s);
  job->run(2s);
  const Events events = take(1);
  EXPECT_EQ(std::ranges::count(events, PTL_EVENT_PUT_END, &ptl_event_t::type), 50);
}

TEST_F(Closing, PutThatNobodyClearsIsCutAndItsTargetHearsWhenItAsks) {
  RawPeer peer(*job);
  ASSERT_EQ(PtlPut(source(large), PTL_ACK_REQ, peer.id(), kPortal, 0, kBits, 0, 0), PTL_OK);
  job->settle();
  ASSERT_EQ(peer.received(), "PUT");
  const Nanoseconds taken = end();
  EXPECT_GE(taken, 2s);
  EXPECT_LE(taken, 5s);
  peer.clear(0, peer.last_request(MessageKind::kPut).sender_token, {&memory});
  EXPECT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(peer.last_discard().token, 77U);
}

// The network would read memory that is the program's again.
TEST_F(Closing, APutWithAWriteUnderWayEndsWithTheSessionOfItsTarget) {
  begin(every_step_takes(5s));
  ASSERT_EQ(post_put(source(large)), PTL_OK);
  job->run(10500ms);  // PUT, CLEAR, and the first write is on its way
  EXPECT_EQ(kinds(1), "PUT_START");
  const Nanoseconds taken = end();
  EXPECT_GE(taken, 2s);
  EXPECT_LE(taken, 12s);  // acknowledgements of what has left still come
  job->run(30s);
  EXPECT_EQ(lost_peers(0), 1U);
  EXPECT_EQ(kinds(1), "PUT_END!PEER_DEAD");
  EXPECT_EQ(lost_peers(1), 1U);
}

TEST_F(Closing, PutThatNobodyWritesIsCutAndItsSourceHears) {
  RawPeer peer(*job);
  target(memory, {.options = kPut}, {}, 0);
  Request put = peer.request(MessageKind::kPut, job->id(0), kSize);
  put.header.flags = wire::kFlagAnnounced;
  put.sender_token = 66;
  peer.send(0, put);
  ASSERT_EQ(peer.received(), "CLEAR");
  const Nanoseconds taken = end();
  EXPECT_GE(taken, 2s);
  EXPECT_LE(taken, 5s);
  job->settle();
  ASSERT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(peer.last_discard().token, 66U);
}

TEST_F(Closing, ReplyThatNobodyWritesIsCutAndItsSourceHears) {
  RawPeer peer(*job);
  ASSERT_EQ(PtlGet(source(memory), peer.id(), kPortal, 0, kBits, 0), PTL_OK);
  job->settle();
  wire::Response reply =
      RawPeer::response(MessageKind::kReply, peer.last_request(MessageKind::kGet), kSize);
  reply.header.flags = wire::kFlagAnnounced;
  reply.sender_token = 88;
  peer.send(0, reply);
  ASSERT_EQ(peer.received(), "GET CLEAR");
  EXPECT_GE(end(), 2s);
  job->settle();
  ASSERT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(peer.last_discard().token, 88U);
}

TEST_F(Closing, ReplySourceThatNobodyClearsIsCutAndItsSinkHears) {
  RawPeer peer(*job);
  target(large, {.options = kGet}, {}, 0);
  peer.send(0, peer.request(MessageKind::kGet, job->id(0), kSize));
  ASSERT_EQ(peer.received(), "REPLY");
  EXPECT_GE(end(), 2s);
  peer.clear(0, peer.last_reply().sender_token, {&memory});
  EXPECT_EQ(peer.received(), "DISCARD");
}

TEST_F(Closing, SmallReplyThatHasNoRoomInTimeLeavesLaterAsItWas) {
  constexpr std::ptrdiff_t kGets = 20;
  JobOptions options = every_step_takes(5s);
  options.endpoint.eager_limit = 7000;  // so that each has a frame of its own
  options.network.max_in_flight = 8;
  begin(options);
  small = pattern(7000);
  back = Bytes(7000);
  target(small, {.options = kGet | PTL_MD_MANAGE_REMOTE}, {.bits = 1}, 0);
  const ptl_handle_md_t md = source(back, {}, 1);
  for (std::ptrdiff_t i = 0; i < kGets; ++i)
    ASSERT_EQ(post_get(md, {.to = 0, .bits = 1}, 1), PTL_OK);
  std::ptrdiff_t come = 0, answered = 0;
  for (int polls = 300; polls > 0 && come < kGets; --polls) {
    job->run(100ms);
    const Events events = take(0);
    come += std::ranges::count(events, PTL_EVENT_GET_START, &ptl_event_t::type);
    answered += std::ranges::count(events, PTL_EVENT_GET_END, &ptl_event_t::type);
  }
  ASSERT_EQ(come, kGets);
  ASSERT_LT(answered, kGets);  // some find no room
  EXPECT_LE(end(), 10s);
  std::ranges::fill(small, std::uint8_t{0});
  job->run(120s);
  const Events events = take(1);
  EXPECT_EQ(std::ranges::count(events, PTL_EVENT_REPLY_END, &ptl_event_t::type), kGets);
  EXPECT_EQ(back, pattern(7000));
}

TEST_F(Closing, RequestsThatComeMeanwhileAreRefused) {
  RawPeer peer(*job), silent(*job, RawPeer::kNid + 1);
  target(memory, {.options = kBoth}, {}, 0);
  // makes the process linger
  ASSERT_EQ(PtlPut(source(large), PTL_NO_ACK_REQ, silent.id(), kPortal, 0, kBits, 0, 0), PTL_OK);
  peer.send(0, peer.request(MessageKind::kGet, job->id(0), 8));
  ASSERT_EQ(peer.received(), "REPLY");
  Request get = peer.request(MessageKind::kGet, job->id(0), 8);
  get.header.flags = wire::kFlagTracked;
  get.sender_token = 55;
  const TimePoint begun = job->network().now();
  int sent = 0;
  bool inside = false;
  job->poll_also([&]() -> std::size_t {
    if (inside || sent == 1 || job->network().now() < begun + 1s) return 0;
    inside = true;
    ++sent;
    Bytes bytes(wire::fixed_size(get.header));
    wire::encode(get, reinterpret_cast<std::byte*>(bytes.data()));
    peer.post_bytes(0, std::as_bytes(std::span(bytes)));
    inside = false;
    return 1;
  });
  EXPECT_GE(end(), 2s);
  ASSERT_EQ(sent, 1);
  EXPECT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(peer.last_discard().token, 55U);
}

}  // namespace
}  // namespace lintel::testing
