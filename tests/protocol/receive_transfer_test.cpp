// Data that move by writes: announcement, CLEAR, writes, WRITTEN, DISCARD. Tested for receiver and
// source, with a peer that keeps the protocol or breaks it.

#include "tests/protocol/raw_peer.h"

namespace lintel::testing {
namespace {

using portals::wire::MessageKind;
using portals::wire::Request;
namespace wire = portals::wire;

constexpr std::size_t kLarge = 4096;

class ReceiveTransfer : public ProtocolTest {
 protected:
  ReceiveTransfer() : peer(*job) {}

  // The peer announces a put of `length` bytes to process 1.
  void announce(std::uint64_t length, bool ack = false) {
    Request put = peer.request(MessageKind::kPut, job->id(1), length);
    put.header.flags = wire::kFlagAnnounced;
    put.sender_token = 66;
    if (ack) {
      put.header.flags |= wire::kFlagAckWanted | wire::kFlagTracked;
      put.md_handle = 11;
    }
    peer.send(1, put);
  }
  // Process 0 puts `data` to the peer. Returns the announcement that the peer received.
  Request put_to_peer(Bytes& bytes, ptl_ack_req_t ack = PTL_NO_ACK_REQ) {
    EXPECT_EQ(PtlPut(source(bytes), ack, peer.id(), kPortal, 0, kBits, 0, 0), PTL_OK);
    job->settle();
    EXPECT_EQ(peer.received(), "PUT");
    return peer.last_request(MessageKind::kPut);
  }

