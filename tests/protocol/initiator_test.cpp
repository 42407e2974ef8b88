// The initiator's side: what the call checks, what it consumes, and what happens when the target
// cannot be reached.

#include <algorithm>

#include "tests/protocol/raw_peer.h"

namespace lintel::testing {
namespace {

class Initiator : public ProtocolTest {
 protected:
  int put_region(ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length, bool ack = false) {
    const int code = PtlPutRegion(md, offset, length, ack ? PTL_ACK_REQ : PTL_NO_ACK_REQ,
                                  job->id(1), kPortal, 0, kBits, 0, 0);
    job->settle();
    return code;
  }
  int get_region(ptl_handle_md_t md, ptl_size_t offset, ptl_size_t length) {
    const int code = PtlGetRegion(md, offset, length, job->id(1), kPortal, 0, kBits, 0);
    job->settle();
    return code;
  }
  Bytes data = pattern(16);
  Bytes memory = Bytes(16);
};

TEST_F(Initiator, PutSendsTheWholeMdFromItsBeginning) {
  target(memory, {.options = kPut});
  ASSERT_EQ(put(source(data), {.offset = 3}), PTL_OK);
  EXPECT_EQ(memory, data);
  EXPECT_EQ(story(0), "SEND_START 16/16@3 SEND_END 16/16@3");
}

TEST_F(Initiator, PutRegionSendsItsBytesOnly) {
  target(memory, {.options = kPut});
  ASSERT_EQ(put_region(source(data), 5, 4, true), PTL_OK);
  EXPECT_EQ(part(memory, 0, 4), part(data, 5, 4));
  EXPECT_EQ(part(memory, 4, 12), Bytes(12));
  EXPECT_EQ(story(0), "SEND_START 4/4@0 SEND_END 4/4@0 ACK 4/4@0");
}

TEST_F(Initiator, GetRegionLandsAtItsLocalOffset) {
  memory = pattern(16, 9);
  target(memory, {.options = kGet});
  Bytes mine(16);
  ASSERT_EQ(get_region(source(mine), 5, 4), PTL_OK);
  EXPECT_EQ(part(mine, 5, 4), part(memory, 0, 4));
  EXPECT_EQ(part(mine, 9, 7), Bytes(7));
  EXPECT_EQ(story(0), "REPLY_START 4/4@5 REPLY_END 4/4@5");
}

TEST_F(Initiator, RegionsOutsideTheMdAreIllegalAndConsumeNothing) {
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  const ptl_handle_md_t md = source(data, {.threshold = 3});
  const std::pair<ptl_size_t, ptl_size_t> outside[] = {{17, 0},
                                                       {16, 1},
                                                       {0, 17},
                                                       {8, 9},
                                                       {UINT64_MAX, 1},
                                                       {1, UINT64_MAX},
                                                       {UINT64_MAX, UINT64_MAX}};
  for (const auto& [offset, length] : outside) {
    EXPECT_EQ(put_region(md, offset, length), PTL_MD_ILLEGAL) << offset << " " << length;
    EXPECT_EQ(get_region(md, offset, length), PTL_MD_ILLEGAL) << offset << " " << length;
  }
  EXPECT_EQ(state_of(md, 0).threshold, 3);
  EXPECT_EQ(kinds(0) + kinds(1), "");
  EXPECT_EQ(put_region(md, 16, 0), PTL_OK);
}

TEST_F(Initiator, RegionsOfAnIovecAreMeasuredInBytes) {
  std::vector<Bytes> pieces{pattern(10), pattern(6, 4)};
  target(memory, {.options = kPut});
  const ptl_handle_md_t md = bind(iovec_md(pieces, {}, 0));
  EXPECT_EQ(put_region(md, 8, 9), PTL_MD_ILLEGAL);
  EXPECT_EQ(put_region(md, 8, 4), PTL_OK);
  EXPECT_EQ(part(memory, 0, 2), part(pieces[0], 8, 2));
  EXPECT_EQ(part(memory, 2, 2), part(pieces[1], 0, 2));
}

TEST_F(Initiator, InactiveMdIsInvalidAndConsumesNothing) {
  const ptl_handle_md_t md = source(data, {.threshold = 0});
  EXPECT_EQ(put(md), PTL_MD_INVALID);
  EXPECT_EQ(get(md), PTL_MD_INVALID);
  EXPECT_EQ(put_region(md, 0, 1), PTL_MD_INVALID);
  EXPECT_EQ(get_region(md, 0, 1), PTL_MD_INVALID);
  const ptl_handle_md_t active = source(data);
  EXPECT_EQ(get_put(active, md), PTL_MD_INVALID);
  EXPECT_EQ(get_put(md, active), PTL_MD_INVALID);
  EXPECT_EQ(kinds(0), "");
}

TEST_F(Initiator, MdIsLookedAtBeforeItsRegion) {
  EXPECT_EQ(put_region(source(data, {.threshold = 0}), 17, 1), PTL_MD_INVALID);
}

TEST_F(Initiator, ZeroLengthOperationsMatchAndEnd) {
  Bytes nothing;
  target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE});
  const ptl_handle_md_t md = source(nothing);
  ASSERT_EQ(put(md, {.ack = true}), PTL_OK);
  ASSERT_EQ(get(md), PTL_OK);
  ASSERT_EQ(get_put(md, md), PTL_OK);
  EXPECT_EQ(
      kinds(0),
      "SEND_START SEND_END ACK REPLY_START REPLY_END SEND_START SEND_END REPLY_START REPLY_END");
  EXPECT_EQ(story(1),
            "PUT_START 0/0@0 PUT_END 0/0@0 GET_START 0/0@0 GET_END 0/0@0 GETPUT_START 0/0@0 "
            "GETPUT_END 0/0@0");
}

