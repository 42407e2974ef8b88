// Large transfers that the receiver clears in rounds, because its memory has more pieces than one
// CLEAR can name. Tested for receiver and source, with a peer that keeps the protocol or breaks it.

#include <optional>
#include <span>

#include "tests/protocol/raw_peer.h"

namespace lintel::testing {
namespace {

using portals::wire::MessageKind;
using portals::wire::Request;
namespace wire = portals::wire;

constexpr std::size_t kLarge = 4096;
constexpr std::uint32_t kMoreThanOneWrite = 1U << 31;

class Rounds : public ProtocolTest {
 protected:
  Rounds() { begin({}); }
  void begin(const JobOptions& options) {
    peer.reset();
    start(options);
    peer.emplace(*job);
  }
  void discard(std::size_t rank, std::uint64_t token) {
    wire::Discard message{};
    message.header = {wire::kMessageVersion, static_cast<std::uint8_t>(MessageKind::kDiscard), 0, 0,
                      0};
    message.token = token;
    peer->send(rank, message);
  }

  std::optional<RawPeer> peer;
  Bytes data = pattern(kLarge);
};

// ---- The source: process 0, which puts to the peer

class RoundsSource : public Rounds {
 protected:
  // Returns the token of the put.
  std::uint64_t announce(ptl_ack_req_t ack = PTL_NO_ACK_REQ) {
    md = source(data);
    EXPECT_EQ(PtlPut(md, ack, peer->id(), kPortal, 0, kBits, 0, 0), PTL_OK);
    job->settle();
    EXPECT_EQ(peer->received(), "PUT");
    return peer->last_request(MessageKind::kPut).sender_token;
  }
  std::uint64_t refused() { return job->process(0).counters().get(Counter::kDropsStaleHandle); }