  RawPeer peer;
  Bytes data = pattern(kLarge);
  Bytes memory = Bytes(kLarge);
};

constexpr std::uint32_t kMoreThanOneWrite = 1U << 31;

// ---- The receiver

TEST_F(ReceiveTransfer, AnnouncedPutIsClearedAndEndsWhenTheDataAreInPlace) {
  target(memory, {.options = kPut});
  announce(kLarge, true);
  ASSERT_EQ(peer.received(), "CLEAR");
  EXPECT_EQ(kinds(1), "PUT_START");
  const wire::Clear clear = peer.last_clear();
  EXPECT_EQ(clear.source_token, 66U);
  EXPECT_EQ(clear.length, kLarge);
  ASSERT_EQ(clear.segment_count, 1U);
  peer.write(1, data, peer.last_segment(0), clear.immediate);
  EXPECT_EQ(memory, data);
  EXPECT_EQ(kinds(1), "PUT_END");
  ASSERT_EQ(peer.received(), "ACK");  // after the data
  EXPECT_EQ(peer.last_response().manipulated_length, kLarge);
}

// The network of these tests does not tell whose a write is, as libfabric does not.
TEST_F(ReceiveTransfer, AWriteWithAGuessedNumberCompletesNoTransferOfAnotherPeer) {
  target(memory, {.options = kPut});
  Bytes place(kLarge);
  target(place, {.options = kPut});
  RawPeer other(*job, RawProcess::kNid + 1);
  announce(kLarge);
  ASSERT_EQ(peer.received(), "CLEAR");
  Request put = other.request(MessageKind::kPut, job->id(1), kLarge);
  put.header.flags = wire::kFlagAnnounced;
  put.sender_token = 67;
  other.send(1, put);
  ASSERT_EQ(other.received(), "CLEAR");
  EXPECT_EQ(kinds(1), "PUT_START PUT_START");
  const wire::Clear given = other.last_clear();
  const wire::Clear victim = peer.last_clear();
  // Everything that it can derive from its own transfer, and from tokens.
  const auto slot = static_cast<std::uint32_t>(victim.receiver_token);
  const auto generation = static_cast<std::uint32_t>(victim.receiver_token >> 32);
  std::vector<std::uint32_t> guesses{0, slot, slot | generation << 19, slot | generation << 12};
  for (std::uint32_t distance = 1; distance <= 8; ++distance) {
    guesses.push_back(given.immediate + distance);
    guesses.push_back(given.immediate - distance);
  }
  Bytes few = pattern(8);
  for (const std::uint32_t guess : guesses) other.write(1, few, other.last_segment(0), guess);
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(job->process(1).counters().get(Counter::kDropsStaleHandle), guesses.size());
  peer.write(1, data, peer.last_segment(0), victim.immediate);
  EXPECT_EQ(kinds(1), "PUT_END");
  other.write(1, data, other.last_segment(0), given.immediate);
  EXPECT_EQ(kinds(1), "PUT_END");
}

TEST_F(ReceiveTransfer, AnnouncedPutThatMatchesNothingIsDroppedAndItsSourceReleased) {
  announce(kLarge);
  EXPECT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(peer.last_discard().token, 66U);
  EXPECT_EQ(drops(1), 1U);
  EXPECT_EQ(status(1, PTL_SR_DROP_LENGTH), kLarge);
}

TEST_F(ReceiveTransfer, AnnouncedPutTruncatedToNothingIsAcknowledgedAtOnce) {
  Bytes nothing;
  target(nothing, {.options = kPut | PTL_MD_TRUNCATE});
  announce(kLarge, true);
  EXPECT_EQ(peer.received(), "ACK");
  EXPECT_EQ(story(1), "PUT_START 0/4096@0 PUT_END 0/4096@0");
}

TEST_F(ReceiveTransfer, AnnouncedPutWithoutAckTruncatedToNothingReleasesItsSource) {
  Bytes nothing;
  target(nothing, {.options = kPut | PTL_MD_TRUNCATE});
  announce(kLarge);
  EXPECT_EQ(peer.received(), "DISCARD");
}

TEST_F(ReceiveTransfer, TruncatedPutIsClearedForWhatFits) {
  Bytes small(1000);
  target(small, {.options = kPut | PTL_MD_TRUNCATE});
  announce(kLarge);
  ASSERT_EQ(peer.received(), "CLEAR");
  EXPECT_EQ(peer.last_clear().length, 1000U);
}

TEST_F(ReceiveTransfer, PiecesOfAnIovecAreSegments) {
  std::vector<Bytes> pieces{Bytes(1000), Bytes(0), Bytes(3096)};
  attach(iovec_md(pieces, {.options = kPut}, 1));
  announce(kLarge);
  ASSERT_EQ(peer.received(), "CLEAR");
  const wire::Clear clear = peer.last_clear();
  ASSERT_EQ(clear.segment_count, 2U);
  EXPECT_EQ(peer.last_segment(0).length, 1000U);
  EXPECT_EQ(peer.last_segment(1).length, 3096U);
}

TEST_F(ReceiveTransfer, SeveralWritesEndItWhenAllOfThemAndTheirCountHaveCome) {
  target(memory, {.options = kPut});
  announce(kLarge);
  const wire::Clear clear = peer.last_clear();
  wire::Segment to = peer.last_segment(0);
  Bytes half = part(data, 0, 2048);
  peer.write(1, half, to, clear.immediate | kMoreThanOneWrite);
  EXPECT_EQ(kinds(1), "PUT_START");
  peer.written(1, clear.receiver_token, 2);
  EXPECT_EQ(kinds(1), "");
  to.address += 2048;
  Bytes rest = part(data, 2048, 2048);
  peer.write(1, rest, to, clear.immediate | kMoreThanOneWrite);
  EXPECT_EQ(kinds(1), "PUT_END");
  EXPECT_EQ(memory, data);
}

TEST_F(ReceiveTransfer, CountMayComeAfterAllWrites) {
  target(memory, {.options = kPut});
  announce(kLarge);
  const wire::Clear clear = peer.last_clear();
  wire::Segment to = peer.last_segment(0);
  Bytes half = part(data, 0, 2048);
  peer.write(1, half, to, clear.immediate | kMoreThanOneWrite);
  to.address += 2048;
  Bytes rest = part(data, 2048, 2048);
  peer.write(1, rest, to, clear.immediate | kMoreThanOneWrite);
  EXPECT_EQ(kinds(1), "PUT_START");
  peer.written(1, clear.receiver_token, 2);
  EXPECT_EQ(kinds(1), "PUT_END");
}

TEST_F(ReceiveTransfer, WrittenForAnUnknownTransferIsDroppedAndCounted) {
  target(memory, {.options = kPut});
  announce(kLarge);
  peer.written(1, peer.last_clear().receiver_token + 1, 2);
  peer.written(1, peer.last_clear().receiver_token, 1);  // a single write needs no WRITTEN
  EXPECT_EQ(kinds(1), "PUT_START");
  EXPECT_EQ(drops(1), 2U);
}

TEST_F(ReceiveTransfer, ImmediateOfATransferThatEndedIsDroppedAndCounted) {
  const Entry entry = target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  announce(kLarge);
  const wire::Clear first = peer.last_clear();
  peer.write(1, data, peer.last_segment(0), first.immediate);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END");
  announce(kLarge);  // a second transfer, into whose memory the unexpected write goes
  peer.write(1, data, peer.last_segment(0), first.immediate);
  EXPECT_EQ(kinds(1), "PUT_START");
  EXPECT_EQ(job->process(1).counters().get(Counter::kDropsStaleHandle), 1U);
  EXPECT_EQ(drops(1), 0U) << "a write is no message";
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_MD_IN_USE);
}

TEST_F(ReceiveTransfer, SourceThatGivesUpFailsTheTransfer) {
  const Entry entry = target(memory, {.options = kPut});
  announce(kLarge, true);
  peer.received();
  peer.discard(1, peer.last_clear().receiver_token);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END!FAIL");
  EXPECT_EQ(peer.received(), "");  // no ack: it failed
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_OK);
}