TEST_F(Initiator, SendStartAndThresholdAreThereWhenTheCallReturns) {
  const ptl_handle_md_t md = source(data, {.threshold = 3});
  ASSERT_EQ(post_put(md), PTL_OK);
  ptl_event_t event;
  ASSERT_EQ(PtlEQGet(queue(0), &event), PTL_OK);
  EXPECT_EQ(event.type, PTL_EVENT_SEND_START);
  EXPECT_EQ(event.md.threshold, 2);
}

TEST_F(Initiator, MdIsBusyUntilItsBytesHaveLeft) {
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(post_put(md), PTL_OK);  // no session yet: the message waits
  EXPECT_EQ(PtlMDUnlink(md), PTL_MD_IN_USE);
  job->settle();
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
}

TEST_F(Initiator, SentRegistersCountWhatLeft) {
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(put(md), PTL_OK);
  ASSERT_EQ(put_region(md, 0, 4), PTL_OK);
  EXPECT_EQ(status(0, PTL_SR_SEND_COUNT), 2U);
  EXPECT_EQ(status(0, PTL_SR_SEND_LENGTH), 20U);
}

// ---- Getput

TEST_F(Initiator, GetPutSwaps) {
  memory = pattern(16, 7);
  const Bytes before = memory;
  target(memory, {.options = kBoth});
  Bytes old(16);
  ASSERT_EQ(get_put(source(old), source(data)), PTL_OK);
  EXPECT_EQ(memory, data);
  EXPECT_EQ(old, before);
}

TEST_F(Initiator, GetPutMayUseOneMdForBoth) {
  memory = pattern(16, 7);
  const Bytes before = memory;
  const Bytes mine = data;
  target(memory, {.options = kBoth});
  const ptl_handle_md_t both = source(data, {.threshold = 2, .unlink = PTL_UNLINK});
  ASSERT_EQ(get_put(both, both), PTL_OK);
  EXPECT_EQ(memory, mine);
  EXPECT_EQ(data, before);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END REPLY_START REPLY_END UNLINK");
}