  ptl_handle_md_t md = PTL_INVALID_HANDLE;
  Bytes first = Bytes(1000), second = Bytes(96), third = Bytes(3000);
};

TEST_F(RoundsSource, EachClearGetsTheNextBytesAndTheLastEndsIt) {
  const std::uint64_t token = announce();
  peer->clear(0, token, {&first, &second}, 77, wire::kFlagMore);
  EXPECT_EQ(first, part(data, 0, 1000));
  EXPECT_EQ(second, part(data, 1000, 96));
  EXPECT_EQ(peer->received(), "WRITTEN");
  EXPECT_EQ(kinds(0), "SEND_START");
  EXPECT_EQ(PtlMDUnlink(md), PTL_MD_IN_USE);
  peer->clear(0, token, {&third}, 77);
  EXPECT_EQ(third, part(data, 1096, 3000));
  EXPECT_EQ(peer->immediates(), 3U);
  EXPECT_EQ(peer->received(), "");
  EXPECT_EQ(kinds(0), "SEND_END");
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
}

TEST_F(RoundsSource, RoundsMayAskForLessThanWasAnnounced) {
  const std::uint64_t token = announce();
  peer->clear(0, token, {&first}, 77, wire::kFlagMore);
  peer->clear(0, token, {&second}, 77);
  EXPECT_EQ(second, part(data, 1000, 96));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
}

TEST_F(RoundsSource, AckAfterTheLastRoundIsLoggedAfterSendEnd) {
  const std::uint64_t token = announce(PTL_ACK_REQ);
  const Request put = peer->last_request(MessageKind::kPut);
  peer->clear(0, token, {&first}, 77, wire::kFlagMore);
  peer->clear(0, token, {&second}, 77);
  peer->send(0, RawPeer::response(MessageKind::kAck, put, 1096));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END ACK");
}

TEST_F(RoundsSource, MoreAfterTheLastByteIsRefused) {
  const std::uint64_t token = announce();
  Bytes all(kLarge);
  peer->clear(0, token, {&all}, 78, wire::kFlagMore);
  EXPECT_EQ(all, Bytes(kLarge));
  EXPECT_EQ(peer->received(), "DISCARD");
  EXPECT_EQ(peer->last_discard().token, 78U);
  peer->clear(0, token, {&first, &third}, 77, wire::kFlagMore);
  EXPECT_EQ(peer->received(), "WRITTEN");
  peer->clear(0, token, {&second}, 77, wire::kFlagMore);  // the last bytes
  EXPECT_EQ(peer->received(), "DISCARD");
  EXPECT_EQ(refused(), 2U);
  EXPECT_EQ(kinds(0), "SEND_START");
}

TEST_F(RoundsSource, NextRoundForMoreThanIsLeftIsRefused) {
  const std::uint64_t token = announce();
  peer->clear(0, token, {&first}, 77, wire::kFlagMore);
  Bytes rest(kLarge - 999);
  peer->clear(0, token, {&rest}, 77);
  EXPECT_EQ(rest, Bytes(kLarge - 999));
  EXPECT_EQ(peer->received(), "DISCARD");
  EXPECT_EQ(refused(), 1U);
}

TEST_F(RoundsSource, NextRoundOfAnotherReceiverIsRefused) {
  const std::uint64_t token = announce();
  peer->clear(0, token, {&first}, 77, wire::kFlagMore);
  peer->clear(0, token, {&third}, 78);
  EXPECT_EQ(third, Bytes(3000));
  EXPECT_EQ(peer->received(), "DISCARD");
  EXPECT_EQ(peer->last_discard().token, 78U);
  EXPECT_EQ(kinds(0), "SEND_START");
}

TEST_F(RoundsSource, RoundAfterTheLastIsRefused) {
  const std::uint64_t token = announce(PTL_ACK_REQ);  // the record stays
  peer->clear(0, token, {&first}, 77);
  for (const std::uint8_t flags : {std::uint8_t{0}, std::uint8_t{wire::kFlagMore}}) {
    peer->clear(0, token, {&third}, 77, flags);
    EXPECT_EQ(peer->received(), "DISCARD");
  }
  EXPECT_EQ(third, Bytes(3000));
  EXPECT_EQ(kinds(0), "SEND_START SEND_END");
}

// The receiver has the bytes, but the source has not yet been told that its write has ended. The
// order depends on the seed.
TEST_F(RoundsSource, ClearThatOvertakesTheEndOfTheWritesWaitsForItAndASecondIsRefused) {
  std::uint64_t refusals = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    JobOptions options;
    options.network.seed = seed;
    begin(options);
    const std::uint64_t token = announce();
    Bytes a(1000), b(1000), c(1000);
    peer->post_clear(0, token, {&a}, 77, wire::kFlagMore);
    peer->post_clear(0, token, {&b}, 77, wire::kFlagMore);
    peer->post_clear(0, token, {&c}, 77, wire::kFlagMore);
    job->settle();
    EXPECT_EQ(a, part(data, 0, 1000)) << seed;
    EXPECT_EQ(b, part(data, 1000, 1000)) << seed;
    EXPECT_EQ(c, refused() > 0 ? Bytes(1000) : part(data, 2000, 1000)) << seed;
    refusals += refused();
    Bytes rest(refused() > 0 ? 2096 : 1096);
    peer->clear(0, token, {&rest}, 77);
    EXPECT_EQ(rest, part(data, kLarge - rest.size(), rest.size())) << seed;
    EXPECT_EQ(kinds(0), "SEND_START SEND_END") << seed;
    EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
    job->close();
  }
  EXPECT_GT(refusals, 0U);
}

TEST_F(RoundsSource, ClearBeforeAllIsPostedIsRefused) {
  std::uint64_t refusals = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    JobOptions options;
    options.network.seed = seed;
    options.network.max_writes_in_flight = 1;
    begin(options);
    const std::uint64_t token = announce();
    Bytes a(1000), b(1000), c(1000), early(1000);
    peer->post_clear(0, token, {&a, &b, &c}, 77, wire::kFlagMore);
    peer->post_clear(0, token, {&early}, 77);
    job->settle();
    EXPECT_EQ(c, part(data, 2000, 1000)) << seed;
    EXPECT_EQ(early, refused() > 0 ? Bytes(1000) : part(data, 3000, 1000)) << seed;
    refusals += refused();
    job->close();
  }
  EXPECT_GT(refusals, 0U);
}

TEST_F(RoundsSource, DiscardBetweenRoundsFailsIt) {
  const std::uint64_t token = announce(PTL_ACK_REQ);
  peer->clear(0, token, {&first}, 77, wire::kFlagMore);
  discard(0, token);
  EXPECT_EQ(kinds(0), "SEND_START SEND_END!FAIL");
  EXPECT_EQ(PtlMDUnlink(md), PTL_OK);
  peer->received();
  peer->clear(0, token, {&third}, 77);
  EXPECT_EQ(peer->received(), "DISCARD");
  EXPECT_EQ(third, Bytes(3000));
}

// ---- The receiver: process 1, whose messages are so small that they hold few segments

class RoundsReceiver : public Rounds {
 protected:
  static constexpr std::size_t kPieces = 40, kPiece = 100, kTotal = kPieces * kPiece;

