// Sections 3.15.3 and 3.13.1: a large get at its target, when the message says where the reply may
// be written. If the target accepts it, the writes are the only answer. In every other case a REPLY
// answers, and the initiator's memory stays unchanged.

#include <optional>

#include "tests/protocol4/raw_peer4.h"

namespace lintel::testing {
namespace {

using portals::wire::MessageKind;
using portals::wire::Request;
namespace wire = portals::wire;

constexpr std::uint32_t kImmediate = 9;  // of the peer's CLEAR
constexpr std::uint32_t kSeveralWrites = 1U << 31;

class ClearedGet4Target : public Portals4Test {
 protected:
  static constexpr std::size_t kSize = 4096;

  ClearedGet4Target() { peer.emplace(*job); }
  void begin(const JobOptions4& options) {
    job->close();  // before the peer that it polls
    peer.reset();
    start(options);
    peer.emplace(*job, options.interface);
  }

  Request large_get(std::uint64_t length = kSize, std::uint64_t offset = 0) const {
    Request request = peer->request(MessageKind::kGet, 1, length);
    request.offset = offset;
    return request;
  }
  // The peer gets into `memory`, which is as long as what it asks for.
  void get_by_peer(Request request) {
    memory.resize(request.length);
    peer->cleared_get(1, request, {&memory});
  }
  // Checks that the peer received a REPLY with `failure` and that nothing was written.
  void expect_refused(std::uint8_t failure) {
    ASSERT_EQ(peer->received(), "REPLY");
    EXPECT_EQ(peer->last_reply().failure, failure);
    EXPECT_EQ(peer->last_reply().request_token, 55U);
    EXPECT_EQ(peer->immediates(), 0U);
    EXPECT_EQ(memory, Bytes(memory.size()));
    EXPECT_EQ(kinds(1), "");
  }