TEST_F(Initiator, GetPutChargesThePutMdAtTheCallAndTheGetMdAtTheReply) {
  target(memory, {.options = kBoth});
  Bytes old(16);
  const ptl_handle_md_t out = source(data, {.threshold = 5});
  const ptl_handle_md_t in = source(old, {.threshold = 5});
  ASSERT_EQ(PtlGetPut(in, out, job->id(1), kPortal, 0, kBits, 0, 0), PTL_OK);
  EXPECT_EQ(state_of(out, 0).threshold, 4);
  EXPECT_EQ(state_of(in, 0).threshold, 5);
  job->settle();
  EXPECT_EQ(state_of(out, 0).threshold, 4);
  EXPECT_EQ(state_of(in, 0).threshold, 4);
}

TEST_F(Initiator, GetPutLongerThanTheLimitIsIllegal) {
  Bytes largest(1024), too_long(1025);
  target(largest, {.options = kBoth});
  EXPECT_EQ(get_put(source(too_long), source(too_long)), PTL_MD_ILLEGAL);
  EXPECT_EQ(get_put(source(too_long), source(largest)), PTL_OK);
  EXPECT_EQ(kinds(1), "GETPUT_START GETPUT_END");
}

TEST_F(Initiator, GetPutIntoASmallerMdIsShortened) {
  memory = pattern(16, 7);
  const Bytes before = memory;
  target(memory, {.options = kBoth});
  Bytes old(4);
  ASSERT_EQ(get_put(source(old), source(data)), PTL_OK);
  EXPECT_EQ(old, part(before, 0, 4));
  EXPECT_EQ(only(take(0), PTL_EVENT_REPLY_END).mlength, 4U);
}

TEST_F(Initiator, GetPutNamesTwoMds) {
  const ptl_handle_md_t md = source(data);
  EXPECT_EQ(get_put(PTL_INVALID_HANDLE, md), PTL_MD_INVALID);
  EXPECT_EQ(get_put(md, PTL_INVALID_HANDLE), PTL_MD_INVALID);
  EXPECT_EQ(get_put(queue(0), md), PTL_MD_INVALID);
}

// ---- Limits and failure

class InitiatorRoom : public Initiator {
 protected:
  static constexpr int kRoom = 4;

  InitiatorRoom() {
    start(
        {.processes = 3, .endpoint = {.eager_limit = 1024, .max_operations = kRoom}, .linger = 2s});
    for (const std::size_t rank : {1U, 2U}) {
      target(memory, {.options = kBoth | PTL_MD_MANAGE_REMOTE}, {}, rank);
      EXPECT_EQ(put(source(data), {.to = rank}), PTL_OK);
      take(rank);
    }
    take(0);
  }
  template <class Start>
  int waiting(Start&& start) {
    return job->waiting(0, start);
  }
};

TEST_F(InitiatorRoom, StartsWaitUntilThereIsRoom) {
  Bytes old(16);
  const ptl_handle_md_t md = source(data), in = source(old);
  for (int i = 0; i < kRoom; ++i) ASSERT_EQ(post_get(md), PTL_OK);
  EXPECT_EQ(kinds(0), "");
  for (int i = 0; i < kRoom; ++i) ASSERT_EQ(waiting([&] { return post_get(md); }), PTL_OK);
  ASSERT_EQ(waiting([&] { return post_put(md, {.ack = true}); }), PTL_OK);
  ASSERT_EQ(waiting([&] { return PtlGetPut(in, md, job->id(1), kPortal, 0, kBits, 0, 0); }),
            PTL_OK);
  ASSERT_EQ(waiting([&] {
              return PtlPutRegion(md, 0, 4, PTL_ACK_REQ, job->id(1), kPortal, 0, kBits, 0, 0);
            }),
            PTL_OK);
  ASSERT_EQ(waiting([&] { return PtlGetRegion(md, 0, 4, job->id(1), kPortal, 0, kBits, 0); }),
            PTL_OK);
  job->settle();
  const Events events = take(0);
  const auto how_many = [&](ptl_event_kind_t kind) {
    return std::ranges::count_if(events, [kind](const ptl_event_t& event) {
      return event.type == kind && event.ni_fail_type == PTL_NI_OK;
    });
  };
  EXPECT_EQ(how_many(PTL_EVENT_REPLY_END), 2 * kRoom + 2);
  EXPECT_EQ(how_many(PTL_EVENT_ACK), 2);
  EXPECT_EQ(how_many(PTL_EVENT_SEND_END), 3);
}