  RoundsReceiver() {
    JobOptions options;
    options.network.attributes.max_message_bytes = 512;
    begin(options);
    entry = attach(iovec_md(pieces, {.options = kPut | PTL_MD_TRUNCATE | PTL_MD_MANAGE_REMOTE}, 1));
  }
  void announce(std::uint64_t length) {
    Request put = peer->request(MessageKind::kPut, job->id(1), length);
    put.header.flags = wire::kFlagAnnounced | wire::kFlagAckWanted | wire::kFlagTracked;
    put.sender_token = 66;
    put.md_handle = 11;
    peer->send(1, put);
  }
  bool more() const { return (peer->last_clear().header.flags & wire::kFlagMore) != 0; }
  // Writes what the last CLEAR asks for, from `data` at `at`. Returns where the next write begins.
  std::size_t fill(std::size_t at) {
    const wire::Clear clear = peer->last_clear();
    wire::Written written{};
    written.header = {wire::kMessageVersion, static_cast<std::uint8_t>(MessageKind::kWritten), 0, 0,
                      0};
    written.receiver_token = clear.receiver_token;
    written.write_count = clear.segment_count;
    std::vector<wire::Segment> segments;
    for (std::size_t i = 0; i < clear.segment_count; ++i) segments.push_back(peer->last_segment(i));
    if (segments.size() > 1) peer->send(1, written);
    for (const wire::Segment& segment : segments) {
      Bytes bytes = part(data, at, segment.length);
      peer->write(1, bytes, segment,
                  clear.immediate | (segments.size() > 1 ? kMoreThanOneWrite : 0));
      at += segment.length;
    }
    return at;
  }
  void expect_pieces(std::size_t count) {
    for (std::size_t i = 0; i < kPieces; ++i)
      EXPECT_EQ(pieces[i], i < count ? part(data, i * kPiece, kPiece) : Bytes(kPiece))
          << "piece " << i;
  }

  std::vector<Bytes> pieces = std::vector<Bytes>(kPieces, Bytes(kPiece));
  Entry entry;
};

TEST_F(RoundsReceiver, EachRoundFollowsWhenTheLastIsInPlace) {
  announce(kTotal);
  std::size_t at = 0, rounds = 1;
  for (; peer->received() == "CLEAR" && more(); ++rounds) {
    EXPECT_EQ(peer->last_clear().source_token, 66U);
    EXPECT_EQ(kinds(1), rounds == 1 ? "PUT_START" : "");
    at = fill(at);
    expect_pieces(at / kPiece);
    EXPECT_EQ(unlink_md(entry.md, 1), PTL_MD_IN_USE);
  }
  EXPECT_GE(rounds, 3U);
  at = fill(at);
  EXPECT_EQ(at, kTotal);
  expect_pieces(kPieces);
  EXPECT_EQ(kinds(1), "PUT_END");
  EXPECT_EQ(peer->received(), "ACK");
  EXPECT_EQ(peer->last_response().manipulated_length, kTotal);
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_OK);
}

TEST_F(RoundsReceiver, TruncatedTransferAsksForWhatFitsInAll) {
  data = pattern(2 * kTotal);
  announce(2 * kTotal);
  std::size_t at = 0;
  while (peer->received() == "CLEAR") at = fill(at);
  EXPECT_EQ(at, kTotal);
  EXPECT_EQ(story(1), "PUT_START 4000/8000@0 PUT_END 4000/8000@0");
}

TEST_F(RoundsReceiver, SourceThatGivesUpLaterFailsIt) {
  announce(kTotal);
  fill(0);
  EXPECT_EQ(peer->received(), "CLEAR CLEAR");
  discard(1, peer->last_clear().receiver_token);
  EXPECT_EQ(kinds(1), "PUT_START PUT_END!FAIL");
  EXPECT_EQ(unlink_md(entry.md, 1), PTL_OK);
}

TEST_F(RoundsReceiver, UpdateMeanwhileDoesNotMoveWhereTheRestLands) {
  announce(kTotal);
  Bytes other(kTotal);
  std::size_t at = fill(0);
  ASSERT_EQ(update(entry.md, md(other, {.options = kPut}, 1), PTL_EQ_NONE), PTL_OK);
  while (peer->received() != "ACK" && at < kTotal) at = fill(at);
  expect_pieces(kPieces);
  EXPECT_EQ(other, Bytes(kTotal));
}

// The memory of a finished round is deregistered.
TEST_F(RoundsReceiver, WriteToAnEarlierRoundIsRefusedByTheNetwork) {
  announce(kTotal);
  const wire::Segment old = peer->last_segment(0);
  const std::uint32_t immediate = peer->last_clear().immediate;
  fill(0);
  Bytes late(kPiece);
  peer->write(1, late, old, immediate);
  EXPECT_EQ(pieces[0], part(data, 0, kPiece));
  EXPECT_EQ(job->network().counters().writes_refused, 1U);
}

}  // namespace
}  // namespace lintel::testing