TEST_F(ReceiveTransfer, SameAnnouncementTwiceIsTwoPuts) {
  target(memory, {.options = kPut | PTL_MD_MANAGE_REMOTE});
  announce(kLarge);
  announce(kLarge);
  EXPECT_EQ(kinds(1), "PUT_START PUT_START");
  EXPECT_EQ(peer.received(), "CLEAR CLEAR");
}

// ---- The source

TEST_F(ReceiveTransfer, ClearMakesTheSourceWrite) {
  put_to_peer(data);
  EXPECT_EQ(kinds(0), "SEND_START");
  peer.clear(0, peer.last_request(MessageKind::kPut).sender_token, {&memory});
  EXPECT_EQ(memory, data);
  EXPECT_EQ(peer.immediates(), 1U);
  EXPECT_EQ(peer.received(), "");  // a single write: no WRITTEN
  EXPECT_EQ(kinds(0), "SEND_END");
}

TEST_F(ReceiveTransfer, SeveralSegmentsAreSeveralWritesAndACount) {
  const Request request = put_to_peer(data);
  Bytes first(96), second(4000);
  peer.clear(0, request.sender_token, {&first, &second});
  EXPECT_EQ(first, part(data, 0, 96));
  EXPECT_EQ(second, part(data, 96, 4000));
  EXPECT_EQ(peer.immediates(), 2U);
  EXPECT_EQ(peer.received(), "WRITTEN");
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
}

TEST_F(ReceiveTransfer, ClearForLessThanWasAnnouncedGetsThat) {
  const Request request = put_to_peer(data);
  Bytes small(100);
  peer.clear(0, request.sender_token, {&small});
  EXPECT_EQ(small, part(data, 0, 100));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
}

TEST_F(ReceiveTransfer, ClearForMoreThanWasAnnouncedIsRefused) {
  const Request request = put_to_peer(data);
  Bytes huge(kLarge + 1);
  peer.clear(0, request.sender_token, {&huge});
  EXPECT_EQ(huge, Bytes(kLarge + 1));
  EXPECT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(drops(0), 1U);
  EXPECT_EQ(kinds(0), "SEND_START");
}

TEST_F(ReceiveTransfer, SecondClearIsRefused) {
  const Request request = put_to_peer(data, PTL_ACK_REQ);
  Bytes again(kLarge);
  peer.clear(0, request.sender_token, {&memory});
  peer.clear(0, request.sender_token, {&again}, 78);
  EXPECT_EQ(again, Bytes(kLarge));
  EXPECT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(peer.last_discard().token, 78U);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
}

TEST_F(ReceiveTransfer, ClearForAnUnknownSourceIsRefused) {
  Bytes more(kLarge);
  put_to_peer(data);
  peer.clear(0, 12345, {&more});
  EXPECT_EQ(peer.received(), "DISCARD");
  EXPECT_EQ(drops(0), 1U);
}

TEST_F(ReceiveTransfer, DiscardInsteadOfClearEndsTheSource) {
  const ptl_handle_md_t md = source(data);
  ASSERT_EQ(PtlPut(md, PTL_ACK_REQ, peer.id(), kPortal, 0, kBits, 0, 0), PTL_OK);
  job->settle();
  EXPECT_EQ(PtlMDUnlink(md), PTL_MD_IN_USE);
  peer.discard(0, peer.last_request(MessageKind::kPut).sender_token);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
}

TEST_F(ReceiveTransfer, AckInsteadOfClearEndsTheSourceAndIsLoggedAfterIt) {
  const Request request = put_to_peer(data, PTL_ACK_REQ);
  peer.send(0, RawPeer::response(MessageKind::kAck, request, 0));
  EXPECT_EQ(story(0), "SEND_START 4096/4096@0 SEND_END 4096/4096@0 ACK 0/4096@0");
}

// The network may say that a write has left before it is refused; then the source ends well. It is
// repeated until the refusal comes first.
TEST_F(ReceiveTransfer, WriteToMemoryThatIsNotTheReceiversFailsTheSource) {
  bool failed = false;
  for (int i = 0; i < 20 && !failed; ++i) {
    const Request request = put_to_peer(data);
    wire::Clear clear{};
    clear.header = {wire::kMessageVersion, static_cast<std::uint8_t>(MessageKind::kClear), 0, 0, 0};
    clear.source_token = request.sender_token;
    clear.length = kLarge;
    clear.segment_count = 1;
    Bytes segment(sizeof(wire::Segment));
    wire::encode(wire::Segment{1, 2, kLarge}, reinterpret_cast<std::byte*>(segment.data()));
    peer.send(0, clear, segment);
    job->run(30s);
    const Events events = take(0);
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(events[1].type, PTL_EVENT_SEND_END);
    failed = events[1].ni_fail_type != PTL_NI_OK;
    EXPECT_EQ(PtlMDUnlink(events[1].md_handle), PTL_OK);
  }
  EXPECT_TRUE(failed);
}