TEST_F(InitiatorRoom, AStartWhosePeerIsLostWhileItWaitsEndsWithAFailure) {
  Bytes old(16);
  const ptl_handle_md_t quiet = source(old, {.quiet = true}), out = source(data, {.threshold = 5});
  for (int i = 0; i < kRoom; ++i) ASSERT_EQ(post_get(quiet), PTL_OK);
  job->kill(1, transport::Death::kNoticed);
  ASSERT_EQ(waiting([&] { return post_put(out, {.ack = true}); }), PTL_OK);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END!PEER_DEAD");
  EXPECT_EQ(state_of(out, 0).threshold, 4);
}

TEST_F(InitiatorRoom, AGetWhosePeerIsLostWhileItWaitsEndsWithAFailedReply) {
  Bytes old(16);
  const ptl_handle_md_t quiet = source(old, {.quiet = true}),
                        in = source(old, {.threshold = 1, .unlink = PTL_UNLINK});
  for (int i = 0; i < kRoom; ++i) ASSERT_EQ(post_get(quiet), PTL_OK);
  job->kill(1, transport::Death::kNoticed);
  ASSERT_EQ(waiting([&] { return post_get(in); }), PTL_OK);
  EXPECT_EQ(kinds(0), "REPLY_START REPLY_END!PEER_DEAD UNLINK");
  EXPECT_FALSE(alive(in, 0));
}

TEST_F(Initiator, PutToNobodyEndsWithAFailure) {
  const ptl_handle_md_t md = source(data, {.threshold = 5});
  ASSERT_EQ(PtlPut(md, PTL_ACK_REQ, {0x0a00ffff, 1}, kPortal, 0, kBits, 0, 0), PTL_OK);
  job->run(30s);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END!PEER_DEAD");
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
}

TEST_F(Initiator, GetFromNobodyEndsWithAFailedReply) {
  const ptl_handle_md_t md = source(data, {.threshold = 1, .unlink = PTL_UNLINK});
  ASSERT_EQ(PtlGet(md, {0x0a00ffff, 1}, kPortal, 0, kBits, 0), PTL_OK);
  job->run(30s);
  EXPECT_EQ(kinds(0), "REPLY_START REPLY_END!PEER_DEAD UNLINK");
  EXPECT_FALSE(alive(md, 0));
}

TEST_F(Initiator, GetPutToNobodyFailsOnBothMds) {
  Bytes old(16);
  const ptl_handle_md_t in = source(old);
  const ptl_handle_md_t out = source(data);
  ASSERT_EQ(PtlGetPut(in, out, {0x0a00ffff, 1}, kPortal, 0, kBits, 0, 0), PTL_OK);
  job->run(30s);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END!PEER_DEAD REPLY_START REPLY_END!PEER_DEAD");
  EXPECT_EQ(PtlMDUnlink(in), PTL_OK);
  EXPECT_EQ(PtlMDUnlink(out), PTL_OK);
}

TEST_F(Initiator, FailedPutGetsNoAck) {
  target(memory, {.options = kPut});
  ASSERT_EQ(put(source(data)), PTL_OK);
  take(0);
  job->kill(1, transport::Death::kNoticed);
  job->settle();
  ASSERT_EQ(post_put(source(data), {.ack = true}), PTL_OK);
  job->run(30s);
  const Events events = take(0);
  for (const ptl_event_t& event : events)
    EXPECT_FALSE(event.type == PTL_EVENT_ACK && event.ni_fail_type == PTL_NI_OK);
  EXPECT_NE(kinds(events).find("!PEER_DEAD"), std::string::npos);
}

TEST_F(Initiator, DroppedPutIsSilent) {
  ASSERT_EQ(put(source(data), {.ack = true}), PTL_OK);
  job->run(30s);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
}

TEST_F(Initiator, DroppedGetIsSilentAndLeavesItsMdFree) {
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(get(md), PTL_OK);
  job->run(30s);
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
}

}  // namespace
}  // namespace lintel::testing
