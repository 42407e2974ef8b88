// The initiator's side of ACK and REPLY: expected answers, and those that are late, duplicate,
// stale or from another process.

#include "tests/protocol/raw_peer.h"

namespace lintel::testing {
namespace {

using portals::wire::MessageKind;
using portals::wire::Request;
using portals::wire::Response;

class ReceiveAnswer : public ProtocolTest {
 protected:
  ReceiveAnswer() : peer(*job), other(*job, RawPeer::kNid + 1) {}

  // Process 0 puts to the peer. Returns the request that the peer received.
  Request put_to_peer(ptl_handle_md_t md, ptl_ack_req_t ack = PTL_ACK_REQ) {
    EXPECT_EQ(PtlPut(md, ack, peer.id(), kPortal, 3, kBits, 40, 50), PTL_OK);
    job->settle();
    return peer.last_request(MessageKind::kPut);
  }
  Request get_from_peer(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length) {
    EXPECT_EQ(PtlGetRegion(md, local_offset, length, peer.id(), kPortal, 3, kBits, 40), PTL_OK);
    job->settle();
    return peer.last_request(MessageKind::kGet);
  }
  static Response ack(const Request& request, std::uint64_t length) {
    return RawPeer::response(MessageKind::kAck, request, length);
  }
  static Response reply(const Request& request, std::uint64_t length) {
    return RawPeer::response(MessageKind::kReply, request, length);
  }