// The operation that ends last began when its descriptor had no queue. The UNLINK that it causes
// still has the link of that operation.
TEST_F(ReceiveTransfer, UnlinkOnAQueueThatCameMeanwhileHasTheFieldsOfTheOperationThatEndedLast) {
  const ptl_handle_md_t md = source(data, {.threshold = 2, .unlink = PTL_UNLINK, .quiet = true});
  ASSERT_EQ(PtlPut(md, PTL_NO_ACK_REQ, peer.id(), kPortal, 0, kBits, 3, 77), PTL_OK);
  job->settle();
  const Request announced = peer.last_request(MessageKind::kPut);
  Bytes small = pattern(8);
  ASSERT_EQ(update(md, this->md(small, {.threshold = 1}, 0), PTL_EQ_NONE, 0), PTL_OK);
  ASSERT_EQ(PtlPut(md, PTL_NO_ACK_REQ, peer.id(), kPortal, 0, ~kBits, 0, 0), PTL_OK);
  job->settle();
  ASSERT_EQ(kinds(0), "SEND_START SEND_END");
  peer.clear(0, announced.sender_token, {&memory});
  const Events events = take(0);
  ASSERT_EQ(kinds(events), "UNLINK");
  EXPECT_EQ(events[0].match_bits, kBits);
  EXPECT_EQ(events[0].rlength, kLarge);
  EXPECT_EQ(events[0].mlength, kLarge);
  EXPECT_EQ(events[0].offset, 3U);
  EXPECT_EQ(events[0].hdr_data, 77U);
  EXPECT_EQ(events[0].pt_index, kPortal);
  EXPECT_EQ(events[0].initiator.pid, job->id(0).pid);
  EXPECT_EQ(events[0].md_handle, md);
}

// ---- Replies

TEST_F(ReceiveTransfer, LargeGetIsAnnouncedAndWrittenAfterClear) {
  const Entry entry = target(data, {.options = kGet});
  peer.send(1, peer.request(MessageKind::kGet, job->id(1), kLarge));
  ASSERT_EQ(peer.received(), "REPLY");
  EXPECT_EQ(kinds(1), "GET_START");
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_MD_IN_USE);
  peer.clear(1, peer.last_reply().sender_token, {&memory});
  EXPECT_EQ(memory, data);
  EXPECT_EQ(kinds(1), "GET_END");
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_OK);
}

TEST_F(ReceiveTransfer, LargeGetWhoseInitiatorNoLongerWantsItEnds) {
  const Entry entry = target(data, {.options = kGet});
  peer.send(1, peer.request(MessageKind::kGet, job->id(1), kLarge));
  peer.discard(1, peer.last_reply().sender_token);
  EXPECT_EQ(kinds(1), "GET_START GET_END");
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_OK);
}

// A descriptor may be unlinked or updated before the reply comes. Nothing may be written into its
// memory until then.
TEST_F(ReceiveTransfer, LargeGetCarriesNoClear) {
  ASSERT_EQ(PtlGet(source(memory), peer.id(), kPortal, 0, kBits, 0), PTL_OK);
  job->settle();
  EXPECT_EQ(peer.received(), "GET");
}

TEST_F(ReceiveTransfer, AnnouncedReplyIsClearedAndEndsWhenTheDataAreInPlace) {
  ASSERT_EQ(PtlGet(source(memory), peer.id(), kPortal, 0, kBits, 0), PTL_OK);
  job->settle();
  wire::Response reply =
      RawPeer::response(MessageKind::kReply, peer.last_request(MessageKind::kGet), kLarge);
  reply.header.flags = wire::kFlagAnnounced;
  reply.sender_token = 88;
  peer.received();
  peer.send(0, reply);
  ASSERT_EQ(peer.received(), "CLEAR");
  EXPECT_EQ(peer.last_clear().source_token, 88U);
  EXPECT_EQ(kinds(0), "REPLY_START");
  peer.write(0, data, peer.last_segment(0), peer.last_clear().immediate);
  EXPECT_EQ(memory, data);
  EXPECT_EQ(kinds(0), "REPLY_END");
}

}  // namespace
}  // namespace lintel::testing