  std::optional<RawPeer4> peer;
  Bytes data = pattern(2 * kSize);
  Bytes memory = Bytes(kSize);
};

// ---- The writes are the reply

TEST_F(ClearedGet4Target, GetThatIsTakenAsItAsksIsAnsweredByItsWriteAlone) {
  append(data, {.options = kGet | kNoLink});
  get_by_peer(large_get(kSize, 100));
  EXPECT_EQ(memory, part(data, 100, kSize));
  EXPECT_EQ(peer->immediates(), 1U);
  EXPECT_EQ(peer->last_immediate(), kImmediate);
  EXPECT_EQ(peer->received(), "");
  EXPECT_EQ(story(1), "GET 4096/4096@100");
}

TEST_F(ClearedGet4Target, SeveralSegmentsAreSeveralWritesAndACount) {
  append(data, {.options = kGet | kNoLink});
  Bytes first(96), second(4000);
  peer->cleared_get(1, large_get(), {&first, &second});
  EXPECT_EQ(first, part(data, 0, 96));
  EXPECT_EQ(second, part(data, 96, 4000));
  EXPECT_EQ(peer->immediates(), 2U);
  EXPECT_EQ(peer->last_immediate(), kImmediate | kSeveralWrites);
  EXPECT_EQ(peer->received(), "WRITTEN");
  EXPECT_EQ(kinds(1), "GET");
}

TEST_F(ClearedGet4Target, PiecesOfTheEntryAreSeveralWritesAndACount) {
  std::vector<Bytes> pieces{pattern(1000), pattern(5000, 2)};
  const EntryRules rules{.options = kGet | kNoLink};
  append(iovec_me(pieces, rules), rules);
  get_by_peer(large_get());
  EXPECT_EQ(part(memory, 0, 1000), pieces[0]);
  EXPECT_EQ(part(memory, 1000, 3096), part(pieces[1], 0, 3096));
  EXPECT_EQ(peer->immediates(), 2U);
  EXPECT_EQ(peer->received(), "WRITTEN");
}

TEST_F(ClearedGet4Target, GetEventComesWhenTheDataHaveBeenWritten) {
  const ptl_handle_ct_t gets = counter(1);
  const ptl_handle_me_t entry =
      append(data, {.options = kGet | kNoLink | PTL_ME_EVENT_CT_COMM, .counter = gets});
  peer->discard(1, 12345);  // connects
  peer->post_cleared_get(1, large_get(), {&memory});
  while (job->landing(1, kPortal) == 0) {
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  EXPECT_EQ(kinds(1), "");
  EXPECT_EQ(count(gets, 1), "0+0");
  EXPECT_EQ(unlink(entry), PTL_IN_USE);
  job->settle();
  EXPECT_EQ(kinds(1), "GET");
  EXPECT_EQ(count(gets, 1), "1+0");
  EXPECT_EQ(unlink(entry), PTL_OK);
}

TEST_F(ClearedGet4Target, EntryThatIsUsedOnceIsGoneAfterwards) {
  append(data, {.options = kGet | kNoLink | PTL_ME_USE_ONCE});
  get_by_peer(large_get());
  EXPECT_EQ(peer->immediates(), 1U);
  get_by_peer(large_get());
  EXPECT_EQ(peer->received(), "REPLY");
  EXPECT_EQ(peer->last_reply().failure, 4U);
  EXPECT_EQ(peer->immediates(), 1U);
}

TEST_F(ClearedGet4Target, NonMatchingInterfaceAnswersAlike) {
  begin({.interface = PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL});
  append(data, {.options = kGet | kNoLink});
  get_by_peer(large_get());
  EXPECT_EQ(memory, part(data, 0, kSize));
  EXPECT_EQ(peer->received(), "");
  EXPECT_EQ(story(1), "GET 4096/4096@0");
}

// ---- Cases in which a REPLY answers

TEST_F(ClearedGet4Target, GetThatIsTruncatedIsAnsweredByReply) {
  data.resize(3000);
  append(data, {.options = kGet | kNoLink});
  get_by_peer(large_get());
  ASSERT_EQ(peer->received(), "REPLY");
  EXPECT_EQ(peer->last_reply().header.flags, wire::kFlagAnnounced);
  EXPECT_EQ(peer->last_reply().manipulated_length, 3000U);
  EXPECT_EQ(peer->immediates(), 0U);
  EXPECT_EQ(memory, Bytes(kSize));
  Bytes room(3000);
  peer->clear(1, peer->last_reply().sender_token, {&room}, 78);
  EXPECT_EQ(room, data);
  EXPECT_EQ(story(1), "GET 3000/4096@0");
}

TEST_F(ClearedGet4Target, GetThatIsTruncatedToAFewBytesIsAnsweredByReplyWithThem) {
  data.resize(1000);
  append(data, {.options = kGet | kNoLink});
  get_by_peer(large_get());
  ASSERT_EQ(peer->received(), "REPLY");
  EXPECT_EQ(peer->last_reply_data(), data);
  EXPECT_EQ(peer->immediates(), 0U);
  EXPECT_EQ(story(1), "GET 1000/4096@0");
}

TEST_F(ClearedGet4Target, GetFromBeyondTheEndIsAnsweredByAnEmptyReply) {
  append(data, {.options = kGet | kNoLink});
  get_by_peer(large_get(kSize, 3 * kSize));
  ASSERT_EQ(peer->received(), "REPLY");
  EXPECT_EQ(peer->last_reply().manipulated_length, 0U);
  EXPECT_EQ(memory, Bytes(kSize));
}

// The initiator's eager limit is lower than this target's.
TEST_F(ClearedGet4Target, GetOfAFewBytesIsAnsweredByReplyWithThem) {
  append(data, {.options = kGet | kNoLink});
  get_by_peer(large_get(1000));
  ASSERT_EQ(peer->received(), "REPLY");
  EXPECT_EQ(peer->last_reply_data(), part(data, 0, 1000));
  EXPECT_EQ(peer->immediates(), 0U);
}

TEST_F(ClearedGet4Target, GetAtAnOffsetOfTheEntrysOwnIsAnsweredByReplyThatTellsIt) {
  append(data, {.options = kGet | kNoLink | PTL_ME_MANAGE_LOCAL});
  get_by_peer(large_get());
  EXPECT_EQ(peer->received(), "") << "the first begins where it has asked for";
  EXPECT_EQ(peer->immediates(), 1U);
  get_by_peer(large_get());
  ASSERT_EQ(peer->received(), "REPLY");
  EXPECT_EQ(peer->last_reply().header.flags, wire::kFlagAnnounced);
  EXPECT_EQ(peer->last_reply().offset, kSize);
  EXPECT_EQ(peer->immediates(), 1U);
}

TEST_F(ClearedGet4Target, GetInTheOverflowListIsAnsweredByReplyThatTellsIt) {
  append_overflow(data, {.options = kGet | kNoLink});
  get_by_peer(large_get());
  ASSERT_EQ(peer->received(), "REPLY");
  EXPECT_EQ(peer->last_reply().list, 1U);
  EXPECT_EQ(peer->last_reply().header.flags, wire::kFlagAnnounced);
  EXPECT_EQ(peer->immediates(), 0U);
}

TEST_F(ClearedGet4Target, GetWithoutRoomForItsWritesIsAnsweredByReplyThatNamesNoSource) {
  begin({.endpoint = {.eager_limit = 1024, .max_operations = 1}});
  append(data, {.options = kGet | kNoLink});
  Bytes second(kSize);
  peer->discard(1, 12345);  // connects
  peer->post_cleared_get(1, large_get(), {&memory});
  peer->post_cleared_get(1, large_get(), {&second}, 78);
  job->settle();
  ASSERT_EQ(peer->received(), "REPLY");
  EXPECT_EQ(peer->last_reply().sender_token, 0U);
  EXPECT_EQ(peer->immediates(), 1U);
  EXPECT_EQ(memory, part(data, 0, kSize));
  EXPECT_EQ(second, Bytes(kSize));
}

// ---- Refusals

TEST_F(ClearedGet4Target, GetThatMatchesNothingIsRefused) {
  append(data, {.options = kGet | kNoLink, .bits = ~kBits});
  get_by_peer(large_get());
  expect_refused(4);
  EXPECT_EQ(drops(1), 1);
}

TEST_F(ClearedGet4Target, GetOfAnotherUserIsRefused) {
  append(data, {.options = kGet | kNoLink, .uid = 1001});
  get_by_peer(large_get());
  expect_refused(6);
}

TEST_F(ClearedGet4Target, GetThatTheEntryDoesNotAllowIsRefused) {
  append(data, {.options = kPut | kNoLink});
  get_by_peer(large_get());
  expect_refused(7);
}

TEST_F(ClearedGet4Target, GetOfADisabledPortalIsRefused) {
  append(data, {.options = kGet | kNoLink});
  ASSERT_EQ(disable(), PTL_OK);
  take(1);
  get_by_peer(large_get());
  expect_refused(5);
}

TEST_F(ClearedGet4Target, GetForAnInterfaceThatIsNotOpenIsRefused) {
  RawProcess other(*job,
                   {.interface_kind = portals::kHighestInterfaceKind,
                    .portal_index = kPortal,
                    .match_bits = kBits},
                   RawPeer4::kNid + 1);
  other.cleared_get(1, other.request(MessageKind::kGet, SimulatedProcesses::name(1), kSize),
                    {&memory});
  ASSERT_EQ(other.received(), "REPLY");
  EXPECT_EQ(other.last_reply().failure, 8U);
  EXPECT_EQ(other.immediates(), 0U);
  job->close();  // before the peer that it polls
}

// ---- The transfer fails

TEST_F(ClearedGet4Target, InitiatorThatDiesFailsTheGet) {
  const ptl_handle_ct_t gets = counter(1);
  const ptl_handle_me_t entry =
      append(data, {.options = kGet | kNoLink | PTL_ME_EVENT_CT_COMM, .counter = gets});
  peer->discard(1, 12345);  // connects
  peer->post_cleared_get(1, large_get(), {&memory});
  while (job->landing(1, kPortal) == 0) {
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  job->network().kill(peer->name(), transport::Death::kNoticed);
  job->run(120s);
  EXPECT_EQ(kinds(1), "GET!UNDELIVERABLE");
  EXPECT_EQ(count(gets, 1), "0+1");
  EXPECT_EQ(unlink(entry), PTL_OK);
}

TEST_F(ClearedGet4Target, WriteToMemoryThatIsNotTheInitiatorsFailsTheGet) {
  const ptl_handle_me_t entry = append(data, {.options = kGet | kNoLink});
  Request request = large_get();
  request.header.flags |= wire::kFlagCleared;
  wire::Clear clear{};
  clear.header = {wire::kMessageVersion, static_cast<std::uint8_t>(MessageKind::kClear), 0,
                  request.header.interface_kind, sizeof(wire::Segment)};
  clear.receiver_token = 77;
  clear.length = kSize;
  clear.segment_count = 1;
  Bytes payload(sizeof clear + sizeof(wire::Segment));
  wire::encode(clear, reinterpret_cast<std::byte*>(payload.data()));
  wire::encode(wire::Segment{1, 2, kSize},
               reinterpret_cast<std::byte*>(payload.data()) + sizeof clear);
  peer->send(1, request, payload);
  job->run(30s);
  EXPECT_EQ(kinds(1), "GET!UNDELIVERABLE");
  EXPECT_EQ(unlink(entry), PTL_OK);
}

// Nothing of the interface is read after it is closed, and the initiator learns of it by the end of
// the session, because one write is still under way.
TEST_F(ClearedGet4Target, ClosingTheInterfaceInTheMiddleOfTheWritesEndsTheSession) {
  JobOptions4 options;
  options.network.attributes.max_write_bytes = 100;
  options.network.max_writes_in_flight = 1;
  begin(options);
  job->as(1);
  ptl_handle_ni_t other = PTL_INVALID_HANDLE;  // keeps the session open
  ASSERT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_NI_NO_MATCHING | PTL_NI_PHYSICAL, PTL_PID_ANY, nullptr,
                      nullptr, &other),
            PTL_OK);
  job->as(0);
  append(data, {.options = kGet | kNoLink});
  peer->discard(1, 12345);  // connects
  peer->post_cleared_get(1, large_get(), {&memory});
  while (peer->immediates() == 0) {
    ASSERT_TRUE(job->network().advance_to_next());
    job->settle(0ns);
  }
  job->as(1);
  ASSERT_EQ(PtlNIFini(job->ni()), PTL_OK);
  job->as(0);
  job->settle();
  EXPECT_EQ(peer->received(), "WRITTEN");
  EXPECT_EQ(peer->lost_peers(), 1U);
}

}  // namespace
}  // namespace lintel::testing