  RawPeer peer;
  RawPeer other;
  Bytes data = pattern(8);
};

// ---- ACK

TEST_F(ReceiveAnswer, ExpectedAckIsLoggedWithWhatItSays) {
  const ptl_handle_md_t md = source(data, {.threshold = 5});
  const Request request = put_to_peer(md);
  take(0);
  peer.send(0, ack(request, 6));
  const Events events = take(0);
  ASSERT_EQ(story(events), "ACK 6/8@40");
  EXPECT_EQ(events[0].initiator.nid, peer.id().nid);
  EXPECT_EQ(events[0].uid, 4000U);
  EXPECT_EQ(events[0].jid, 40U);
  EXPECT_EQ(events[0].match_bits, kBits);
  EXPECT_EQ(events[0].pt_index, kPortal);
  EXPECT_EQ(events[0].hdr_data, 0U);
  EXPECT_EQ(events[0].md_handle, md);
  EXPECT_EQ(events[0].md.threshold, 3);
  EXPECT_EQ(drops(0), 0U);
}

TEST_F(ReceiveAnswer, DuplicateAckIsDiscardedAndCounted) {
  const Request request = put_to_peer(source(data));
  peer.send(0, ack(request, 8));
  peer.send(0, ack(request, 8));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK");
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(ReceiveAnswer, AckForAnUnlinkedMdIsDiscardedAndCounted) {
  const ptl_handle_md_t md = source(data);
  const Request request = put_to_peer(md);
  ASSERT_EQ(PtlMDUnlink(md), PTL_OK);
  peer.send(0, ack(request, 8));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(ReceiveAnswer, AckForAPutThatWantedNoneIsDiscardedAndCounted) {
  const Request request = put_to_peer(source(data), PTL_NO_ACK_REQ);
  peer.send(0, ack(request, 8));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(ReceiveAnswer, AckThatNamesWhatNeverWasIsDiscardedAndCounted) {
  const Request request = put_to_peer(source(data));
  take(0);
  Response wrong = ack(request, 8);
  wrong.request_token += 1;
  peer.send(0, wrong);
  wrong = ack(request, 8);
  wrong.md_handle += 1;
  peer.send(0, wrong);
  wrong = ack(request, 8);
  wrong.md_generation += 1;
  peer.send(0, wrong);
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 3U);
  peer.send(0, ack(request, 8));
  EXPECT_EQ(kinds(0), "ACK");  // the true answer still counts
}

TEST_F(ReceiveAnswer, AckFromAProcessThatWasNotAskedIsDiscardedAndCounted) {
  const Request request = put_to_peer(source(data));
  take(0);
  other.send(0, ack(request, 8));
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(ReceiveAnswer, AckForAGetIsDiscardedAndCounted) {
  const Request request = get_from_peer(source(data), 0, 8);
  peer.send(0, ack(request, 8));
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(ReceiveAnswer, AckThatTookMoreThanWasAskedIsMalformed) {
  const Request request = put_to_peer(source(data));
  take(0);
  peer.send(0, ack(request, 9));
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(status(0, PTL_SR_DROP_MALFORMED), 1U);
}

TEST_F(ReceiveAnswer, AckWithoutAQueueIsStillAnOperation) {
  const ptl_handle_md_t md = source(data, {.threshold = 2, .unlink = PTL_UNLINK, .quiet = true});
  const Request request = put_to_peer(md);
  EXPECT_TRUE(alive(md, 0));
  peer.send(0, ack(request, 8));
  EXPECT_FALSE(alive(md, 0));
  EXPECT_EQ(drops(0), 0U);
}

TEST_F(ReceiveAnswer, DiscardEndsTheWaitForAnAckSilently) {
  const Request request = put_to_peer(source(data));
  portals::wire::Discard discard{};
  discard.header = {portals::wire::kMessageVersion,
                    static_cast<std::uint8_t>(MessageKind::kDiscard), 0, 0, 0};
  discard.token = request.sender_token;
  peer.send(0, discard);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
  EXPECT_EQ(drops(0), 0U);
  peer.send(0, ack(request, 8));  // contradicts itself
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(ReceiveAnswer, DiscardFromAProcessThatWasNotAskedChangesNothing) {
  const Request request = put_to_peer(source(data));
  portals::wire::Discard discard{};
  discard.header = {portals::wire::kMessageVersion,
                    static_cast<std::uint8_t>(MessageKind::kDiscard), 0, 0, 0};
  discard.token = request.sender_token;
  other.send(0, discard);
  peer.send(0, ack(request, 8));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK");
}

// ---- REPLY

TEST_F(ReceiveAnswer, ExpectedReplyLandsWhereTheCallSaid) {
  Bytes memory(16);
  const ptl_handle_md_t md = source(memory, {.threshold = 5});
  const Request request = get_from_peer(md, 6, 8);
  peer.send(0, reply(request, 8), data);
  const Events events = take(0);
  ASSERT_EQ(story(events), "REPLY_START 8/8@6 REPLY_END 8/8@6");
  EXPECT_EQ(part(memory, 6, 8), data);
  EXPECT_EQ(events[0].initiator.nid, peer.id().nid);
  EXPECT_EQ(events[0].uid, 4000U);
  EXPECT_EQ(events[0].hdr_data, 0U);
  EXPECT_EQ(events[0].pt_index, kPortal);
  EXPECT_EQ(events[0].match_bits, kBits);
  EXPECT_EQ(events[0].md.threshold, 4);
}

TEST_F(ReceiveAnswer, ShortReplyTellsWhatCame) {
  Bytes memory(16);
  const Request request = get_from_peer(source(memory), 0, 12);
  peer.send(0, reply(request, 8), data);
  EXPECT_EQ(story(0), "REPLY_START 8/12@0 REPLY_END 8/12@0");
  EXPECT_EQ(part(memory, 8, 8), Bytes(8));
}

TEST_F(ReceiveAnswer, ReplyWithMoreThanWasAskedIsShortened) {
  Bytes memory(16);
  const Request request = get_from_peer(source(memory), 2, 4);
  Response greedy = reply(request, 8);
  greedy.requested_length = 8;
  peer.send(0, greedy, data);
  const Events events = take(0);
  ASSERT_EQ(kinds(events), "REPLY_START REPLY_END");
  EXPECT_EQ(events[1].mlength, 4U);
  EXPECT_EQ(part(memory, 6, 10), Bytes(10));
}

TEST_F(ReceiveAnswer, ReplysReturnOffsetIsNotTrusted) {
  Bytes memory(16);
  const Request request = get_from_peer(source(memory), 2, 8);
  Response astray = reply(request, 8);
  astray.return_offset = UINT64_MAX - 3;
  peer.send(0, astray, data);
  EXPECT_EQ(story(0), "REPLY_START 8/8@2 REPLY_END 8/8@2");
  EXPECT_EQ(part(memory, 2, 8), data);
}

TEST_F(ReceiveAnswer, ReplyForAnUnlinkedMdIsDroppedWithItsLength) {
  Bytes memory(8);
  const ptl_handle_md_t md = source(memory);
  const Request request = get_from_peer(md, 0, 8);
  ASSERT_EQ(PtlMDUnlink(md), PTL_OK);
  peer.send(0, reply(request, 8), data);
  EXPECT_EQ(memory, Bytes(8));
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
  EXPECT_EQ(status(0, PTL_SR_DROP_LENGTH), 8U);
}

TEST_F(ReceiveAnswer, DuplicateReplyIsDropped) {
  Bytes memory(8);
  const Request request = get_from_peer(source(memory), 0, 8);
  peer.send(0, reply(request, 8), data);
  peer.send(0, reply(request, 8), pattern(8, 9));
  EXPECT_EQ(kinds(0), "REPLY_START REPLY_END");
  EXPECT_EQ(memory, data);
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(ReceiveAnswer, ReplyThatNamesWhatNeverWasIsDropped) {
  Bytes memory(8);
  const Request request = get_from_peer(source(memory), 0, 8);
  Response wrong = reply(request, 8);
  wrong.md_generation += 1;
  peer.send(0, wrong, data);
  wrong = reply(request, 8);
  wrong.md_handle += 1;
  peer.send(0, wrong, data);
  wrong = reply(request, 8);
  wrong.request_token += 1;
  peer.send(0, wrong, data);
  other.send(0, reply(request, 8), data);
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(memory, Bytes(8));
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 4U);
}

TEST_F(ReceiveAnswer, ReplyToAPutIsDropped) {
  const Request request = put_to_peer(source(data));
  take(0);
  peer.send(0, reply(request, 8), pattern(8, 9));
  EXPECT_EQ(kinds(0), "");
  EXPECT_EQ(data, pattern(8));
  EXPECT_EQ(status(0, PTL_SR_DROP_STALE_HANDLE), 1U);
}

TEST_F(ReceiveAnswer, AnnouncedReplyForAnUnlinkedMdReleasesItsSource) {
  Bytes memory(4096);
  const ptl_handle_md_t md = source(memory);
  const Request request = get_from_peer(md, 0, 4096);
  ASSERT_EQ(PtlMDUnlink(md), PTL_OK);
  Response announced = reply(request, 4096);
  announced.header.flags = portals::wire::kFlagAnnounced;
  announced.sender_token = 88;
  peer.received();
  peer.send(0, announced);
  ASSERT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(peer.last_discard().token, 88U);
  EXPECT_EQ(drops(0), 1U);
}

// ---- What a request contains when it leaves

TEST_F(ReceiveAnswer, RequestCarriesTheArgumentsOfTheCall) {
  const ptl_handle_md_t md = source(data);
  EXPECT_EQ(PtlPutRegion(md, 2, 5, PTL_ACK_REQ, peer.id(), 9, 3, 0xfedcba9876543210, 1ULL << 60,
                         0x8877665544332211),
            PTL_OK);
  job->settle();
  const Request put = peer.last_request(MessageKind::kPut);
  EXPECT_EQ(put.initiator_nid, job->id(0).nid);
  EXPECT_EQ(put.target_nid, peer.id().nid);
  EXPECT_EQ(put.user, 1000U);
  EXPECT_EQ(put.job, 7U);
  EXPECT_EQ(put.portal_index, 9U);
  EXPECT_EQ(put.cookie, 3U);
  EXPECT_EQ(put.match_bits, 0xfedcba9876543210);
  EXPECT_EQ(put.offset, 1ULL << 60);
  EXPECT_EQ(put.length, 5U);
  EXPECT_EQ(put.header.payload_length, 5U);
  EXPECT_EQ(put.header_data, 0x8877665544332211);
  EXPECT_NE(put.header.flags & portals::wire::kFlagAckWanted, 0);
}

TEST_F(ReceiveAnswer, PutWithoutAckNamesNoMd) {
  const Request put = put_to_peer(source(data), PTL_NO_ACK_REQ);
  EXPECT_EQ(put.md_handle, portals::wire::kNoDescriptor);
  EXPECT_EQ(put.header.flags & portals::wire::kFlagAckWanted, 0);
}

}  // namespace
}  // namespace lintel::testing
